# Writes OUTPUT with the commit of SOURCE, only when it changes: cmake -DSOURCE=... -DOUTPUT=... -P write_git_info.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
set(dirty false)
if(failed)
  set(commit unknown)
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Written by write_git_info.cmake.
#include \"harness/core/build_info.h\"

namespace harness {
const char* const kGitCommit = \"${commit}\";
const bool kGitDirty = ${dirty};
}  // namespace harness
")
