#include "harness/cli/show_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "harness/core/error.h"
#include "harness/record/results_file.h"
#include "harness/record/summary_text.h"

namespace harness {
namespace {

struct ShowOptions {
  std::string results;
  bool json = false;
  bool csv = false;
  std::vector<std::string> columns;
};

void require_known(const std::vector<std::string>& columns) {
  const std::vector<std::string> known = summary_columns();
  for (const std::string& column : columns) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    const std::string nearest = nearest_name(column, known);
    throw input_error({"", 0, "--columns"}, column,
                      nearest.empty() ? join_names(known) : "a column, such as " + nearest);
  }
}

void show(const ShowOptions& options) {
  require_known(options.columns);
  const std::vector<SummaryRow> rows = read_summary(options.results);
  std::vector<std::string> columns = options.columns;
  if (columns.empty()) columns = options.json || options.csv ? summary_columns() : usual_columns(rows);
  const std::string text = options.json  ? summary_json(rows, columns)
                           : options.csv ? summary_csv(rows, columns)
                                         : summary_table(rows, columns);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw EnvironmentError("standard output: cannot be written");
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Print a row per cell of a results file");
  command->footer(
      "Examples:\n"
      "  harness show quickstart.h5\n"
      "  harness show quickstart.h5 --columns system,load,goodput_rps,bound_share\n"
      "  harness show quickstart.h5 --json | jq '.[] | select(.system == \"pard\") | .goodput_rps'");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  CLI::Option* json =
      command->add_flag("--json", options->json, "all columns as JSON, numbers in full precision");
  command->add_flag("--csv", options->csv, "all columns as CSV, numbers in full precision")->excludes(json);
  command->add_option("--columns", options->columns, "only these columns, in this order")
      ->delimiter(',')
      ->type_name("A,B,C");
  command->callback([options] { show(*options); });
}

}  // namespace harness
