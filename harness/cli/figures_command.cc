#include "harness/cli/figures_command.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "harness/core/error.h"
#include "harness/record/results_file.h"

namespace harness {
namespace {

struct FiguresOptions {
  std::string results;
  std::string folder;
  int limit = 12;
};

std::string environment_or(const char* variable, const char* otherwise) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

/// Runs the program and waits for it; its output goes to ours.
void run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) throw EnvironmentError(words[0] + ": cannot be started: " + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw EnvironmentError(words[0] + ": cannot be waited for: " + std::strerror(errno));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw EnvironmentError("the figures could not be drawn (see above)");
  }
}

void draw(FiguresOptions options) {
  const std::vector<SummaryRow> rows = read_summary(options.results);
  if (std::none_of(rows.begin(), rows.end(), [](const SummaryRow& row) { return row.status == "ok"; })) {
    throw input_error({options.results, 0, "summary"}, "no cell with results to draw",
                      "at least one that is ok");
  }
  if (options.folder.empty()) {
    const std::filesystem::path results(options.results);
    options.folder = (results.parent_path() / (results.stem().string() + "-figures")).string();
  }
  const std::string home = environment_or("HARNESS_HOME", HARNESS_SOURCE_FOLDER);
  const std::string script = home + "/results/figures/draw.py";
  if (!std::filesystem::exists(script)) throw EnvironmentError(script + ": not found (set HARNESS_HOME)");
  run({environment_or("HARNESS_PYTHON", HARNESS_PYTHON), script, options.results, "-o", options.folder,
       "--limit", std::to_string(options.limit)});
}

}  // namespace

void add_figures_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto options = std::make_shared<FiguresOptions>();
  CLI::App* command = app.add_subcommand("figures", "Draw the figures of a results file as PDF and PNG");
  command->footer(
      "Examples:\n"
      "  harness figures quickstart.h5\n"
      "  harness figures quickstart.h5 -o figures --limit 2");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  command
      ->add_option("-o", options->folder, "folder for the figures (default: RESULTS-figures beside the file)")
      ->type_name("DIR");
  command
      ->add_option(
          "--limit", options->limit,
          "workloads (pipeline, trace, load) that get figures of their own, the first ones of the file")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->callback([options] { draw(*options); });
}

}  // namespace harness
