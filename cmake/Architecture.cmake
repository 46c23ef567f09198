# Which folder of src/arch and of src/os this build takes.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(CYCLESCOPE_ARCH x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(CYCLESCOPE_ARCH aarch64)
else()
  message(FATAL_ERROR "No folder in src/arch for ${CMAKE_SYSTEM_PROCESSOR}: supported are x86_64 and aarch64.")
endif()

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(CYCLESCOPE_OS linux)
else()
  message(FATAL_ERROR "No folder in src/os for ${CMAKE_SYSTEM_NAME}: supported is Linux.")
endif()
