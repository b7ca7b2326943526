#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/launch.h"
#include "harness/fit/run_fit.h"

namespace harness {

void add_fit_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<FitRun>();
  const auto quiet = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "fit", "Search what a paper leaves open for the setting that agrees best with its claims");
  command->footer(
      "The same command finishes what was interrupted. docs/fit.md describes the file.\n"
      "Examples:\n"
      "  harness fit experiments/pard/best-fit.toml --dry-run      # claims, points and cells; nothing "
      "written\n"
      "  mpirun -n 2 harness fit experiments/pard/best-fit.toml\n"
      "Exit codes: 0 done; 2 bad input; 3 the environment failed or interrupted.");
  command->add_option("file", options->file, "the file of the fit")->required()->type_name("FILE.toml");
  command->add_option("-o,--output", options->folder, "folder for the results (default: results-out)")
      ->type_name("DIR");
  command->add_flag("--dry-run", options->dry_run, "print what would run; write nothing");
  command->add_flag("--fresh", options->fresh, "start over");
  command->add_flag("--quiet", *quiet, "no progress on standard error");
  add_ranks_option(*command);
  command->callback([options, quiet, command, &exit_code] {
    if (*quiet) options->progress = ProgressForm::kQuiet;
    launch_if_asked(*command, !*quiet);
    exit_code = run_fit(*options);
  });
}

}  // namespace harness
