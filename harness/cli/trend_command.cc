#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/python_script.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

struct TrendOptions {
  std::vector<std::string> results;
  std::vector<std::string> metrics;
  std::string output;
};

int show_trend(const TrendOptions& options) {
  for (const std::string& path : options.results) {
    require_own_objects(path);
    read_summary(path);  // refuses what is no sound results file
  }
  std::vector<std::string> words;
  for (const std::string& metric : options.metrics) words.push_back("--metric=" + metric);
  if (!options.output.empty()) words.push_back("--output=" + options.output);
  words.emplace_back("--");
  words.insert(words.end(), options.results.begin(), options.results.end());
  return run_python_script("results/report/trend.py", std::move(words),
                           "the trend could not be shown (see above)");
}

}  // namespace

void add_trend_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<TrendOptions>();
  CLI::App* command = app.add_subcommand("trend", "Tell how metrics changed over past results");
  command->footer(
      "Examples:\n"
      "  harness trend nightly/*.h5\n"
      "  harness trend nightly/*.h5 --metric latency_ms_p90 -o trend.html\n\n"
      "The files are in the order of time. Per system, workload and metric: the median of the last file "
      "over\n"
      "seeds and repeats, its interval, and where the medians changed (docs/compare.md). Noisy results are\n"
      "judged from 8 files on, with the Python packages scipy and ruptures (ci/setup installs them). Exit\n"
      "codes: 0; 2 a file is no results file, a metric is unknown, or the page would replace one; 3 a "
      "package "
      "is\n"
      "missing or the page cannot be written.");
  command->add_option("results", options->results, "results files (HDF5), the oldest first")
      ->type_name("RESULTS.h5")
      ->required();
  command
      ->add_option("--metric", options->metrics,
                   "a column of /summary; repeatable (default: goodput_rps, slo_attainment, drop_rate,\n"
                   "latency_ms_p99)")
      ->type_name("COLUMN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("-o,--output", options->output, "a page for a browser, with plots")
      ->type_name("FILE.html");
  command->callback([options, &exit_code] { exit_code = show_trend(*options); });
}

}  // namespace harness
