# Debian packages, by CPack: cyclescope, libcyclescope-dev with the library, and cyclescope-mpi where there is MPI. scripts/package makes them, and
# tests/package looks at them. What lintian may say is in cmake/debian.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/tidy.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The cyclescope authors <cyclescope@localhost.localdomain>")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# As a Debian changelog has it; SOURCE_DATE_EPOCH sets it.
string(TIMESTAMP CPACK_CYCLESCOPE_RELEASE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cyclescope)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION 
"How many cycles an instruction takes from each operand to each result, how
many can be sustained, how fast a core really runs, and how long a cache line
needs from one core to another. It needs no performance counters and no
privileges, and works in virtual machines.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcyclescope-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "llvm-19-dev, libhwloc-dev, libfmt-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION 
"Headers and a static library that do what the program's commands do, and
files for CMake and pkg-config.")

if(TARGET cyclescope-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEBIAN_MPI_PACKAGE_NAME cyclescope-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_MPI_DESCRIPTION 
"Latency and bandwidth between every pair of hosts of an MPI job, and surveys of
all of them at once, gathered and judged: which host is not like the others.")
include(CPack)
