# What `cmake --install` puts where: the program with its manual, completions, schema and licence, and the library
# with its headers and package files. The program itself says what the manual and the completions are, so that they
# cannot differ from its --help; that takes the emulator where another architecture's program was built.
include(GNUInstallDirs)

# On Windows a folder has it all: scripts/package.
if(WIN32)
  return()
endif()

set(made ${PROJECT_BINARY_DIR}/made-by-the-program)
set(manual ${made}/cyclescope.1)
file(MAKE_DIRECTORY ${made})
add_custom_command(OUTPUT ${manual}
  COMMAND cyclescope --print-manual > ${manual}
  COMMENT "Writing the manual page"
  VERBATIM)
foreach(shell IN ITEMS bash fish zsh)
  set(completion ${made}/completion.${shell})
  list(APPEND completions ${completion})
  add_custom_command(OUTPUT ${completion}
    COMMAND cyclescope --print-completion ${shell} > ${completion}
    COMMENT "Writing the completion for ${shell}"
    VERBATIM)
endforeach()
add_custom_target(manual-and-completions ALL DEPENDS ${manual} ${completions})

# ---- The program
install(TARGETS cyclescope RUNTIME COMPONENT program)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${made}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cyclescope
        COMPONENT program)
install(FILES ${made}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME cyclescope.fish
        COMPONENT program)
install(FILES ${made}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _cyclescope
        COMPONENT program)
install(FILES docs/schema/cyclescope-1.json DESTINATION ${CMAKE_INSTALL_DATADIR}/cyclescope COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# ---- The program for MPI, where there is one
if(TARGET cyclescope-mpi)
  set(mpi_manual ${made}/cyclescope-mpi.1)
  add_custom_command(OUTPUT ${mpi_manual}
    COMMAND cyclescope-mpi --print-manual > ${mpi_manual}
    COMMENT "Writing the manual page of cyclescope-mpi"
    VERBATIM)
  add_custom_target(mpi-manual ALL DEPENDS ${mpi_manual})
  install(TARGETS cyclescope-mpi RUNTIME COMPONENT mpi)
  install(FILES ${mpi_manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
endif()

# ---- The library: one archive of all layers but the program's own, so that a user links one file.
if(CYCLESCOPE_BUNDLED)
  return()
endif()
set(library_layers ${CYCLESCOPE_LAYERS})
list(REMOVE_ITEM library_layers serve cli mpi)
foreach(layer IN LISTS library_layers)
  get_target_property(type cyclescope_${layer} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)  # headers only
    list(APPEND library_objects $<TARGET_OBJECTS:cyclescope_${layer}>)
  endif()
endforeach()
add_library(libcyclescope STATIC ${library_objects})
set_target_properties(libcyclescope PROPERTIES OUTPUT_NAME cyclescope)

install(TARGETS libcyclescope ARCHIVE COMPONENT development)
install(DIRECTORY include/cyclescope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(package_files ${CMAKE_INSTALL_LIBDIR}/cmake/cyclescope)
get_filename_component(CYCLESCOPE_LLVM_LIBRARY_FOLDER "${CYCLESCOPE_LLVM_LIBRARY}" DIRECTORY)
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/cyclescopeConfig.cmake.in ${PROJECT_BINARY_DIR}/cyclescopeConfig.cmake
  INSTALL_DESTINATION ${package_files} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cyclescopeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cyclescopeConfig.cmake ${PROJECT_BINARY_DIR}/cyclescopeConfigVersion.cmake
        DESTINATION ${package_files} COMPONENT development)
# From the folder of the .pc file to the prefix, which --prefix may still change.
file(RELATIVE_PATH CYCLESCOPE_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(CYCLESCOPE_LLVM_FLAGS -lLLVM-19)
if(NOT CYCLESCOPE_LLVM_LIBRARY_FOLDER IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  string(PREPEND CYCLESCOPE_LLVM_FLAGS "-L${CYCLESCOPE_LLVM_LIBRARY_FOLDER} ")
endif()
configure_file(cmake/cyclescope.pc.in ${PROJECT_BINARY_DIR}/cyclescope.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cyclescope.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
