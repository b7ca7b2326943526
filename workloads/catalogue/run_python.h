// Programs in Python that the harness starts.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// Holds the exit code and the errors of a program that has ended.
struct ProgramEnd {
  int exit_code = 0;   ///< exit code; -1 if a signal ended it
  std::string errors;  ///< its standard error, if that was caught
};

/// Says where the output of a program goes.
enum class ProgramOutput {
  kOurs,        ///< to the output of this process, as its errors do
  kOursCaught,  ///< to the output of this process; its errors are caught
  kNoneCaught,  ///< nowhere; its errors are caught
};

/// Runs SCRIPT, a path from the home folder, with these arguments and waits for its end. The program reads
/// `input` from its standard input, or this process's input if `input` is empty. The interpreter is the
/// environment variable HARNESS_PYTHON or else the one that the build found. Throws EnvironmentError if the
/// script or the interpreter does not exist. May be called by several threads and while MPI runs.
ProgramEnd run_python(const std::string& script, std::vector<std::string> arguments, ProgramOutput output,
                      const std::string& input = "");

}  // namespace harness
