#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/launch.h"
#include "harness/cli/printing.h"
#include "harness/cli/python_script.h"
#include "harness/cli/robust_steps.h"
#include "harness/core/exit_codes.h"
#include "harness/core/wording.h"
#include "harness/experiment/running/driver.h"
#include "harness/experiment/running/run_console.h"
#include "harness/experiment/running/run_options.h"
#include "harness/machine/pinned_thread.h"
#include "harness/ranks/mpi_launch.h"

namespace harness {
namespace {

constexpr int kUsualRanks = 4;  // at most so many, and no more than there are cores, without -n

struct RobustOptions {
  RunOptions run;
  std::vector<std::string> over;
  std::string metric;
  int cells = 0;
};

/// Returns the options as texts of --set for [robustness], then the texts of --set itself, which may replace
/// them.
std::vector<std::string> overrides_of(const RobustOptions& options) {
  std::vector<std::string> texts;
  for (const std::string& over : options.over) {
    if (over.find('=') == std::string::npos)
      throw input_error({"", 0, "--over"}, over, "KEY=VALUE, such as serving.commit=late");
    texts.push_back("robustness.over." + over);
  }
  if (!options.metric.empty()) texts.push_back("robustness.metric=" + options.metric);
  if (options.cells > 0) texts.push_back("robustness.cells=" + std::to_string(options.cells));
  texts.insert(texts.end(), options.run.overrides.begin(), options.run.overrides.end());
  return texts;
}

std::string plan_text(const RobustPlan& plan) {
  std::string text = formatted("%7zu  %s\n", plan.own_cells, kAsWritten);
  std::size_t cells = plan.own_cells;
  for (const RobustStep& step : plan.steps) {
    if (!step.why_not.empty()) {
      text += formatted("%7s  %s: %s\n", "-", step.name.c_str(), step.why_not.c_str());
      continue;
    }
    text += formatted("%7zu  %s\n", step.cells, step.name.c_str());
    cells += step.cells;
  }
  return text + counted(cells, "cell") + "\n";
}

int run_robust(const RobustOptions& options, const CLI::App& command) {
  const RobustPlan plan = plan_robust(options.run.file, overrides_of(options));
  if (options.run.dry_run) {
    if (launched_rank() == 0) print_text(plan_text(plan));
    return kAllWell;
  }
  const auto cores = static_cast<int>(allowed_cores().size());
  launch_if_asked(command, options.run.progress == ProgressForm::kText, std::clamp(cores, 1, kUsualRanks));
  RunOptions run = options.run;
  run.file = plan.file;
  run.text = plan.text;
  run.overrides.clear();
  run.json = false;
  run.allow_skipped = true;
  run.says_end = false;
  const int code = run_experiment(run);
  if (code != kAllWell || launched_rank() != 0) return code;
  const std::filesystem::path stem =
      std::filesystem::path(run.folder) / std::filesystem::path(plan.file).stem();
  std::vector<std::string> words = {stem.string() + ".h5"};
  if (options.run.json) words.emplace_back("--json");
  const int read =
      run_python_script("results/robust/robust.py", words, "the results could not be judged (see above)");
  if (read != kAllWell || options.run.json) return read;
  return run_python_script("results/figures/draw.py",
                           {stem.string() + ".h5", "-o", stem.string() + "-figures"},
                           "the figure could not be drawn (see above)");
}

}  // namespace

void add_robust_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RobustOptions>();
  CLI::App* command = app.add_subcommand(
      "robust", "Find which orders of an experiment's systems hold under other shared settings");
  command->footer(
      "Runs the experiment as it is written and, a step away, with other values of serving.commit,\n"
      "serving.queue, planner.sizing_factor, the systems' readings of their papers, execution times,\n"
      "cluster.jitter and serving.dispatch, with the same seeds. Says which orders hold, which turn and by\n"
      "what. [robustness] of the experiment says more (docs/robust.md). The same command finishes what was\n"
      "interrupted. Without -n it takes a rank for each core, at most four.\n"
      "Exit codes: 0 done, whatever turns; 2 bad input; 3 the environment failed.\n"
      "Examples:\n"
      "  harness robust experiments/quickstart.toml\n"
      "  harness robust E.toml --dry-run                      # steps and cells; nothing written\n"
      "  harness robust E.toml --over 'cluster.network_delay_ms=[1, 5]' --set robustness.standard=false");
  command->add_option("file", options->run.file, "the experiment")->required()->type_name("FILE.toml");
  command->add_option("-o,--output", options->run.folder, "folder for the results (default: results-out)")
      ->type_name("DIR");
  command->add_option("--set", options->run.overrides, "set a key of the experiment; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--over", options->over,
                   "try these values of a key of the experiment, in place of its standard ones; repeatable")
      ->type_name("KEY=VALUES")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--metric", options->metric, "order by this column (default: goodput_rps)")
      ->type_name("COLUMN");
  command->add_option("--cells", options->cells, "budget: leave out steps beyond so many (default: 1000)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--json", options->run.json, "print the verdicts as JSON (docs/commands.md)");
  command->add_flag("--dry-run", options->run.dry_run, "print the steps and their cells; write nothing");
  command->add_flag("--fresh", options->run.fresh, "start over");
  const auto quiet = std::make_shared<bool>(false);
  command->add_flag("--quiet", *quiet, "no progress on standard error");
  add_ranks_option(*command);
  command->callback([options, quiet, command, &exit_code] {
    if (*quiet) options->run.progress = ProgressForm::kQuiet;
    exit_code = run_robust(*options, *command);
  });
}

}  // namespace harness
