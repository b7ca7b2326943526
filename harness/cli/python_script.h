// Programs in Python that commands start.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// Runs `script`, a path from home_folder(), with these arguments and waits for its end. The script writes to
/// the output of this process. The environment variable HARNESS_PYTHON names the interpreter; if it is not
/// set, the interpreter is the one that the build found. Returns 0, or exit code 2 or 3, whose reason the
/// script has printed. Throws EnvironmentError(`failure`) for any other code, and EnvironmentError if the
/// script or the interpreter is missing.
int run_python_script(const std::string& script, std::vector<std::string> arguments,
                      const std::string& failure);

}  // namespace harness
