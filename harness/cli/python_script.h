// Programs in Python that commands start.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// Runs `script`, a path from the home folder, with these arguments and waits for it; its output goes to
/// ours. The interpreter is named by the environment variable HARNESS_PYTHON, or else is the one that the
/// build found. Returns 0, or the exit code 2 or 3, of which the script has said why. Throws
/// EnvironmentError(`failure`) for other codes, and EnvironmentError if the script or the interpreter is
/// missing.
int run_python_script(const std::string& script, std::vector<std::string> arguments,
                      const std::string& failure);

}  // namespace harness
