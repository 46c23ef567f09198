# The layers, lowest first. A layer links only layers that stand before it in this list, so that the link graph
# enforces what docs/architecture.md promises.
set(CYCLESCOPE_LAYERS base simulator result statistics analysis document report merge published arch os assembler predict sandbox measure
    curves pairs cores memory gpu instructions blocks sweep ports anatomy fleet hosts library serve cli mpi)
# Some may use even less: a report is made of results alone, and the command line measures nothing by itself.
set(CYCLESCOPE_LAYERS_OF_report base result statistics analysis document)
set(CYCLESCOPE_LAYERS_OF_cli base result os analysis document report merge published library serve)

add_library(cyclescope_options INTERFACE)
# "cyclescope/measure.h" as a user of the library has it; its folders `base` and `result` are parts of these layers.
target_include_directories(cyclescope_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# Members left out of a designated initialiser take their defaults: that is what we use them for.
target_compile_options(cyclescope_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       -Wno-missing-field-initializers)
if(WIN32)
  # Windows 10 and later; names of ours stay ours; and a file of many templates has more sections than old ones may.
  target_compile_definitions(cyclescope_options INTERFACE _WIN32_WINNT=0x0A00 WIN32_LEAN_AND_MEAN NOMINMAX)
  target_compile_options(cyclescope_options INTERFACE -Wa,-mbig-obj)
endif()
# In a unity build (CMakePresets.json: it takes less than half the time) every source is included by another, which GCC
# takes for a header that has no business with unnamed namespaces.
if(CMAKE_UNITY_BUILD)
  target_compile_options(cyclescope_options INTERFACE -Wno-subobject-linkage)
endif()
if(CYCLESCOPE_WERROR)
  target_compile_options(cyclescope_options INTERFACE -Werror)
endif()
if(CYCLESCOPE_SANITIZE)
  target_compile_options(cyclescope_options INTERFACE -fsanitize=${CYCLESCOPE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(cyclescope_options INTERFACE -fsanitize=${CYCLESCOPE_SANITIZE})
endif()

# What most tests include, compiled once, by the lowest layer's. They are built without optimisation, since compiling
# them takes longer than running them. The layers themselves have no precompiled headers: GCC 12 forgets with them
# which headers are the system's, and its optimisers then warn about the standard library.
set(CYCLESCOPE_TEST_HEADERS <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono> <expected> <filesystem> <functional>
    <map> <memory> <optional> <span> <string> <vector> <fmt/core.h>)
function(cyclescope_precompile_test name)
  list(GET CYCLESCOPE_LAYERS 0 lowest)
  if(name STREQUAL lowest)
    target_precompile_headers(cyclescope_${name}_test PRIVATE ${CYCLESCOPE_TEST_HEADERS})
  else()
    target_precompile_headers(cyclescope_${name}_test REUSE_FROM cyclescope_${lowest}_test)
  endif()
endfunction()

# The layers in which systems differ: on another than Linux only their unit tests show something new.
set(CYCLESCOPE_LAYERS_OF_SYSTEM os sandbox)

if(CYCLESCOPE_TESTS)
  if(WIN32)
    # Debian has GoogleTest's sources, for systems that it has no library for.
    add_subdirectory(/usr/src/googletest googletest EXCLUDE_FROM_ALL)
  else()
    find_package(GTest REQUIRED)
  endif()
  # The unit tests without the rest of `all`, for builds that need no more.
  add_custom_target(unit-tests)
  # Test suites whose names end in Bulk or Fuzz go over hundreds of machines or of damaged files, for seconds: they have
  # a slow CTest test of their own, bulk-LAYER.
  set(bulk "*Bulk.*:*Fuzz.*")
  # The thread sanitizer is for what has threads. Simulated machines that are watched for long show nothing new to the
  # address sanitizer or to an emulator, and take them ten minutes. Under an emulator all such machines and documents are
  # left out: they are the same on every architecture. So are death tests, which start the program anew without it.
  set(left_out *Bulk.* *LargestServer* CoreWatch.Chance* Floating.*)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(APPEND left_out *Fuzz.* *.AnyText* AddTimedLevels.* Catalogue.* Compare.* CoreMap* CoreWatch.* Coverage.*
         CsvMatrix.* DocumentText.* FloatingRecording.* Groups.* Interpret.* KeepMinima.* LoadTimes.* MatrixExperiment.*
         MeasureFillBuffers.* MeasureFrequency.* MergeRounds.* Packed.* PortFinding.* ReadLevels.* Residence.* SetSearch.*
         Spectrum.* StreamThreadsDeathTest.* Sweep.* SweepDeathTest.* UsageSearch.*
         # One of these shows that the architecture's fillers are found.
         FindWindows.ACore* FindWindows.ANeighbour* FindWindows.FindsBoth* FindWindows.Says* FindWindows.What*
         # And that measurements end when they are told to.
         MeasureTest.ARound* MeasureTest.Watching*
         # qemu-user's vfork() is a fork(): a program that cannot be started is not told.
         BrowserTest.WithoutAProgram*)
  endif()
  list(JOIN left_out ":" left_out)
  if(CYCLESCOPE_SANITIZE MATCHES "thread")
    set(CYCLESCOPE_UNIT_TEST_ARGUMENTS --gtest_filter=PinnedThreads.*:ThreadedLineSourceTest.*:Sweep.*)
  elseif(NOT WIN32 AND (CMAKE_CROSSCOMPILING_EMULATOR OR CYCLESCOPE_SANITIZE MATCHES "address"))
    set(CYCLESCOPE_UNIT_TEST_ARGUMENTS --gtest_filter=-${left_out})
  else()
    set(CYCLESCOPE_UNIT_TEST_ARGUMENTS --gtest_filter=-${bulk})
    set(CYCLESCOPE_BULK_TEST_ARGUMENTS --gtest_filter=${bulk})
  endif()
endif()

# Layers whose unit tests show nothing on another architecture that they do not show on this one.
set(CYCLESCOPE_LAYERS_ALIKE fleet gpu hosts merge pairs published)

# cyclescope_has_bulk(RESULT a_test.cc ...): whether one of these has suites named ...Bulk or ...Fuzz.
function(cyclescope_has_bulk result)
  set(found)
  foreach(file IN LISTS ARGN)
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${file} suites REGEX "^TEST(_F|_P)?\\([A-Za-z]*(Bulk|Fuzz),")
    list(APPEND found ${suites})
  endforeach()
  if(found)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Headers of all layers are found by all, so that what a layer includes is checked here.
function(cyclescope_check_includes name layers test_layers)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(file IN LISTS files)
    set(allowed ${name} ${layers})
    if(file MATCHES "(_test\\.cc|/testing/.*)$")
      list(APPEND allowed ${test_layers})
    endif()
    file(STRINGS ${file} includes REGEX "^#include \"[a-z]+/")
    list(TRANSFORM includes REPLACE "^#include \"(cyclescope/)?([a-z]+)/.*" "\\2")
    foreach(included IN LISTS includes)
      if(included IN_LIST CYCLESCOPE_LAYERS AND NOT included IN_LIST allowed)
        message(FATAL_ERROR "${file} includes a header of ${included}, which is not among the layers of ${name}")
      endif()
    endforeach()
  endforeach()
endfunction()

# cyclescope_layer(NAME [SOURCES a.cc ...] [LAYERS base ...] [LIBRARIES cyclescope_fmt ...] [TESTS a_test.cc ...]
#                  [TEST_LAYERS ...])
# makes the target cyclescope_NAME and, with CYCLESCOPE_TESTS, the test program cyclescope_NAME_test. TEST_LAYERS are those
# that only the tests use besides: they may stand higher.
function(cyclescope_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "SOURCES;LAYERS;LIBRARIES;TESTS;TEST_LAYERS")

  list(FIND CYCLESCOPE_LAYERS ${name} own_height)
  if(own_height LESS 0)
    message(FATAL_ERROR "${name} is not in CYCLESCOPE_LAYERS (cmake/Layers.cmake)")
  endif()
  foreach(used IN LISTS layer_LAYERS)
    list(FIND CYCLESCOPE_LAYERS ${used} used_height)
    if(used_height LESS 0 OR NOT used_height LESS own_height)
      message(FATAL_ERROR "Layer ${name} may not use ${used}: it does not stand below it (cmake/Layers.cmake)")
    endif()
    if(DEFINED CYCLESCOPE_LAYERS_OF_${name} AND NOT used IN_LIST CYCLESCOPE_LAYERS_OF_${name})
      message(FATAL_ERROR "Layer ${name} may not use ${used} (CYCLESCOPE_LAYERS_OF_${name} in cmake/Layers.cmake)")
    endif()
  endforeach()
  cyclescope_check_includes(${name} "${layer_LAYERS}" "${layer_TEST_LAYERS}")
  list(TRANSFORM layer_TEST_LAYERS PREPEND cyclescope_)
  list(TRANSFORM layer_LAYERS PREPEND cyclescope_)

  if(layer_SOURCES)
    add_library(cyclescope_${name} STATIC ${layer_SOURCES})
    target_link_libraries(cyclescope_${name} PUBLIC cyclescope_options ${layer_LAYERS} ${layer_LIBRARIES})
  else()
    add_library(cyclescope_${name} INTERFACE)
    target_link_libraries(cyclescope_${name} INTERFACE cyclescope_options ${layer_LAYERS} ${layer_LIBRARIES})
  endif()

  if(CYCLESCOPE_TESTS AND layer_TESTS AND (NOT WIN32 OR name IN_LIST CYCLESCOPE_LAYERS_OF_SYSTEM))
    add_executable(cyclescope_${name}_test ${layer_TESTS})
    target_link_libraries(cyclescope_${name}_test PRIVATE cyclescope_${name} ${layer_TEST_LAYERS} cyclescope_fmt
                          GTest::gmock GTest::gtest_main)
    target_compile_definitions(cyclescope_${name}_test PRIVATE
                               CYCLESCOPE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    if(WIN32)
      # Optimised, since nothing else links: see tests/CMakeLists.txt.
      target_link_options(cyclescope_${name}_test PRIVATE -static)
    else()
      target_compile_options(cyclescope_${name}_test PRIVATE -O0)
      cyclescope_precompile_test(${name})
    endif()
    if(NOT WIN32 AND CMAKE_CROSSCOMPILING_EMULATOR AND name IN_LIST CYCLESCOPE_LAYERS_ALIKE)
      return()
    endif()
    add_test(NAME unit-${name} COMMAND cyclescope_${name}_test ${CYCLESCOPE_UNIT_TEST_ARGUMENTS})
    add_dependencies(unit-tests cyclescope_${name}_test)
    cyclescope_has_bulk(has_bulk ${layer_TESTS})
    if(has_bulk AND CYCLESCOPE_BULK_TEST_ARGUMENTS)
      add_test(NAME bulk-${name} COMMAND cyclescope_${name}_test ${CYCLESCOPE_BULK_TEST_ARGUMENTS})
      set_tests_properties(bulk-${name} PROPERTIES LABELS slow)
    endif()
  endif()
endfunction()
