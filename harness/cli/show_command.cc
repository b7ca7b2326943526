#include "harness/cli/show_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "harness/cli/print_text.h"
#include "harness/core/error.h"
#include "harness/record/paired_text.h"
#include "harness/record/results_file.h"
#include "harness/record/summary_text.h"

namespace harness {
namespace {

struct ShowOptions {
  std::string results;
  bool json = false;
  bool csv = false;
  std::vector<std::string> columns;
  std::string paired;
  std::string baseline = "pard";
};

void require_known(const char* option, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string nearest = nearest_name(name, known);
  throw input_error({"", 0, option}, name,
                    nearest.empty() ? join_names(known) : "a known name, such as " + nearest);
}

std::string cells_text(const ShowOptions& options, const std::vector<SummaryRow>& rows) {
  std::vector<std::string> columns = options.columns;
  if (columns.empty()) columns = options.json || options.csv ? summary_columns() : usual_columns(rows);
  return options.json  ? summary_json(rows, columns)
         : options.csv ? summary_csv(rows, columns)
                       : summary_table(rows, columns);
}

std::string paired_text(const ShowOptions& options, const std::vector<SummaryRow>& rows) {
  const std::vector<WorkloadCells> workloads = by_workload(rows);
  if (workloads.empty())
    throw input_error({options.results, 0, ""}, "no cell that ran", "results to compare");
  require_known("--baseline", options.baseline, series_names(workloads));
  const TextTable table =
      paired_table(workloads, options.paired, options.baseline, options.json || options.csv);
  return options.json ? json_text(table) : options.csv ? csv_text(table) : aligned_text(table);
}

void show(const ShowOptions& options) {
  for (const std::string& column : options.columns) require_known("--columns", column, summary_columns());
  if (!options.paired.empty()) require_known("--paired", options.paired, metric_columns());
  const std::vector<SummaryRow> rows = read_summary(options.results);
  const std::string text = options.paired.empty() ? cells_text(options, rows) : paired_text(options, rows);
  print_text(text);
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("show", "Print a row per cell of a results file, or compare series seed by seed");
  command->footer(
      "Examples:\n"
      "  harness show quickstart.h5\n"
      "  harness show quickstart.h5 --columns system,load,goodput_rps,bound_share\n"
      "  harness show overall.h5 --paired goodput_rps --baseline nexus\n"
      "  harness show quickstart.h5 --json | jq '.[] | select(.system == \"pard\") | .goodput_rps'");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  CLI::Option* json =
      command->add_flag("--json", options->json, "all columns as JSON, numbers in full precision");
  command->add_flag("--csv", options->csv, "all columns as CSV, numbers in full precision")->excludes(json);
  CLI::Option* columns =
      command->add_option("--columns", options->columns, "only these columns, in this order")
          ->delimiter(',')
          ->type_name("A,B,C");
  CLI::Option* paired =
      command
          ->add_option("--paired", options->paired,
                       "a row per workload and series: the metric's mean, its difference and ratio to the "
                       "baseline seed by seed, 95 % intervals, share of the bound")
          ->excludes(columns)
          ->type_name("METRIC");
  command
      ->add_option("--baseline", options->baseline,
                   "the series that the others are compared with: a system, or SYSTEM/VARIANT; where its own "
                   "parameters are swept, followed by them, as in \"pard lambda=0.2\" (--paired prints all)")
      ->needs(paired)
      ->type_name("SERIES")
      ->capture_default_str();
  command->callback([options] { show(*options); });
}

}  // namespace harness
