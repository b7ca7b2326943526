#include "harness/cli/python_script.h"

#include "harness/core/environment_error.h"
#include "harness/core/exit_codes.h"
#include "workloads/catalogue/run_python.h"

namespace harness {

int run_python_script(const std::string& script, std::vector<std::string> arguments,
                      const std::string& failure) {
  const int code = run_python(script, std::move(arguments), ProgramOutput::kOurs).exit_code;
  if (code != 0 && code != kBadInput && code != kEnvironment) throw EnvironmentError(failure);
  return code;
}

}  // namespace harness
