#include "harness/cli/launch.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/ranks/mpi_launch.h"

namespace harness {
namespace {

constexpr const char* kOption = "--ranks";
constexpr int kMaxRanks = 100'000;

std::optional<int> ranks_of(const CLI::App& command) {
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    const CLI::Option* option = at->get_option_no_throw(kOption);
    if (option != nullptr && option->count() > 0) return option->as<int>();
  }
  return std::nullopt;
}

/// Returns the arguments of this process without the option.
std::vector<std::string> other_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> all;
  for (std::string word; std::getline(file, word, '\0');) all.push_back(word);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::string& word = all[i];
    if (word == "-n" || word == kOption)
      ++i;  // and its value
    else if (!word.starts_with(std::string(kOption) + "=") &&
             !(word.starts_with("-n") && !word.starts_with("--")))
      others.push_back(word);
  }
  return others;
}

/// Returns the words as a shell would read them again.
std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_of(" \t\n'\"\\$`*?[](){}<>|&;#~!") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    text += (text.empty() ? "" : " ") + (is_plain ? word : quoted + "'");
  }
  return printable(text);
}

bool has_mpirun() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/mpirun").c_str(), X_OK) == 0) return true;
  }
  return false;
}

[[noreturn]] void replace_by(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
  ::execvp(arguments[0], arguments.data());
  throw EnvironmentError(words[0] + ": cannot be started: " + std::strerror(errno));
}

}  // namespace

void add_ranks_option(CLI::App& command) {
  command.add_option("-n,--ranks", "start on so many MPI ranks, as mpirun -n N does")
      ->type_name("N")
      ->check(CLI::Range(1, kMaxRanks));
}

void launch_if_asked(const CLI::App& command, bool speaks, int otherwise) {
  const std::optional<int> asked = ranks_of(command);
  if (!asked && (otherwise == 1 || is_launched() || !has_mpirun())) return;
  const int ranks = asked.value_or(otherwise);
  if (is_launched())
    throw input_error({"", 0, "command line"}, "-n within mpirun, which started this program",
                      "mpirun -n N harness ..., or harness -n N ... without it");
  if (ranks == 1) return;
  if (::geteuid() == 0) {
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
      setenv(name, "1", 0);
  }
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(ranks)};
  // mpirun counts cores; ranks that simulate may well share them.
  if (mpi_library().starts_with("Open MPI")) words.emplace_back("--oversubscribe");
  std::error_code error;
  words.push_back(std::filesystem::read_symlink("/proc/self/exe", error).string());
  const std::vector<std::string> others = other_arguments();
  words.insert(words.end(), others.begin(), others.end());
  if (speaks) std::fprintf(stderr, "harness: %s\n", command_text(words).c_str());
  replace_by(words);
}

}  // namespace harness
