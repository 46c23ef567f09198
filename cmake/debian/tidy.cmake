# Run by CPack on what is to be packed: Debian wants manual pages and changelogs compressed, and a copyright file.
file(GLOB roots ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(root IN LISTS roots)
  file(GLOB manuals ${root}/usr/share/man/man1/*.1)
  foreach(manual IN LISTS manuals)
    execute_process(COMMAND gzip -9n ${manual} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()

  # Each component goes into the package of its name.
  get_filename_component(component ${root} NAME)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(documents ${root}/usr/share/doc/${package})
  file(REMOVE ${documents}/LICENSE)  # the copyright file says where Debian keeps it
  configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright ${documents}/copyright COPYONLY)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${documents}/changelog.Debian @ONLY)
  execute_process(COMMAND gzip -9n ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides
                 ${root}/usr/share/lintian/overrides/${package} COPYONLY)
endforeach()
