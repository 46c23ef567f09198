# What we stand on, as targets. LLVM and hwloc are looked up by file, not by their CMake or pkg-config files, since
# those describe the build machine and the cross build needs the other architecture's libraries.
option(CYCLESCOPE_BUNDLED "Link everything but the C library into the program, so that it runs with that alone" OFF)
option(CYCLESCOPE_STATIC "Link the C library in, too: for machines that have another; opens no GPU's driver" OFF)
if(CYCLESCOPE_STATIC)
  set(CYCLESCOPE_BUNDLED ON)
endif()
set(CYCLESCOPE_LLVM_ROOT /usr/lib/llvm-19 CACHE PATH "Where LLVM 19 is installed")

# Only what the assembler needs of LLVM: it makes up most of a static program.
set(llvm_components
  AArch64AsmParser AArch64Desc AArch64Disassembler AArch64Info AArch64Utils
  X86AsmParser X86Desc X86Disassembler X86Info
  MC MCA MCDisassembler MCParser Object
  BinaryFormat BitReader BitstreamReader CodeGenTypes Core DebugInfoCodeView DebugInfoDWARF Demangle IRReader AsmParser
  Remarks Support TargetParser TextAPI)

if(CYCLESCOPE_BUNDLED)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

find_path(CYCLESCOPE_Z_INCLUDE zlib.h REQUIRED)
find_library(CYCLESCOPE_Z z REQUIRED)
add_library(cyclescope_zlib INTERFACE)
target_include_directories(cyclescope_zlib SYSTEM INTERFACE ${CYCLESCOPE_Z_INCLUDE})
target_link_libraries(cyclescope_zlib INTERFACE ${CYCLESCOPE_Z})

find_path(CYCLESCOPE_LLVM_INCLUDE llvm/MC/MCInst.h PATHS ${CYCLESCOPE_LLVM_ROOT}/include NO_DEFAULT_PATH
          NO_CMAKE_FIND_ROOT_PATH REQUIRED)
add_library(cyclescope_llvm INTERFACE)
target_include_directories(cyclescope_llvm SYSTEM INTERFACE ${CYCLESCOPE_LLVM_INCLUDE})
if(CYCLESCOPE_BUNDLED)
  foreach(component IN LISTS llvm_components)
    find_library(CYCLESCOPE_LLVM_${component} LLVM${component} PATHS ${CYCLESCOPE_LLVM_ROOT}/lib NO_DEFAULT_PATH
                 NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    list(APPEND llvm_libraries ${CYCLESCOPE_LLVM_${component}})
  endforeach()
  # What LLVM's support library uses: two ways to compress, or the system's own libraries.
  if(WIN32)
    set(under_llvm psapi shell32 ole32 uuid advapi32 ws2_32 ntdll)
  else()
    find_library(CYCLESCOPE_ZSTD zstd REQUIRED)
    set(under_llvm ${CYCLESCOPE_Z} ${CYCLESCOPE_ZSTD})
  endif()
  target_link_libraries(cyclescope_llvm INTERFACE -Wl,--start-group ${llvm_libraries} -Wl,--end-group ${under_llvm})
else()
  find_library(CYCLESCOPE_LLVM_LIBRARY NAMES LLVM-19 libLLVM.so.19.1 PATHS ${CYCLESCOPE_LLVM_ROOT}/lib REQUIRED)
  target_link_libraries(cyclescope_llvm INTERFACE ${CYCLESCOPE_LLVM_LIBRARY})
endif()

find_package(Threads REQUIRED)
add_library(cyclescope_fmt INTERFACE)
# Headers only.
add_library(cyclescope_boost INTERFACE)
if(WIN32)
  # Libraries that are headers only, and so the same for every system. In a folder of their own: beside them are the
  # headers of this machine's system.
  set(headers ${PROJECT_BINARY_DIR}/headers)
  file(MAKE_DIRECTORY ${headers})
  foreach(folder IN ITEMS CLI boost fmt nlohmann)
    file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
  endforeach()
  foreach(library IN ITEMS CLI11::CLI11 nlohmann_json::nlohmann_json)
    add_library(${library} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${library} SYSTEM INTERFACE ${headers})
  endforeach()
  target_include_directories(cyclescope_fmt SYSTEM INTERFACE ${headers})
  target_include_directories(cyclescope_boost SYSTEM INTERFACE ${headers})
  target_compile_definitions(cyclescope_fmt INTERFACE FMT_HEADER_ONLY=1)
  return()
endif()

find_path(CYCLESCOPE_HWLOC_INCLUDE hwloc.h REQUIRED)
find_library(CYCLESCOPE_HWLOC_LIBRARY hwloc REQUIRED)
add_library(cyclescope_hwloc INTERFACE)
target_include_directories(cyclescope_hwloc SYSTEM INTERFACE ${CYCLESCOPE_HWLOC_INCLUDE})
target_link_libraries(cyclescope_hwloc INTERFACE ${CYCLESCOPE_HWLOC_LIBRARY})

# Debian has fmt as a shared library only; its headers can do without.
find_package(fmt REQUIRED)
target_link_libraries(cyclescope_fmt INTERFACE $<IF:$<BOOL:${CYCLESCOPE_BUNDLED}>,fmt::fmt-header-only,fmt::fmt>)

find_path(CYCLESCOPE_BOOST_INCLUDE boost/math/distributions/students_t.hpp REQUIRED)
target_include_directories(cyclescope_boost SYSTEM INTERFACE ${CYCLESCOPE_BOOST_INCLUDE})

find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
