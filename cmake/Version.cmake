# What `cyclescope --version` says. The commit is looked up at configure time; outside a checkout it is "unknown".
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
                WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE CYCLESCOPE_COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT CYCLESCOPE_COMMIT)
  set(CYCLESCOPE_COMMIT unknown)
endif()
