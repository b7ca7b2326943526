#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/views/chosen_cell.h"
#include "harness/views/explanation.h"
#include "harness/views/explanation_json.h"
#include "harness/views/explanation_text.h"

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

SentBetween sent_between(const ExplainOptions& options) {
  SentBetween sent;
  if (!options.from.empty()) sent.from_ns = time_of_run("--from", options.from);
  if (!options.to.empty()) sent.until_ns = time_of_run("--to", options.to);
  if (sent.from_ns >= sent.until_ns)
    throw input_error({"", 0, "--to"}, "'" + options.to + "'", "a time after --from");
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

/// Returns the ids of the requests that were asked for; sets the words that say which they are.
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
  const TimeNs at_ns = options.at.empty() ? 0 : time_of_run("--at", options.at);
  SentBetween sent = sent_between(options);
  for (const std::string& library : options.libraries) load_system_library(library, {"", 0, "--library"});
  const CellContents cell = cell_with_rows(options.results, chosen_cell(options.results, options.cell));
  if (options.from.empty()) sent.from_ns = cell.record.measured_from_ns;
  const ExplainRows rows(options.results, cell);
  Explanation explanation(rows);
  if (!options.at.empty()) {
    if (at_ns > rows.end_ns())
      throw input_error({"", 0, "--at"}, "'" + options.at + "'",
                        "0 to " + text_of(ns_to_s(rows.end_ns())) + " s, the end of the run");
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
  CLI::App* command = app.add_subcommand(
      "explain", "Tell the life of a request, or the state of the queues at a moment of a run");
  command->footer(
      "Each request's way through the modules: waits, batches, what was left until its deadline, what its "
      "system\n"
      "believed, why it was dropped or late, and whether any policy could have served it in time. The file "
      "needs\n"
      "rows ([record] rows); [record] states adds what controllers published.\n"
      "Examples:\n"
      "  harness explain quickstart.h5 --cell 0 --dropped-by estimated_late\n"
      "  harness explain quickstart.h5 --cell 6 --worst 5 --from 30s --to 40s\n"
      "  harness explain quickstart.h5 --cell 0 --request 4711\n"
      "  harness explain quickstart.h5 --cell 0 --at 31.2s");
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
  command->add_option("--at", options->at, "the state of the queues at that time of the run, as 31.2s")
      ->type_name("TIME");
  add_run_again_options(*command, options->folder, options->libraries);
  command->add_flag("--json", options->json, "the same facts as JSON (docs/commands.md)");
  command->callback([options] { explain(*options); });
}

}  // namespace harness
