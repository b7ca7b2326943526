#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/printing.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/storing/replay_results.h"

namespace harness {
namespace {

struct ReplayOptions {
  std::string results;
  std::string other;
  std::string folder = ".";
  std::vector<std::string> libraries;
  bool json = false;
};

void replay(const ReplayOptions& options, int& exit_code) {
  for (const std::string& library : options.libraries) load_system_library(library, {"", 0, "--library"});
  const ReplayVerdict verdict = options.other.empty() ? replay_results(options.results, options.folder)
                                                      : compare_replays(options.results, options.other);
  print_text(options.json ? verdict.json : verdict.text);
  if (verdict.differs) exit_code = 1;
}

}  // namespace

CLI::Option* add_library_option(CLI::App& command, std::vector<std::string>& libraries) {
  return command
      .add_option("--library", libraries, "load this library, where the runs were of its systems; repeatable")
      ->type_name("FILE.so")
      ->allow_extra_args(false);
}

std::array<CLI::Option*, 2> add_run_again_options(CLI::App& command, std::string& folder,
                                                  std::vector<std::string>& libraries) {
  CLI::Option* const in_folder =
      command.add_option("--folder", folder, "folder of the experiment file, where its relative paths start")
          ->type_name("DIR")
          ->capture_default_str()
          ->check(CLI::ExistingDirectory);
  return {in_folder, add_library_option(command, libraries)};
}

void add_replay_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand(
      "replay", "Verify recorded decisions, or find the first difference between two runs");
  command->footer(
      "With one file, each queue's scheduler is made again and fed what reached it in the run\n"
      "([record] replay = true keeps that); the first decision that differs is shown. With two files, the "
      "first\n"
      "difference between their cells: in what reached a queue, then in what was decided. Cells without a\n"
      "replay are compared by their fingerprints, then by their visits. Routers and controllers are not "
      "recorded:\n"
      "what they gave a queue is (docs/replay.md).\n"
      "Examples:\n"
      "  harness quickstart.toml --set record.replay=true\n"
      "  harness replay results-out/quickstart.h5\n"
      "  harness replay before.h5 after.h5\n"
      "Exit codes: 0 nothing differs; 1 something does; 2 no replay, another pipeline, nothing to compare.");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  CLI::Option* other =
      command->add_option("other", options->other, "results to compare with")->type_name("OTHER.h5");
  for (CLI::Option* option : add_run_again_options(*command, options->folder, options->libraries))
    option->excludes(other);
  command->add_flag("--json", options->json, "what was found as JSON (docs/commands.md)");
  command->callback([options, &exit_code] { replay(*options, exit_code); });
}

}  // namespace harness
