#include "workloads/catalogue/run_python.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/core/environment_error.h"
#include "harness/files/file_writer.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

std::string interpreter() {
  const char* value = std::getenv("HARNESS_PYTHON");
  return value != nullptr && *value != '\0' ? value : HARNESS_PYTHON;
}

/// The ends of a pipe that no other program inherits.
struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw EnvironmentError(std::string("no pipe can be made: ") + std::strerror(errno));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends[0]);
    close_writer();
  }
  void close_writer() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }

  int ends[2] = {-1, -1};
};

/// A file in memory that a program reads as its input.
class InputText {
 public:
  explicit InputText(const std::string& text) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    const int error = descriptor_ < 0 ? errno : write_fully(descriptor_, text);
    if (error != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0)
      throw EnvironmentError(std::string("no memory for the input of a program: ") + std::strerror(error));
  }
  InputText(const InputText&) = delete;
  InputText& operator=(const InputText&) = delete;
  ~InputText() { ::close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Reads the pipe to its end.
std::string all_of(const Pipe& pipe) {
  std::string text;
  char chunk[4096];
  for (;;) {
    const ssize_t count = ::read(pipe.ends[0], chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(chunk, static_cast<std::size_t>(count));
  }
}

}  // namespace

ProgramEnd run_python(const std::string& script, std::vector<std::string> arguments, ProgramOutput output,
                      const std::string& input) {
  const std::string path = home_folder() + "/" + script;
  if (!std::filesystem::exists(path)) throw EnvironmentError(path + ": not found (set HARNESS_HOME)");
  arguments.insert(arguments.begin(), {interpreter(), path});
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  std::fflush(stdout);
  Pipe errors;
  const InputText text(input);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (output != ProgramOutput::kOurs) ::posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
  if (output == ProgramOutput::kNoneCaught)
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!input.empty()) ::posix_spawn_file_actions_adddup2(&actions, text.descriptor(), 0);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw EnvironmentError(arguments[0] + ": cannot be started: " + std::strerror(error));
  errors.close_writer();
  ProgramEnd end;
  end.errors = all_of(errors);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw EnvironmentError(arguments[0] + ": cannot be waited for: " + std::strerror(errno));
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return end;
}

}  // namespace harness
