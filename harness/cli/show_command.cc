#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "harness/cli/printing.h"
#include "harness/cli/terminal.h"
#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/core/wording.h"
#include "harness/files/table_reader.h"
#include "harness/record/analysis/length_notes.h"
#include "harness/record/analysis/paired_table.h"
#include "harness/record/analysis/summary_table.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/run/column_facts.h"
#include "harness/text/fitted_text.h"

namespace harness {
namespace {

constexpr const char* kUsualBaseline = "pard";
constexpr const char* kHowToSeeAll = "(everything: --csv, --json, or | less -S)";

struct ShowOptions {
  std::string results;
  bool json = false;
  bool csv = false;
  std::string format;
  std::vector<std::string> filters;
  std::string sort;
  std::vector<std::string> columns;
  bool models = false;
  bool plans = false;
  std::string paired;
  std::string baseline;  ///< baseline; "": default_baseline()
};

void require_known(const char* option, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw_unknown({"", 0, option}, "name", name, known);
}

TextTable cells_table(const ShowOptions& options, const std::vector<SummaryRow>& rows) {
  if (!options.columns.empty()) return summary_table(rows, options.columns);
  return summary_table(rows, options.json || options.csv ? summary_columns() : usual_columns(rows));
}

/// Returns the row of a cell that has other tables.
const SummaryRow& row_of(const std::vector<SummaryRow>& rows, std::uint32_t cell) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const SummaryRow& one) { return one.cell.index == cell; });
  HARNESS_CHECK(row != rows.end(), "a table of a cell without a row");
  return *row;
}

/// Begins a row with what the cell is.
void add_cell(TextTable& table, const std::vector<SummaryRow>& rows, const SummaryRow& row) {
  const CellIdentity& cell = row.cell;
  table.add_row();
  table.add({"cell"}, cell.index);
  table.add({"system"}, cell.system);
  table.add({"variant"}, cell.variant);
  table.add({"pipeline"}, cell.pipeline);
  table.add({"trace"}, cell.trace);
  table.add({"load"}, cell.load);
  table.add({"seed"}, cell.seed);
  table.add({"runtime"}, cell.runtime);
  table.add({"slo_ms"}, row.slo_ms);
  const bool parameters = std::any_of(rows.begin(), rows.end(),
                                      [](const SummaryRow& one) { return !one.cell.parameters.empty(); });
  if (parameters) table.add({"parameters"}, cell.parameters);
}

/// Returns a row per cell and module that requests enter, in the order of `counts`.
TextTable entry_table(const std::vector<SummaryRow>& rows, const std::vector<EntryCounts>& counts) {
  TextTable table;
  for (const EntryCounts& entry : counts) {
    const SummaryRow& row = row_of(rows, entry.cell);
    const RequestCounts& requests = entry.requests;
    add_cell(table, rows, row);
    table.add({"model"}, entry.module);
    table.add({"sent"}, requests.sent);
    table.add({"in_time"}, requests.in_time);
    table.add({"late"}, requests.late);
    table.add({"dropped"}, requests.dropped);
    const auto in_time = static_cast<double>(requests.in_time);
    const double measured_s = row.duration_s - row.measured_from_s;
    const auto lost = static_cast<double>(requests.late + requests.dropped);
    table.add({"goodput_rps"}, measured_s > 0 ? in_time / measured_s : kNoValue);
    table.add({"drop_rate"}, requests.sent > 0 ? lost / static_cast<double>(requests.sent) : kNoValue);
  }
  return table;
}

TextTable models_table(const ShowOptions& options, const std::vector<SummaryRow>& rows) {
  const std::vector<EntryCounts> counts = read_entry_counts(options.results);
  if (counts.empty()) {
    throw input_error({options.results, 0, "cells/N/modules"}, "no counts of requests by model",
                      "results with cells that ran, not of an older version or of results/baselines");
  }
  return entry_table(rows, counts);
}

/// Returns the kinds of devices of a cell's cluster, in the order of their numbers; empty if it has none.
std::vector<std::string> device_names(const std::string& file, const std::string& effective_toml) {
  const TomlValue settings = parse_toml(file, effective_toml);
  const TableReader top(file, settings);
  std::vector<std::string> names;
  if (!top.has("cluster")) return names;
  for (const TableReader& device : top.table("cluster").tables("device"))
    names.push_back(device.text("name"));
  return names;
}

/// Returns a row per cell and module of the plan with which the cell began.
TextTable plans_table(const ShowOptions& options) {
  const std::vector<SummaryRow> rows = read_summary_with_settings(options.results);
  const std::vector<StartPlan> plans = read_start_plans(options.results);
  if (plans.empty()) {
    throw input_error({options.results, 0, "cells/N/plans"}, "no plans",
                      "results with cells that ran, not of results/baselines");
  }
  TextTable table;
  std::vector<std::string> devices;
  const SummaryRow* last = nullptr;
  for (const StartPlan& plan : plans) {
    const SummaryRow& row = row_of(rows, plan.cell);
    if (&row != last) devices = device_names(options.results, row.cell.effective_toml);
    last = &row;
    add_cell(table, rows, row);
    table.add({"module"}, plan.module);
    // Files of an older version have no kinds in their plans: if there are several, no plan has a price.
    const bool is_known = plan.row.device < devices.size() && (devices.size() == 1 || plan.row.usd_per_h > 0);
    table.add({"device"}, is_known ? devices[plan.row.device] : "");
    table.add({"usd_per_h"}, plan.row.usd_per_h);
    table.add({"workers"}, plan.row.workers);
    table.add({"max_batch"}, plan.row.max_batch);
    table.add({"exec_ms"}, ns_to_ms(plan.row.exec_ns));
  }
  return table;
}

/// Returns PARD, which most files have; for other files the first series, and says so on standard error.
std::string default_baseline(const std::vector<std::string>& series) {
  if (std::find(series.begin(), series.end(), kUsualBaseline) != series.end()) return kUsualBaseline;
  std::fprintf(
      stderr,
      "harness show: the baseline is %s, the first configuration of the file (--baseline SYSTEM[/VARIANT])\n",
      printable(series.front()).c_str());
  return series.front();
}

TextTable series_table(const ShowOptions& options, const std::vector<SummaryRow>& rows) {
  const std::vector<WorkloadCells> workloads = by_workload(rows);
  if (workloads.empty())
    throw input_error({options.results, 0, ""}, "no cell that ran", "results to compare");
  const std::vector<std::string> series = series_names(workloads);
  if (!options.baseline.empty()) require_known("--baseline", options.baseline, series);
  const std::string baseline = options.baseline.empty() ? default_baseline(series) : options.baseline;
  return paired_table(workloads, options.paired, baseline);
}

/// Returns a line for each column of quantiles of the completed requests that some cells have too few of:
/// their interval has no upper end.
std::vector<std::string> few_requests_notes(const TextTable& table, const std::vector<SummaryRow>& rows) {
  std::vector<std::string> notes;
  for (const TextColumn& column : table.columns) {
    const std::string end = column.name + "_high";
    if (!column.name.starts_with("latency_ms_") || find_metric(end) == nullptr) continue;
    const auto has_no_end = [&](const SummaryRow& row) { return std::isinf(row[end]); };
    const auto count = std::count_if(rows.begin(), rows.end(), has_no_end);
    if (count > 0)
      notes.push_back(column.name + " is of too few requests for an upper end of its 95 % interval in " +
                      std::to_string(count) + " of " + counted(rows.size(), "cell") + " (" + end + ")");
  }
  return notes;
}

/// Returns the notes below the table, in lines that fit the terminal.
std::string notes_text(const ShowOptions& options, const TextTable& table,
                       const std::vector<SummaryRow>& rows) {
  if (options.plans || !options.filters.empty()) return "";
  std::vector<std::string> notes = length_notes(rows);
  if (!options.models && options.paired.empty()) {
    for (std::string& note : few_requests_notes(table, rows)) notes.push_back(std::move(note));
  }
  std::string text;
  for (const std::string& note : notes) {
    for (const std::string& line : wrapped("note: " + note, terminal_width())) text += line + "\n";
  }
  return text;
}

/// Carries out --filter and --sort.
void narrow(TextTable& table, const ShowOptions& options) {
  std::vector<std::string> names;
  for (const TextColumn& column : table.columns)
    names.push_back(column.name.empty() ? column.heading : column.name);
  for (const std::string& filter : options.filters) {
    const std::size_t equals = filter.find('=');
    if (equals == std::string::npos)
      throw input_error({"", 0, "--filter"}, "'" + filter + "'", "COLUMN=VALUE, or COLUMN=VALUE,VALUE");
    std::vector<std::string> values(1);
    for (const char c : filter.substr(equals + 1)) {
      if (c == ',')
        values.emplace_back();
      else
        values.back() += c;
    }
    const std::string column = filter.substr(0, equals);
    if (!keep_rows(table, column, values)) require_known("--filter", column, names);
  }
  if (options.sort.empty()) return;
  const bool is_falling = options.sort.front() == '-';
  const std::string column = options.sort.substr(is_falling ? 1 : 0);
  if (!sort_rows(table, column, is_falling)) require_known("--sort", column, names);
}

void show(ShowOptions options) {
  for (const std::string& column : options.columns) require_known("--columns", column, summary_columns());
  if (!options.paired.empty()) require_known("--paired", options.paired, metric_columns());
  const std::vector<SummaryRow> rows = read_summary(options.results);
  TextTable table = options.models           ? models_table(options, rows)
                    : options.plans          ? plans_table(options)
                    : options.paired.empty() ? cells_table(options, rows)
                                             : series_table(options, rows);
  narrow(table, options);
  print_text(options.json                   ? json_text(table) + "\n"
             : options.csv                  ? csv_text(table)
             : options.format == "markdown" ? markdown_text(table)
             : options.format == "latex"
                 ? latex_text(table)
                 : fitted_text(table, terminal_width(), kHowToSeeAll) + notes_text(options, table, rows));
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand(
      "show", "Print a row per cell of a results file, or compare configurations, paired by seed");
  command->footer(
      "Examples:\n"
      "  harness show quickstart.h5\n"
      "  harness show quickstart.h5 --columns system,load,goodput_rps,bound_share\n"
      "  harness show overall.h5 --paired goodput_rps --baseline nexus\n"
      "  harness show scale.h5 --models\n"
      "  harness show inferline-plan.h5 --plans --filter seed=1\n"
      "  harness show overall.h5 --filter load=1.2 --sort=-goodput_rps --format latex\n"
      "  harness show quickstart.h5 --json | jq '.[] | select(.system == \"pard\") | .goodput_rps'");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  CLI::Option* json =
      command->add_flag("--json", options->json, "all columns as JSON, numbers in full precision");
  CLI::Option* csv = command->add_flag("--csv", options->csv, "all columns as CSV, numbers in full precision")
                         ->excludes(json);
  command
      ->add_option("--format", options->format, "markdown or latex: the table for a page (LaTeX: booktabs)")
      ->check(CLI::IsMember({"markdown", "latex"}))
      ->excludes(json)
      ->excludes(csv);
  command
      ->add_option("--filter", options->filters, "only rows whose column has this value, or one of several")
      ->allow_extra_args(false)
      ->type_name("COLUMN=VALUE,...");
  command->add_option("--sort", options->sort, "by this column; -COLUMN: falling")->type_name("COLUMN");
  CLI::Option* columns =
      command->add_option("--columns", options->columns, "only these columns, in this order")
          ->delimiter(',')
          ->type_name("A,B,C");
  CLI::Option* models =
      command
          ->add_flag("--models", options->models,
                     "a row per cell and model that requests enter (of independent models each): what became "
                     "of its requests")
          ->excludes(columns);
  CLI::Option* plans = command
                           ->add_flag("--plans", options->plans,
                                      "a row per cell and module: the plan that the cell began with; kind of "
                                      "device and its price, workers, largest batch and its execution time")
                           ->excludes(columns)
                           ->excludes(models);
  CLI::Option* paired =
      command
          ->add_option(
              "--paired", options->paired,
              "a row per workload and configuration: the metric's mean, its difference and ratio to the "
              "baseline, paired by seed, with 95 % confidence intervals, and share of the upper bound")
          ->excludes(columns)
          ->excludes(models)
          ->excludes(plans)
          ->type_name("METRIC");
  command
      ->add_option(
          "--baseline", options->baseline,
          "the configuration that the others are compared with: a system, or SYSTEM/VARIANT; where its own "
          "parameters are swept, followed by them, as in \"pard lambda=0.2\" (--paired prints all; "
          "default pard, or the file's first)")
      ->needs(paired)
      ->type_name("SYSTEM[/VARIANT]");
  command->callback([options] { show(*options); });
}

}  // namespace harness
