# What `cmake --install` puts where: the program with its manual, completions, schema and licence, and the library
# with its headers and package files. The program itself says what the manual and the completions are, so that they
# cannot differ from its --help; that takes the emulator where another architecture's program was built.
include(GNUInstallDirs)

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

set(data ${CMAKE_INSTALL_DATADIR})
install(TARGETS cyclescope RUNTIME COMPONENT program)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${made}/completion.bash DESTINATION ${data}/bash-completion/completions RENAME cyclescope
        COMPONENT program)
install(FILES ${made}/completion.fish DESTINATION ${data}/fish/vendor_completions.d RENAME cyclescope.fish
        COMPONENT program)
install(FILES ${made}/completion.zsh DESTINATION ${data}/zsh/vendor-completions RENAME _cyclescope
        COMPONENT program)
install(FILES docs/schema/cyclescope-1.json DESTINATION ${data}/cyclescope COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
