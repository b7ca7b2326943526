#include "harness/cli/python_script.h"

#include "harness/core/error.h"
#include "harness/experiment/cells/cell_distribution.h"
#include "workloads/catalogue/python_program.h"

namespace harness {

int run_python_script(const std::string& script, std::vector<std::string> arguments,
                      const std::string& failure) {
  const int code = run_python(script, std::move(arguments), ProgramOutput::kOurs).exit_code;
  if (code != 0 && code != kBadInput && code != kEnvironment) throw EnvironmentError(failure);
  return code;
}

}  // namespace harness
