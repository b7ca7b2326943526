#include "harness/experiment/replay_results.h"

#include <utility>

#include "harness/engine/dispatcher.h"
#include "harness/experiment/recorded_cell.h"
#include "harness/experiment/replay_text.h"
#include "harness/record/cell_pairs.h"
#include "harness/record/results_file.h"

namespace harness {
namespace {

/// A cell's first difference and what it compared.
struct CellFinding {
  std::optional<ReplayDifference> first;
  std::uint64_t domains_differing = 0;

  void add(std::optional<ReplayDifference> difference) {
    if (difference) ++domains_differing;
    keep_earlier(first, std::move(difference));
  }
};

/// What the domain of a difference serves.
std::string served_text(const ReplayDifference& difference, std::span<const std::string> modules) {
  if (difference.has_groups) return "group " + std::to_string(difference.group);
  const bool known = difference.group < modules.size();
  return "module " + (known ? modules[difference.group] : std::to_string(difference.group));
}

[[noreturn]] void throw_damaged(const std::string& path, const SummaryRow& row, DomainId domain) {
  throw input_error({path, 0, cell_place(row.cell.index) + "/replay_log"},
                    "a damaged log of domain " + std::to_string(domain),
                    "what harness wrote there (version 5)");
}

/// The scheduler of every domain of one cell, made as the run made them.
class CellWorld {
 public:
  CellWorld(const std::string& path, std::uint32_t index, const std::string& toml, const std::string& folder)
      : cell_(path, index, toml, folder), run_(cell_.make_world()) {
    sizes_.emplace(run_.seed, run_.profiles, run_.trace_tokens);
    context_ = make_context(run_, &*sizes_);
  }

  /// Whether there can be such a domain; its log says more.
  bool has(GroupId group) const {
    return group < run_.pipeline.modules.size() || run_.system->make_planner(context_) != nullptr;
  }
  std::vector<std::string> modules() const {
    std::vector<std::string> names;
    for (const Module& module : run_.pipeline.modules) names.push_back(module.name);
    return names;
  }
  std::unique_ptr<Scheduler> make_scheduler(const ReplayLog& log) const {
    return run_.system->make_scheduler(context_, log.domain, log.group);
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
    if (!world.has(log.group)) throw DamagedReplay{log.domain};
    const std::unique_ptr<Scheduler> scheduler = world.make_scheduler(log);
    finding.add(replay(log, *scheduler, counts));
  }
  return finding;
}

void count(ReplayTally& tally, const CellFinding& finding) {
  ++tally.cells;
  tally.domains_differing += finding.domains_differing;
  if (finding.first) ++tally.cells_differing;
}

}  // namespace

ReplayVerdict replay_results(const std::string& path, const std::string& folder) {
  ReplayVerdict verdict;
  ReplayTally tally;
  for (const SummaryRow& row : read_summary(path)) {
    const CellReplay cell = read_cell_replay(path, row.cell.index);
    if (cell.logs.empty()) continue;
    const CellWorld world(path, row.cell.index, cell.effective_toml, folder);
    try {
      const CellFinding finding = replay_cell(world, cell.logs, tally.counts);
      count(tally, finding);
      if (!finding.first || verdict.differs) continue;
      verdict.differs = true;
      verdict.text = "cell " + std::to_string(row.cell.index) + ": " + key_of(row.cell, row.slo_ms).name() +
                     "\n" +
                     difference_text(*finding.first, served_text(*finding.first, world.modules()), "recorded",
                                     "came out");
    } catch (const DamagedReplay& damage) {
      throw_damaged(path, row, damage.domain);
    }
  }
  if (tally.cells == 0)
    throw input_error({path, 0, ""}, "no cell with a replay",
                      "results of an experiment with [record] replay = true");
  verdict.text += tally_text(tally);
  return verdict;
}

namespace {

/// A domain that only one of the runs had.
ReplayDifference lone_domain(const ReplayLog& log, bool in_first) {
  ReplayReader reader(log);
  ReplayCall call;
  Decisions decisions;
  ReplayDifference difference;
  if (reader.next(call, decisions)) difference.at_ns = call.now;
  difference.domain = log.domain;
  difference.group = log.group;
  difference.callback = 1;
  difference.before = in_first ? text_of(call) : "no such domain";
  difference.after = in_first ? "no such domain" : text_of(call);
  return difference;
}

CellFinding compare_logs(const std::vector<ReplayLog>& before, const std::vector<ReplayLog>& after,
                         ReplayCounts& counts) {
  CellFinding finding;
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    const bool has_a = a != before.end() && (b == after.end() || a->domain <= b->domain);
    const bool has_b = b != after.end() && (a == before.end() || b->domain <= a->domain);
    if (has_a && has_b) {
      finding.add(first_difference(*a, *b, counts));
    } else {
      ++counts.domains;
      finding.add(lone_domain(has_a ? *a : *b, has_a));
    }
    if (has_a) ++a;
    if (has_b) ++b;
  }
  return finding;
}

/// Two results files.
class FileComparison {
 public:
  FileComparison(std::string before, std::string after)
      : paths_{std::move(before), std::move(after)},
        rows_{read_summary(paths_[0]), read_summary(paths_[1])} {}

  ReplayVerdict run() {
    for (const CellPair& pair : pairs().pairs) compare(pair);
    if (tally_.cells + prints_ == 0)
      throw input_error({paths_[1], 0, ""}, "no cell that also stands in " + paths_[0],
                        "two files with the same cells");
    if (tally_.cells > 0) text_ += tally_text(tally_);
    if (prints_ > 0) {
      text_ += grouped(prints_differing_) + " of " + several(prints_, "cell") +
               " without a replay in both files " + (prints_differing_ == 1 ? "differs" : "differ") +
               ", by their fingerprints\n";
    }
    return {text_ + unpaired_text(), tally_.cells_differing + prints_differing_ > 0};
  }

 private:
  /// Cells of the same runtime or, when there are none, of any two.
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
    if (before.empty() || after.empty()) return compare_fingerprints(pair);
    CellFinding finding;
    try {
      finding = compare_logs(before, after, tally_.counts);
    } catch (const DamagedReplay& damage) {
      throw_damaged(paths_[0] + " or " + paths_[1], *pair.base, damage.domain);
    }
    count(tally_, finding);
    if (!finding.first || tally_.cells_differing > 1) return;
    const CellContents cell = read_cell(paths_[0], pair.base->cell.index);
    text_ += name_of(pair) + difference_text(*finding.first, served_text(*finding.first, cell.module_names),
                                             paths_[0], paths_[1]);
  }

  void compare_fingerprints(const CellPair& pair) {
    ++prints_;
    if (pair.base->fingerprint == pair.now->fingerprint && pair.base->status == pair.now->status) return;
    ++prints_differing_;
    text_ += name_of(pair) + "  fingerprint " + pair.base->fingerprint + " before, " + pair.now->fingerprint +
             " after\n";
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
};

}  // namespace

ReplayVerdict compare_replays(const std::string& before, const std::string& after) {
  return FileComparison(before, after).run();
}

}  // namespace harness
