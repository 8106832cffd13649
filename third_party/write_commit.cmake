# Writes OUT, which says which commit of SOURCE is built (COMMIT where it is given); only where that has changed, so that
# nothing is compiled again without need. Run by every build.
set(commit "${COMMIT}")
if(NOT commit)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=+changes --abbrev=10 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
set(text "namespace headscope::cli {
extern const char* const kCommit;
const char* const kCommit = \"${commit}\";
}  // namespace headscope::cli
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
