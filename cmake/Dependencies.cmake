# What we stand on, as imported targets. LLVM and hwloc are looked up by file, not by their CMake or pkg-config
# files, since those describe the build machine and the cross build needs the other architecture's libraries.
find_path(CYCLESCOPE_LLVM_INCLUDE llvm/MC/MCInst.h PATHS /usr/lib/llvm-19/include REQUIRED)
find_library(CYCLESCOPE_LLVM_LIBRARY NAMES LLVM-19 libLLVM.so.19.1 PATHS /usr/lib/llvm-19/lib REQUIRED)
add_library(cyclescope_llvm INTERFACE)
target_include_directories(cyclescope_llvm SYSTEM INTERFACE ${CYCLESCOPE_LLVM_INCLUDE})
target_link_libraries(cyclescope_llvm INTERFACE ${CYCLESCOPE_LLVM_LIBRARY})

find_path(CYCLESCOPE_HWLOC_INCLUDE hwloc.h REQUIRED)
find_library(CYCLESCOPE_HWLOC_LIBRARY hwloc REQUIRED)
add_library(cyclescope_hwloc INTERFACE)
target_include_directories(cyclescope_hwloc SYSTEM INTERFACE ${CYCLESCOPE_HWLOC_INCLUDE})
target_link_libraries(cyclescope_hwloc INTERFACE ${CYCLESCOPE_HWLOC_LIBRARY})

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
