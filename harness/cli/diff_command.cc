#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/core/input_error.h"
#include "harness/record/analysis/changes.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/run/column_facts.h"

namespace harness {
namespace {

struct DiffOptions {
  std::string base;
  std::string now;
  std::vector<std::string> metrics;
  bool json = false;
};

void diff(const DiffOptions& options) {
  std::vector<ComparedMetric> metrics = moved_metrics();
  const std::vector<std::string> known = metric_columns();
  for (const std::string& name : options.metrics) {
    if (std::ranges::find(known, name) == known.end())
      throw_unknown({"", 0, "--metric"}, "metric", name, known);
    if (std::ranges::none_of(metrics, [&](const ComparedMetric& metric) { return metric.name == name; }))
      metrics.push_back({name, better_of(name), {}});
  }
  const Changes changes = changes_between(read_summary_with_settings(options.base),
                                          read_summary_with_settings(options.now), metrics);
  if (changes.files.pairs == 0)
    throw input_error({options.now, 0, ""}, "no cell of " + options.base, "results with cells in common");
  print_text(options.json ? changes_json(changes) : changes_text(changes));
}

}  // namespace

void add_diff_command(CLI::App& app, int& /*exit_code*/) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command =
      app.add_subcommand("diff", "Tell which settings differ between two results files, and what moved");
  command->footer(
      "Cells are paired by what they are, and metrics by seed: a difference whose 95 % confidence interval\n"
      "holds 0 is noise. harness compare judges instead, by tolerances; harness report draws it.\n"
      "Examples:\n"
      "  harness diff before.h5 after.h5\n"
      "  harness diff before.h5 after.h5 --metric gpu_utilisation --json");
  command->add_option("base", options->base, "results to start from (HDF5)")
      ->required()
      ->type_name("BASE.h5");
  command->add_option("new", options->now, "results to compare with them (HDF5)")
      ->required()
      ->type_name("NEW.h5");
  command->add_option("--metric", options->metrics, "also this numeric column of /summary; repeatable")
      ->type_name("COLUMN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", options->json, "as JSON (docs/commands.md)");
  command->callback([options] { diff(*options); });
}

}  // namespace harness
