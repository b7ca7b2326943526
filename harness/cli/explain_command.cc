#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/experiment/reading/system_libraries.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/views/explain_report.h"

namespace harness {
namespace {

constexpr std::size_t kFirstDropped = 5;

struct ExplainOptions {
  std::string results;
  std::optional<std::uint32_t> cell;
  std::vector<std::uint64_t> requests;
  std::size_t worst = 0;
  std::string dropped_by;
  std::string module;
  std::string at;
  std::string from;
  std::string to;
  std::string folder = ".";
  std::vector<std::string> libraries;
  bool json = false;
};

/// The cell that was named, or the only one.
std::uint32_t chosen_cell(const ExplainOptions& options) {
  const std::vector<SummaryRow> rows = read_summary(options.results);
  if (!options.cell && rows.size() == 1) return rows.front().cell.index;
  std::string cells = "a cell of this file";
  if (!rows.empty()) {
    const auto lower = [](const SummaryRow& a, const SummaryRow& b) { return a.cell.index < b.cell.index; };
    const auto [first, last] = std::minmax_element(rows.begin(), rows.end(), lower);
    cells += ", " + std::to_string(first->cell.index) + " to " + std::to_string(last->cell.index);
  }
  cells += " (harness show " + options.results + " lists them)";
  const InputPlace place{options.results, 0, "--cell"};
  if (!options.cell) throw input_error(place, "nothing", cells);
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const SummaryRow& one) { return one.cell.index == *options.cell; });
  if (row == rows.end()) throw input_error(place, std::to_string(*options.cell), cells);
  return *options.cell;
}

void require_rows(const std::string& path, const CellContents& cell) {
  const InputPlace place{path, 0, "cell " + std::to_string(cell.summary.cell.index)};
  if (cell.summary.status == "skipped")
    throw input_error(place, "skipped: " + cell.summary.why, "a cell that ran");
  if (cell.requests.empty())
    throw input_error(place, "no rows of requests", "results of an experiment with [record] rows = true");
}

/// "31.2s", "31.2", "31200ms"; `otherwise` where the option was not given.
TimeNs parsed_time(const char* option, const std::string& text, TimeNs otherwise) {
  if (text.empty()) return otherwise;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string unit(rest, end);
  const bool is_number = error == std::errc() && std::abs(value) < 1e9;
  if (!is_number || (unit != "" && unit != "s" && unit != "ms"))
    throw input_error({"", 0, option}, "'" + text + "'",
                      "a time since the start of the load: 31.2s, 31200ms");
  return unit == "ms" ? ms_to_ns(value) : s_to_ns(value);
}

SentBetween sent_between(const ExplainOptions& options) {
  SentBetween sent;
  sent.from_ns = parsed_time("--from", options.from, sent.from_ns);
  sent.until_ns = parsed_time("--to", options.to, sent.until_ns);
  const bool is_range = !options.from.empty() || !options.to.empty();
  if (is_range && options.worst == 0 && options.dropped_by.empty())
    throw input_error({"", 0, "--from, --to"}, "no choice to narrow", "them beside --worst or --dropped-by");
  return sent;
}

void check_asked(const ExplainOptions& options) {
  const int asked = int{!options.requests.empty()} + int{options.worst > 0} +
                    int{!options.dropped_by.empty()} + int{!options.at.empty()};
  if (asked != 1)
    throw input_error({"", 0, "command line"}, asked == 0 ? "nothing" : "several of them",
                      "one of --request ID, --worst K, --dropped-by REASON, --at TIME");
}

/// The ids of the requests that were asked for; sets the words that say which they are.
std::vector<std::uint64_t> chosen_requests(const ExplainOptions& options, SentBetween sent,
                                           Explanation& explanation) {
  if (options.worst > 0) {
    explanation.choice = "the completed requests that ended latest against their deadlines:";
    return worst_requests(explanation.rows, sent, options.worst);
  }
  if (options.dropped_by.empty()) return options.requests;
  const DroppedRequests dropped =
      dropped_requests(explanation.rows, sent, options.dropped_by, options.module, kFirstDropped);
  explanation.choice = counted(dropped.count, "request") + " dropped for " + options.dropped_by +
                       (options.module.empty() ? "" : " at " + options.module) + "; the first " +
                       std::to_string(dropped.first.size()) + ":";
  return dropped.first;
}

void explain(const ExplainOptions& options) {
  check_asked(options);
  const TimeNs at_ns = parsed_time("--at", options.at, 0);
  const SentBetween sent = sent_between(options);
  for (const std::string& library : options.libraries) load_system_library(library, {"", 0, "--library"});
  const CellContents cell = read_cell(options.results, chosen_cell(options));
  require_rows(options.results, cell);
  const ExplainRows rows(options.results, cell);
  Explanation explanation(rows);
  if (!options.at.empty()) {
    explanation.moment = explain_moment(rows, at_ns);
  } else {
    const std::vector<std::uint64_t> requests = chosen_requests(options, sent, explanation);
    for (const std::uint64_t request : requests) require_request(rows, request);
    explanation.times = cell_times(options.results, cell, options.folder, requests);
    const LeastTimes* const least = explanation.times.least ? &*explanation.times.least : nullptr;
    for (const std::uint64_t request : requests)
      explanation.requests.push_back(explain_request(rows, least, request));
  }
  print_text(options.json ? explanation_json(explanation) : explanation_text(explanation));
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Tell the life of a request, or what stood where at a moment of a run");
  command->footer(
      "Each request's way through the modules: waits, batches, what was left until its deadline, what its "
      "system\n"
      "believed, why it was dropped or late, and whether any policy could have served it in time. The file "
      "needs\n"
      "rows ([record] rows = true); [record] states = true adds what controllers published.\n"
      "Examples:\n"
      "  harness explain quickstart.h5 --cell 3 --dropped-by estimated_late\n"
      "  harness explain quickstart.h5 --cell 0 --worst 5 --from 30s --to 40s\n"
      "  harness explain quickstart.h5 --cell 3 --request 4711\n"
      "  harness explain quickstart.h5 --cell 3 --at 31.2s");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  command->add_option("--cell", options->cell, "the cell's number, as in harness show; default: the only one")
      ->type_name("N");
  command->add_option("--request", options->requests, "the request of that number, or several")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ID,...");
  command
      ->add_option("--worst", options->worst,
                   "so many completed requests that ended latest against their deadlines")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  CLI::Option* dropped = command
                             ->add_option("--dropped-by", options->dropped_by,
                                          "the first few requests dropped for this reason, as early_drop")
                             ->type_name("REASON");
  command->add_option("--module", options->module, "only those dropped at this module")
      ->needs(dropped)
      ->type_name("NAME");
  command->add_option("--from", options->from, "only requests sent from this time of the run on, as 30s")
      ->type_name("TIME");
  command->add_option("--to", options->to, "only requests sent before this time, as 40s")->type_name("TIME");
  command->add_option("--at", options->at, "what stood where at that time of the run, as 31.2s")
      ->type_name("TIME");
  command
      ->add_option("--folder", options->folder,
                   "folder of the experiment file, where its relative paths start")
      ->type_name("DIR")
      ->capture_default_str()
      ->check(CLI::ExistingDirectory);
  add_library_option(*command, options->libraries);
  command->add_flag("--json", options->json, "the same facts as JSON (docs/commands.md)");
  command->callback([options] { explain(*options); });
}

}  // namespace harness
