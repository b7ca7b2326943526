#include "harness/cli/python_script.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/experiment/cells/cell_distribution.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

std::string environment_or(const char* variable, const char* otherwise) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

}  // namespace

int run_python_script(const std::string& script, std::vector<std::string> arguments,
                      const std::string& failure) {
  const std::string path = home_folder() + "/" + script;
  if (!std::filesystem::exists(path)) throw EnvironmentError(path + ": not found (set HARNESS_HOME)");
  arguments.insert(arguments.begin(), {environment_or("HARNESS_PYTHON", HARNESS_PYTHON), path});
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (error != 0) throw EnvironmentError(arguments[0] + ": cannot be started: " + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw EnvironmentError(arguments[0] + ": cannot be waited for: " + std::strerror(errno));
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code != 0 && code != kBadInput && code != kEnvironment) throw EnvironmentError(failure);
  return code;
}

}  // namespace harness
