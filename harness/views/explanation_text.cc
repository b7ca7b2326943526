#include "harness/views/explanation_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "harness/core/wording.h"
#include "harness/record/analysis/cell_key.h"
#include "harness/text/text_table.h"

namespace harness {
namespace {

constexpr std::size_t kLongestLine = 110;
constexpr std::size_t kLargestParts = 3;  // number of the largest parts of what a request lost that are told

std::string fixed(double value, const char* unit, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, unit);
  return text.data();
}
/// Returns "31.204512 s", "12.345 ms": to the microsecond.
std::string seconds(TimeNs ns) { return fixed(ns_to_s(ns), "s", 6); }
std::string milliseconds(TimeNs ns) { return fixed(ns_to_ms(ns), "ms", 3); }

/// Returns "1 visit", "1234 visits".
std::string visits_text(std::uint64_t count) { return counted(count, "visit"); }

std::string batches_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " batch" : " batches");
}

/// Returns the texts separated by commas, broken into lines behind the indent.
std::string wrapped(const std::string& indent, const std::string& head,
                    const std::vector<std::string>& texts) {
  std::string all = indent + head;
  std::size_t width = all.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i] + (i + 1 < texts.size() ? "," : "");
    if (i > 0 && width + 1 + text.size() > kLongestLine) {
      all += "\n" + indent + "  " + text;
      width = indent.size() + 2 + text.size();
    } else {
      all += " " + text;
      width += 1 + text.size();
    }
  }
  return all + "\n";
}

/// Returns "queueing 12.345 ms" for the system's queueing_ns.
std::string value_text(const std::string& name, double value) {
  if (!name.ends_with("_ns")) return name + " " + number_text(value);
  return name.substr(0, name.size() - 3) + " " + fixed(value / 1e6, "ms", 3);
}

std::string state_text(const StateTable& states, std::optional<std::size_t> row, const std::string& indent) {
  if (!row) return "";
  std::vector<std::string> values;
  for (std::size_t i = 0; i < states.names.size(); ++i)
    values.push_back(value_text(states.names[i], states.values[*row * states.names.size() + i]));
  return wrapped(indent, "Its controller had published at " + seconds(states.rows[*row].at_ns) + ":", values);
}

/// Returns the part of the time between the two in which some of the batches ran.
TimeNs busy_ns(const std::vector<RowBatch>& batches, TimeNs from_ns, TimeNs until_ns) {
  TimeNs busy = 0;
  for (const RowBatch& batch : batches) {
    const TimeNs from = std::max(from_ns, batch.start_ns);
    const TimeNs until = std::min(until_ns, batch.end_ns);
    if (until > from) busy += until - from;
    from_ns = std::max(from_ns, until);
  }
  return busy;
}

/// Returns "Worker 3 ran 2 batches, the last of 8 visits until 31.210000 s."
std::string busy_text(const ExplainRows& rows, std::uint32_t worker, const std::vector<RowBatch>& batches,
                      TimeNs from_ns, TimeNs until_ns) {
  const std::string who = "Worker " + std::to_string(worker) + " ran ";
  const bool knows_all = !has_preempted(rows.cell());
  if (batches.empty()) return who + (knows_all ? "nothing meanwhile." : "no batch to its end meanwhile.");
  const RowBatch& last = batches.back();
  const std::string what =
      batches.size() == 1 ? "a batch of " : std::to_string(batches.size()) + " batches, the last of ";
  const TimeNs idle_ns = until_ns - from_ns - busy_ns(batches, from_ns, until_ns);
  return who + what + visits_text(last.size) + ", until " + seconds(last.end_ns) +
         (idle_ns > 0 && knows_all ? "; it was idle for " + milliseconds(idle_ns) + " of that." : ".");
}

/// Returns why the visit waited, as far as rows tell.
std::string waiting_text(const ExplainRows& rows, const VisitFacts& facts, const std::string& indent) {
  const VisitRow& row = facts.row;
  const TimeNs left_ns = row.left_queue_ns();
  std::string text = indent;
  if (row.ran()) {
    text += "Joined a batch of worker " + std::to_string(row.worker);
    text += row.joined_ns == row.arrived_ns
                ? " at once.\n"
                : " after " + milliseconds(row.joined_ns - row.arrived_ns) + ". " +
                      busy_text(rows, row.worker, facts.before_join, row.arrived_ns, row.joined_ns) + "\n";
    if (left_ns > row.joined_ns) {
      text += indent + "That batch started after another " + milliseconds(left_ns - row.joined_ns) + ". " +
              busy_text(rows, row.worker, facts.before_start, row.joined_ns, left_ns) + "\n";
    }
  } else {
    text += "Joined no batch in " + milliseconds(row.ended_ns - row.arrived_ns) + "; the module started " +
            batches_text(facts.meanwhile.batches) + " with " + visits_text(facts.meanwhile.visits) +
            " meanwhile.\n";
  }
  if (facts.served_before > 0)
    text += indent + visits_text(facts.served_before) + " that came later started earlier.\n";
  return text;
}

/// Returns "12.345 ms left", "3.000 ms late".
std::string left_text(TimeNs left_ns) {
  return left_ns >= 0 ? milliseconds(left_ns) + " left" : milliseconds(-left_ns) + " late";
}

/// Returns words such as "the system estimated that it would end late".
const char* words_of(DropReason reason) {
  constexpr std::array<const char*, kDropReasons> kWords = {
      "its deadline had passed",
      "it had used up the latency budget of this module",
      "the system estimated that it would end late",
      "it was before the first window of requests that could end in time",
      "the router found no queue to take it",
      "this module or a later one was overloaded, so it was refused on arrival",
      "its batch ran on a worker that stopped",
      "it was lost on its way to a queue, or the notice of its end on the way back",
      "it would have waited too long in its scheduler's queue, so it was rejected on arrival",
      "the server gave no answer in time",
      "there was no connection to the server, or it ended before the answer",
      "the server refused it",
      "the server answered with an error",
      "what the server answered is no answer of the model"};
  return kWords[static_cast<std::size_t>(reason)];
}

std::string visit_text(const Explanation& explanation, const RequestFacts& request, const VisitFacts& facts) {
  const VisitRow& row = facts.row;
  const std::string indent = "    ";
  const auto left = [&](TimeNs at) { return left_text(request.deadline_ns - at); };
  std::string text = "  " + explanation.rows.module_name(row.module) + ": arrived at " +
                     seconds(row.arrived_ns) + ", " + left(row.arrived_ns) + ". " +
                     visits_text(facts.waiting) + " waited there.\n";
  if (facts.plan != nullptr) {
    text += indent + "The plan then: " + counted(facts.plan->workers, "worker") + ", at most " +
            visits_text(facts.plan->max_batch) + " in a batch, which take " +
            milliseconds(facts.plan->exec_ns) + ".\n";
  }
  text += waiting_text(explanation.rows, facts, indent);
  if (row.ran()) {
    text += indent + "Ran from " + seconds(row.started_ns) + " to " + seconds(row.ended_ns) + ", " +
            milliseconds(row.ended_ns - row.started_ns) + ", in a batch of " + std::to_string(row.batch) +
            " on worker " + std::to_string(row.worker) + "; " + left(row.ended_ns) + ".\n";
  }
  if (row.outcome == VisitOutcome::kCancelled)
    text += indent + "Cancelled at " + seconds(row.ended_ns) + ": its request had been dropped elsewhere.\n";
  if (row.outcome == VisitOutcome::kDropped && request.row.outcome != Outcome::kDropped)
    text += indent + "Dropped at " + seconds(row.ended_ns) + ": " + words_of(row.reason) + " (" +
            name_of(row.reason) + "); its request went on without it.\n";
  return text + state_text(explanation.rows.cell().record.states, facts.state_row, indent);
}

/// Returns what the module's workers did at the drop.
std::string running_text(const std::vector<RowBatch>& running) {
  if (running.empty()) return "    No batch ran there then.\n";
  TimeNs first_ns = running.front().end_ns;
  for (const RowBatch& batch : running) first_ns = std::min(first_ns, batch.end_ns);
  return "    There ran " + batches_text(running.size()) + " then, the first to end at " + seconds(first_ns) +
         ".\n";
}

std::string drop_text(const Explanation& explanation, const RequestFacts& facts) {
  const RequestRow& row = facts.row;
  const TimeNs left_ns = facts.deadline_ns - row.end_ns;
  const std::string text = "  Dropped at " + explanation.rows.module_name(row.module) + " at " +
                           seconds(row.end_ns) + ", " + left_text(left_ns) + ": " + words_of(row.reason) +
                           " (" + name_of(row.reason) + ").\n" + running_text(facts.running);
  if (!facts.needed_ns) return text;
  return text + "    From there it still needed at least " + milliseconds(*facts.needed_ns) + ": " +
         (*facts.needed_ns <= left_ns
              ? "without more waiting this visit and those after it would have ended in time.\n"
              : "it could not have ended in time any more.\n");
}

/// Returns "125.000 ms waiting to join a batch at m2".
std::string lost_text(const ExplainRows& rows, const LostTime& lost) {
  constexpr std::array<const char*, 4> kWords = {"on the way to ", "waiting to join a batch at ",
                                                 "waiting for its batch to start at ",
                                                 "being served for longer than the least at "};
  return milliseconds(lost.ns) + " " + kWords[static_cast<std::size_t>(lost.what)] +
         rows.module_name(lost.module);
}

std::string end_text(const Explanation& explanation, const RequestFacts& facts) {
  const RequestRow& row = facts.row;
  const TimeNs left_ns = facts.deadline_ns - row.end_ns;
  if (row.outcome == Outcome::kDropped) return drop_text(explanation, facts);
  if (row.outcome == Outcome::kUnfinished) return "  Unfinished when the run ended.\n";
  std::string text = "  Ended at " + seconds(row.end_ns) + ", after " +
                     milliseconds(row.end_ns - row.sent_ns) + ": " +
                     (row.outcome == Outcome::kInTime ? "in time, " + milliseconds(left_ns) + " to spare.\n"
                                                      : "late by " + milliseconds(-left_ns) + ".\n");
  if (facts.lost.empty()) return text;
  std::vector<std::string> lost;
  TimeNs all_ns = 0;
  TimeNs rest_ns = 0;
  for (const LostTime& one : facts.lost) {
    all_ns += one.ns;
    if (lost.size() < kLargestParts)
      lost.push_back(lost_text(explanation.rows, one));
    else
      rest_ns += one.ns;
  }
  if (rest_ns != 0) lost.push_back(milliseconds(rest_ns) + " in smaller parts");
  return text + wrapped("    ", milliseconds(all_ns) + " more than the least that this way takes:", lost);
}

/// Returns sentences on whether any policy could have saved it.
std::string chance_text(const Explanation& explanation, const RequestFacts& facts) {
  std::string text = "  Could any policy have served it in time?\n";
  if (facts.alone_ns) {
    text +=
        "    Alone on the workers of this plan it takes " + milliseconds(*facts.alone_ns) + ", its SLO is " +
        milliseconds(facts.slo_ns) + ": " +
        (*facts.alone_ns <= facts.slo_ns ? "one that puts it before all others could.\n" : "none could.\n");
  } else if (explanation.times.least && !facts.visits.empty()) {
    text += "    In a task tree nobody can tell what it takes alone: its visits cause others by chance.\n";
  }
  const OfflineAnswer& offline = explanation.times.offline;
  if (!offline.in_time) return text + "    No offline schedule says more: " + offline.why_none + ".\n";
  const SummaryRow& summary = explanation.rows.cell().summary;
  text += "    An offline schedule that knows all arrivals serves " + std::to_string(*offline.in_time) +
          " of " + std::to_string(summary.sent) + " in time (this run " + std::to_string(summary.in_time) +
          ").\n";
  if (facts.row.sent_ns < explanation.rows.cell().record.measured_from_ns)
    return text + "    This one was sent before the measured part and is not counted.\n";
  const auto end = offline.end_ns.find(facts.row.request);
  if (end != offline.end_ns.end())
    return text + "    It serves this one, until " + seconds(end->second) + ".\n";
  return text + "    It does not serve this one; another schedule may, in the place of others.\n";
}

/// Returns the texts of the visits in their order; equal texts that follow each other are told once.
std::string visits_text(const Explanation& explanation, const RequestFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.visits.size();) {
    const std::string one = visit_text(explanation, facts, facts.visits[i]);
    std::size_t next = i + 1;
    while (next < facts.visits.size() && visit_text(explanation, facts, facts.visits[next]) == one) ++next;
    text += next == i + 1 ? one : "  " + std::to_string(next - i) + " times " + one.substr(2);
    i = next;
  }
  return text;
}

std::string request_text(const Explanation& explanation, const RequestFacts& facts) {
  const RequestRow& row = facts.row;
  std::string text = "request " + std::to_string(row.request) + ": " + name_of(row.outcome) + "\n  Sent at " +
                     seconds(row.sent_ns) + ", SLO " + milliseconds(facts.slo_ns) + ", deadline " +
                     seconds(facts.deadline_ns) + ".\n";
  if (row.schedule_lag_ns > 0)
    text += "  It left " + milliseconds(row.schedule_lag_ns) + " later than scheduled.\n";
  return text + visits_text(explanation, facts) + end_text(explanation, facts) +
         chance_text(explanation, facts);
}

std::string indented(const std::string& text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    all += "  " + text.substr(at, end - at) + "\n";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return all;
}

/// Returns the first rows of a table, and how many more there are.
std::string shortened(TextTable table, const char* what) {
  const std::size_t rows = table.rows.size();
  if (rows > kMaxShown) table.rows.resize(kMaxShown);
  std::string text = rows == 0 ? "  none\n" : indented(aligned_text(table));
  if (rows > kMaxShown)
    text += "  ... and " + std::to_string(rows - kMaxShown) + " more " + what + " (--json has all)\n";
  return text;
}

TextTable modules_table(const ExplainRows& rows, const MomentFacts& moment) {
  TextTable table;
  for (const MomentFacts::ModuleFacts& facts : moment.modules) {
    table.add_row();
    table.add({"module"}, rows.module_name(facts.module));
    table.add({"workers"}, facts.plan == nullptr ? 0u : facts.plan->workers);
    table.add({"max_batch"}, facts.plan == nullptr ? 0u : facts.plan->max_batch);
    table.add({"waiting"}, facts.waiting);
    table.add({"batches"}, facts.batches);
    table.add({"running"}, facts.running);
  }
  return table;
}

TextTable batches_table(const ExplainRows& rows, const MomentFacts& moment) {
  TextTable table;
  for (const RowBatch& batch : moment.batches) {
    table.add_row();
    table.add({"worker"}, batch.worker);
    table.add({"module"}, rows.module_name(batch.module));
    table.add({"batch"}, batch.size);
    table.add({"started_s"}, seconds(batch.start_ns));
    table.add({"ended_s"}, seconds(batch.end_ns));
  }
  return table;
}

TextTable requests_table(const ExplainRows& rows, const MomentFacts& moment) {
  TextTable table;
  for (const MomentFacts::Standing& one : moment.standing) {
    const bool runs = one.visit != nullptr && one.visit->ran() && one.visit->started_ns <= moment.at_ns;
    table.add_row();
    table.add({"request"}, one.request->request);
    table.add({"left"}, milliseconds(rows.deadline_ns(*one.request) - moment.at_ns));
    table.add({"where"}, one.visit == nullptr
                             ? "on the way"
                             : (runs ? "runs at " : "waits at ") + rows.module_name(one.visit->module));
    table.add({"since"},
              one.visit == nullptr ? "" : seconds(runs ? one.visit->started_ns : one.visit->arrived_ns));
  }
  return table;
}

std::string moment_text(const ExplainRows& rows, const MomentFacts& moment) {
  std::string text = "At " + seconds(moment.at_ns) + " " + counted(moment.requests, "request") +
                     (moment.requests == 1 ? " was" : " were") + " in the system.\n" +
                     indented(aligned_text(modules_table(rows, moment)));
  for (const MomentFacts::ModuleFacts& facts : moment.modules) {
    const std::string state = state_text(rows.cell().record.states, facts.state_row, "    ");
    if (!state.empty()) text += "  " + rows.module_name(facts.module) + ":\n" + state;
  }
  return text + "Batches that ran:\n" + shortened(batches_table(rows, moment), "batches") +
         "Requests that were there:\n" + shortened(requests_table(rows, moment), "places");
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  const SummaryRow& summary = explanation.rows.cell().summary;
  std::string text = "cell " + std::to_string(summary.cell.index) + ": " +
                     key_of(summary.cell, summary.slo_ms).name() + "\n";
  if (!explanation.choice.empty()) text += explanation.choice + "\n";
  for (const RequestFacts& facts : explanation.requests) text += "\n" + request_text(explanation, facts);
  if (explanation.moment) text += "\n" + moment_text(explanation.rows, *explanation.moment);
  const std::vector<std::string> notes = explanation_notes(explanation);
  return text + (notes.empty() ? "" : "\n" + prefixed_lines("Note: ", notes));
}

}  // namespace harness
