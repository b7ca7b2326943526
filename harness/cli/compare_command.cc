#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/printing.h"
#include "harness/cli/terminal.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/running/measured_cells.h"
#include "harness/files/file_bytes.h"
#include "harness/record/analysis/comparison_text.h"
#include "harness/record/analysis/fidelity_text.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

struct CompareOptions {
  std::string base;
  std::string now;
  std::string fidelity;
  bool measured_times = false;
  std::string folder = ".";
  std::vector<std::string> libraries;
  std::string within;
  std::vector<std::string> tolerances;
  std::string junit;
  bool json = false;
};

std::vector<ComparedMetric> chosen(std::vector<ComparedMetric> metrics, const CompareOptions& options) {
  for (const std::string& tolerance : options.tolerances) set_tolerance(metrics, tolerance);
  return metrics;
}

/// Returns "4 problems, first A": the number comes first, so that it survives if the end is cut off.
std::string first_of(const std::vector<std::string>& texts) {
  return texts.size() > 1 ? std::to_string(texts.size()) + " problems, first " + texts.front()
                          : texts.front();
}

void compare_files(const CompareOptions& options, int& exit_code) {
  if (options.now.empty())
    throw input_error({"", 0, "command line"}, options.base.empty() ? "no results file" : "one results file",
                      "harness compare BASE.h5 NEW.h5, or harness compare --fidelity RESULTS.h5");
  const std::vector<ComparedMetric> metrics = chosen(usual_metrics(), options);
  const std::vector<SummaryRow> base = read_summary_with_settings(options.base);
  const std::vector<SummaryRow> now = read_summary_with_settings(options.now);
  const Comparison comparison = compare(base, now, metrics);
  if (options.json)
    print_text(comparison_json(comparison));
  else
    print_verdicts(comparison_table(comparison));
  if (!options.junit.empty()) write_file(options.junit, comparison_junit(comparison));
  if (!comparison.problems.empty())
    throw input_error({options.now, 0, ""}, first_of(comparison.problems),
                      "the cells of " + options.base + ", under the same load");
  if (comparison.regressions() > 0) exit_code = 1;
}

/// Returns "2 live cells without a simulated one, 1 simulated cell without a live one"; each is named above
/// it.
std::string alone_text(const Fidelity& fidelity) {
  const std::size_t simulated = fidelity.alone.size() - fidelity.live_alone;
  std::string text;
  if (fidelity.live_alone > 0) text = counted(fidelity.live_alone, "live cell") + " without a simulated one";
  if (simulated > 0)
    text += (text.empty() ? "" : ", ") + counted(simulated, "simulated cell") + " without a live one";
  return text.empty() ? "no cell that ran" : text;
}

std::string slowdown_text(const TextTable& slowdowns) {
  return (slowdowns.rows.empty() ? "no batch of a valid cell took any time\n" : aligned_text(slowdowns)) +
         "\n";
}

void judge_fidelity(const CompareOptions& options, int& exit_code) {
  const std::vector<ComparedMetric> metrics =
      chosen(options.within.empty() ? rate_metrics() : service_metrics("--within", options.within), options);
  Fidelity fidelity;
  TextTable slowdowns;
  if (options.measured_times) {
    for (const std::string& library : options.libraries) load_system_library(library, {"", 0, "--library"});
    const MeasuredCells cells = simulate_with_measured_times(options.fidelity, options.folder);
    fidelity = fidelity_of(cells.pairs, metrics);
    slowdowns = slowdown_table(cells.slowdowns);
  } else {
    fidelity = fidelity_of(read_summary(options.fidelity), metrics);
  }
  if (options.json)
    print_text(fidelity_json(fidelity, options.measured_times ? &slowdowns : nullptr));
  else
    print_verdicts((options.measured_times ? slowdown_text(slowdowns) : "") + fidelity_table(fidelity));
  if (!options.junit.empty()) write_file(options.junit, fidelity_junit(fidelity));
  if (!fidelity.alone.empty() || fidelity.rows.empty())
    throw input_error({options.fidelity, 0, ""}, alone_text(fidelity),
                      "each cell simulated and live (runtime = [\"simulated\", \"emulated\"] or "
                      "[\"simulated\", \"gpu\"])");
  if (fidelity.count_of(FidelityVerdict::kWithin) < fidelity.rows.size()) exit_code = 1;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Find regressions between two results files, or compare simulated with live cells");
  command->footer(
      "Cells are paired by what they are, and a metric that became worse by more than its tolerance in any\n"
      "cell is a regression. With --fidelity the simulated cells of a file are compared with its live ones.\n"
      "Examples:\n"
      "  harness compare results/baselines/regress.h5 results-out/regress.h5 --junit regress.xml\n"
      "  harness compare base.h5 new.h5 --tolerance drop_rate=0.02 --tolerance goodput_rps=5%\n"
      "  harness compare --fidelity results-out/fidelity.h5\n"
      "  harness compare --fidelity results-out/quickstart-torch-fidelity.h5 --within 5%\n"
      "  harness compare --fidelity results-out/quickstart-torch.h5 --measured-times --folder experiments "
      "--within "
      "5%\n"
      "Exit codes: 0 all well; 1 a regression, or a difference beyond its tolerance; 2 not comparable: a "
      "file\n"
      "is missing, or a cell is in one only or was given another load. docs/compare.md describes it "
      "all.");
  CLI::Option* base =
      command->add_option("base", options->base, "results to compare with (HDF5)")->type_name("BASE.h5");
  CLI::Option* now = command->add_option("new", options->now, "results to judge (HDF5)")->type_name("NEW.h5");
  CLI::Option* fidelity =
      command
          ->add_option("--fidelity", options->fidelity,
                       "compares the simulated cells of this file with its live ones instead")
          ->excludes(base)
          ->excludes(now)
          ->type_name("RESULTS.h5");
  CLI::Option* measured_times =
      command
          ->add_flag(
              "--measured-times", options->measured_times,
              "fidelity: simulates cells on devices with the batch times measured in their run instead of "
              "the profile's")
          ->needs(fidelity);
  for (CLI::Option* option : add_run_again_options(*command, options->folder, options->libraries))
    option->needs(measured_times);
  command
      ->add_option(
          "--within", options->within,
          "fidelity: judges goodput and the latencies at p50, p90 and p99 instead of the rates, each by this "
          "tolerance")
      ->needs(fidelity)
      ->type_name("VALUE");
  command
      ->add_option(
          "--tolerance", options->tolerances,
          "how much a metric may change: 0.01 of its own unit (1 point of a share), or 5%; also adds "
          "a column of /summary; repeatable")
      ->type_name("METRIC=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--junit", options->junit, "also writes a JUnit report")->type_name("FILE");
  command->add_flag("--json", options->json, "everything as JSON");
  command->callback([options, &exit_code] {
    if (options->fidelity.empty()) {
      compare_files(*options, exit_code);
    } else {
      judge_fidelity(*options, exit_code);
    }
  });
}

}  // namespace harness
