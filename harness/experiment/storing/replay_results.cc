#include "harness/experiment/storing/replay_results.h"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/replay/replay.h"
#include "harness/engine/replay/replay_code.h"
#include "harness/experiment/storing/recorded_cell.h"
#include "harness/record/analysis/cell_pairs.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/cell_replay.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/run/replay_log.h"
#include "harness/record/run/visit_row.h"
#include "harness/text/json.h"
#include "harness/text/text_table.h"

namespace harness {
namespace {

auto fields(const VisitRow& row) {
  return std::tuple(row.ended_ns, row.request, row.visit, row.arrived_ns, row.joined_ns, row.started_ns,
                    row.worker, row.parent, row.module, row.batch, row.outcome,
                    row.outcome == VisitOutcome::kDropped ? row.reason : DropReason::kExpired);
}

std::string outcome_text(const VisitRow& row) {
  const std::string name = name_of(row.outcome);
  return row.outcome == VisitOutcome::kDropped ? name + " (" + name_of(row.reason) + ")" : name;
}

std::string visit_text(const VisitRow& row, std::span<const std::string> modules) {
  std::string text = "request " + std::to_string(row.request) + " visit " + std::to_string(row.visit) +
                     " at " +
                     (row.module < modules.size() ? modules[row.module] : std::to_string(row.module)) +
                     ", arrived " + time_text(row.arrived_ns);
  if (row.worker != kNone)
    text += ", joined worker " + std::to_string(row.worker) + " " + time_text(row.joined_ns);
  if (row.batch > 0)
    text += ", started " + time_text(row.started_ns) + " in a batch of " + std::to_string(row.batch);
  return text + ", " + outcome_text(row) + " " + time_text(row.ended_ns);
}

/// The number of compared cells and queues, and of the ones that differ.
struct ReplayTally {
  std::uint64_t cells = 0;
  std::uint64_t cells_differing = 0;
  std::uint64_t queues_differing = 0;
  ReplayCounts counts;
};

/// Returns "1,234,567".
std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// Returns "1 cell", "12 cells".
std::string several(std::uint64_t count, const char* what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

/// Returns "12 cells, 96 queues, 1,234,567 callbacks, 2,345,678 decisions: none differs", or how many differ.
std::string tally_text(const ReplayTally& tally) {
  const std::string amount =
      several(tally.counts.callbacks, "callback") + ", " + several(tally.counts.decisions, "decision");
  if (tally.cells_differing == 0) {
    return several(tally.cells, "cell") + ", " + several(tally.counts.queues, "queue") + ", " + amount +
           ": none differs\n";
  }
  return grouped(tally.cells_differing) + " of " + several(tally.cells, "cell") + ", " +
         grouped(tally.queues_differing) + " of " + several(tally.counts.queues, "queue") + " differ (" +
         amount + " compared)\n";
}

void add_tally(JsonObject& object, const ReplayTally& tally) {
  object.add("cells", tally.cells);
  object.add("cells_differing", tally.cells_differing);
  object.add("queues", tally.counts.queues);
  object.add("queues_differing", tally.queues_differing);
  object.add("callbacks", tally.counts.callbacks);
  object.add("decisions", tally.counts.decisions);
}

/// Returns a difference in the cell of that index and name.
Json difference_json(const ReplayDifference& difference, const std::string& served, std::uint32_t cell,
                     const std::string& name) {
  JsonObject object;
  object.add("cell", cell);
  object.add("name", name);
  object.add("queue", difference.queue);
  object.add("serves", served);
  object.add("callback", difference.callback);
  object.add("at_s", ns_to_s(difference.at_ns));
  object.add("call", difference.call);
  object.add("decision", difference.decision);
  object.add("before", difference.before);
  object.add("after", difference.after);
  return object.json();
}

/// Returns the place of the difference, and both sides, called `before` and `after`.
std::string difference_text(const ReplayDifference& difference, const std::string& served,
                            const std::string& before, const std::string& after) {
  const bool is_call = difference.decision == 0;
  const std::string what = is_call ? "what reached it" : "decision " + std::to_string(difference.decision);
  const std::size_t width = std::max(before.size(), after.size());
  const auto line = [&](const std::string& who, const std::string& text) {
    return "  " + who + std::string(width - who.size() + 2, ' ') + text + "\n";
  };
  return "  queue " + std::to_string(difference.queue) + " (" + served + "), callback " +
         grouped(difference.callback) + " at " + time_text(difference.at_ns) + ": " + what + " differs\n" +
         (is_call ? "" : "  " + difference.call + "\n") + line(before, difference.before) +
         line(after, difference.after);
}

/// Keeps the earlier of two differences in `first`, if any; at equal times the one of the lower queue.
void keep_earlier(std::optional<ReplayDifference>& first, std::optional<ReplayDifference> other) {
  if (!other) return;
  const auto place = [](const ReplayDifference& one) { return std::pair(one.at_ns, one.queue); };
  if (!first || place(*other) < place(*first)) first = std::move(other);
}

/// Returns the first row that differs of both cells' visits in order of their ends; empty if none differs.
std::string visit_difference_text(std::vector<VisitRow> before, std::vector<VisitRow> after,
                                  std::span<const std::string> modules) {
  const auto earlier = [](const VisitRow& a, const VisitRow& b) { return fields(a) < fields(b); };
  std::sort(before.begin(), before.end(), earlier);
  std::sort(after.begin(), after.end(), earlier);
  const auto same = [](const VisitRow& a, const VisitRow& b) { return fields(a) == fields(b); };
  const auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end(), same);
  if (a == before.end() && b == after.end()) return "";
  return "  the first visit that differs, in order of their ends\n  before  " +
         (a == before.end() ? "nothing" : visit_text(*a, modules)) + "\n  after   " +
         (b == after.end() ? "nothing" : visit_text(*b, modules)) + "\n";
}

/// A cell's first difference and the number of its queues that differ.
struct CellFinding {
  std::optional<ReplayDifference> first;
  std::uint64_t queues_differing = 0;

  void add(std::optional<ReplayDifference> difference) {
    if (difference) ++queues_differing;
    keep_earlier(first, std::move(difference));
  }
};

/// Returns what the queue of a difference serves.
std::string served_text(const ReplayDifference& difference, std::span<const std::string> modules) {
  if (difference.has_groups) return "group " + std::to_string(difference.group);
  const bool known = difference.group < modules.size();
  return "module " + (known ? modules[difference.group] : std::to_string(difference.group));
}

[[noreturn]] void throw_damaged(const std::string& path, const SummaryRow& row, QueueId queue) {
  throw input_error({path, 0, cell_place(row.cell.index) + "/replay_log"},
                    "a damaged log of queue " + std::to_string(queue), "what harness wrote there");
}

/// Returns the version of logs that this program does not read; 0 if it reads them or `logs` is empty.
int other_version(const std::vector<ReplayLog>& logs) {
  const bool other =
      !logs.empty() && !logs.front().bytes.empty() && logs.front().bytes.front() != kReplayVersion;
  return other ? static_cast<int>(logs.front().bytes.front()) : 0;
}

/// The settings of one cell, with which it makes the scheduler of every queue as the run made it.
class CellWorld {
 public:
  CellWorld(const std::string& path, std::uint32_t index, const std::string& toml, const std::string& folder)
      : cell_(path, index, toml, folder), run_(cell_.make_world()) {
    sizes_.emplace(run_.seed, run_.profiles, run_.trace_tokens);
    context_ = make_context(run_, &*sizes_);
  }

  /// Returns true if there can be a queue of that group; its log says more.
  bool has(GroupId group) const {
    return group < run_.pipeline.modules.size() || !run_.planner.placement.empty() ||
           run_.system->make_planner(context_) != nullptr;
  }
  std::vector<std::string> modules() const {
    std::vector<std::string> names;
    for (const Module& module : run_.pipeline.modules) names.push_back(module.name);
    return names;
  }
  std::unique_ptr<Scheduler> make_scheduler(const ReplayLog& log) const {
    return run_.system->make_scheduler(context_, log.queue, log.group);
  }

 private:
  RecordedCell cell_;
  RunSpec run_;
  std::optional<RequestSizes> sizes_;
  ServingContext context_;
};

CellFinding replay_cell(const CellWorld& world, const std::vector<ReplayLog>& logs, ReplayCounts& counts) {
  CellFinding finding;
  for (const ReplayLog& log : logs) {
    if (!world.has(log.group)) throw DamagedReplay{log.queue};
    const std::unique_ptr<Scheduler> scheduler = world.make_scheduler(log);
    finding.add(replay(log, *scheduler, counts));
  }
  return finding;
}

void count(ReplayTally& tally, const CellFinding& finding) {
  ++tally.cells;
  tally.queues_differing += finding.queues_differing;
  if (finding.first) ++tally.cells_differing;
}

}  // namespace

ReplayVerdict replay_results(const std::string& path, const std::string& folder) {
  ReplayVerdict verdict;
  ReplayTally tally;
  Json first{"null"};
  for (const SummaryRow& row : read_summary(path)) {
    const CellReplay cell = read_cell_replay(path, row.cell.index);
    if (cell.logs.empty()) continue;
    if (const int version = other_version(cell.logs)) {
      throw input_error(
          {path, 0, cell_place(row.cell.index) + "/replay_log"},
          "a log of version " + std::to_string(version),
          "version " + std::to_string(static_cast<int>(kReplayVersion)) + ", which this harness writes");
    }
    const CellWorld world(path, row.cell.index, cell.effective_toml, folder);
    try {
      const CellFinding finding = replay_cell(world, cell.logs, tally.counts);
      count(tally, finding);
      if (!finding.first || verdict.differs) continue;
      verdict.differs = true;
      const std::string name = key_of(row.cell, row.slo_ms).name();
      const std::string served = served_text(*finding.first, world.modules());
      verdict.text = "cell " + std::to_string(row.cell.index) + ": " + name + "\n" +
                     difference_text(*finding.first, served, "recorded", "came out");
      first = difference_json(*finding.first, served, row.cell.index, name);
    } catch (const DamagedReplay& damage) {
      throw_damaged(path, row, damage.queue);
    }
  }
  if (tally.cells == 0)
    throw input_error({path, 0, ""}, "no cell with a replay",
                      "results of an experiment with [record] replay = true");
  verdict.text += tally_text(tally);
  JsonObject object;
  object.add("differs", verdict.differs);
  add_tally(object, tally);
  object.add("first_difference", first);
  verdict.json = object.json(",\n").text + "\n";
  return verdict;
}

namespace {

/// Returns the difference of a queue that only one of the runs had.
ReplayDifference lone_queue(const ReplayLog& log, bool in_first) {
  ReplayReader reader(log);
  ReplayCall call;
  Decisions decisions;
  ReplayDifference difference;
  if (reader.next(call, decisions)) difference.at_ns = call.now;
  difference.queue = log.queue;
  difference.group = log.group;
  difference.callback = 1;
  difference.before = in_first ? text_of(call) : "no such queue";
  difference.after = in_first ? "no such queue" : text_of(call);
  return difference;
}

CellFinding compare_logs(const std::vector<ReplayLog>& before, const std::vector<ReplayLog>& after,
                         ReplayCounts& counts) {
  CellFinding finding;
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    const bool has_a = a != before.end() && (b == after.end() || a->queue <= b->queue);
    const bool has_b = b != after.end() && (a == before.end() || b->queue <= a->queue);
    if (has_a && has_b) {
      finding.add(first_difference(*a, *b, counts));
    } else {
      ++counts.queues;
      finding.add(lone_queue(has_a ? *a : *b, has_a));
    }
    if (has_a) ++a;
    if (has_b) ++b;
  }
  return finding;
}

/// The comparison of two results files.
class FileComparison {
 public:
  FileComparison(std::string before, std::string after)
      : paths_{std::move(before), std::move(after)},
        rows_{read_summary(paths_[0]), read_summary(paths_[1])} {}

  ReplayVerdict run() {
    for (const CellPair& pair : pairs().pairs) compare(pair);
    if (tally_.cells + prints_ == 0)
      throw input_error({paths_[1], 0, ""}, "no cell that is also in " + paths_[0],
                        "two files with the same cells");
    if (tally_.cells > 0) text_ += tally_text(tally_);
    if (prints_ > 0) {
      text_ += grouped(prints_differing_) + " of " + several(prints_, "cell") +
               " without a replay in both files " + (prints_differing_ == 1 ? "differs" : "differ") +
               ", by their fingerprints\n";
    }
    return {text_ + unpaired_text(), json(), tally_.cells_differing + prints_differing_ > 0};
  }

 private:
  std::string json() const {
    JsonObject object;
    object.add("differs", tally_.cells_differing + prints_differing_ > 0);
    add_tally(object, tally_);
    object.add("first_difference", first_);
    object.add("cells_without_replay", prints_);
    object.add("fingerprints_differing", prints_differing_);
    object.add("fingerprint_differences", print_differences_);
    object.add("only_in_first", alone_[0]);
    object.add("only_in_second", alone_[1]);
    return object.json(",\n").text + "\n";
  }

  /// Returns the pairs of cells of the same runtime or, if there is no such pair, of any two runtimes.
  CellPairs pairs() {
    CellPairs pairs = paired_cells(rows_[0], rows_[1]);
    if (pairs.pairs.empty()) {
      for (std::vector<SummaryRow>& rows : rows_) {
        for (SummaryRow& row : rows) row.cell.runtime.clear();
      }
      pairs = paired_cells(rows_[0], rows_[1]);
    }
    alone_[0] = pairs.only_base.size();
    alone_[1] = pairs.only_now.size();
    return pairs;
  }

  void compare(const CellPair& pair) {
    if (pair.base->status == "skipped" && pair.now->status == "skipped") return;
    const std::vector<ReplayLog> before = read_cell_replay(paths_[0], pair.base->cell.index).logs;
    const std::vector<ReplayLog> after = read_cell_replay(paths_[1], pair.now->cell.index).logs;
    if (before.empty() || after.empty() || other_version(before) > 0 || other_version(after) > 0)
      return compare_fingerprints(pair);
    CellFinding finding;
    try {
      finding = compare_logs(before, after, tally_.counts);
    } catch (const DamagedReplay& damage) {
      throw_damaged(paths_[0] + " or " + paths_[1], *pair.base, damage.queue);
    }
    count(tally_, finding);
    if (!finding.first || tally_.cells_differing > 1) return;
    const CellContents cell = read_cell(paths_[0], pair.base->cell.index);
    const std::string served = served_text(*finding.first, cell.module_names);
    text_ += name_of(pair) + difference_text(*finding.first, served, paths_[0], paths_[1]);
    first_ = difference_json(*finding.first, served, pair.base->cell.index, pair.key.name());
  }

  void compare_fingerprints(const CellPair& pair) {
    ++prints_;
    if (pair.base->fingerprint == pair.now->fingerprint && pair.base->status == pair.now->status) return;
    ++prints_differing_;
    text_ += name_of(pair) + "  fingerprint " + pair.base->fingerprint + " before, " + pair.now->fingerprint +
             " after\n";
    JsonObject difference;
    difference.add("cell", pair.base->cell.index);
    difference.add("name", pair.key.name());
    difference.add("before", pair.base->fingerprint);
    difference.add("after", pair.now->fingerprint);
    print_differences_.push_back(difference.json());
    if (prints_differing_ > 1) return;
    const CellContents before = read_cell(paths_[0], pair.base->cell.index);
    CellContents after = read_cell(paths_[1], pair.now->cell.index);
    if (before.visits.empty() || after.visits.empty()) return;
    text_ += visit_difference_text(before.visits, std::move(after.visits), before.module_names);
  }

  static std::string name_of(const CellPair& pair) {
    return "cell " + std::to_string(pair.base->cell.index) + ": " + pair.key.name() + "\n";
  }

  std::string unpaired_text() const {
    std::string text;
    for (std::size_t i = 0; i < 2; ++i) {
      if (alone_[i] > 0)
        text += several(alone_[i], "cell") + (alone_[i] == 1 ? " stands in " : " stand in ") + paths_[i] +
                " only\n";
    }
    return text;
  }

  std::string paths_[2];
  std::vector<SummaryRow> rows_[2];
  std::size_t alone_[2] = {};
  ReplayTally tally_;
  std::uint64_t prints_ = 0;
  std::uint64_t prints_differing_ = 0;
  std::string text_;
  Json first_{"null"};
  std::vector<Json> print_differences_;
};

}  // namespace

ReplayVerdict compare_replays(const std::string& before, const std::string& after) {
  return FileComparison(before, after).run();
}

}  // namespace harness
