# The toolchain of the `cross` preset: the other of x86-64 and AArch64.
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  include(${CMAKE_CURRENT_LIST_DIR}/cross-aarch64.cmake)
else()
  include(${CMAKE_CURRENT_LIST_DIR}/cross-x86_64.cmake)
endif()
