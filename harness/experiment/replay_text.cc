#include "harness/experiment/replay_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace harness {
namespace {

auto fields(const VisitRow& row) {
  return std::tuple(row.ended_ns, row.request, row.visit, row.arrived_ns, row.joined_ns, row.started_ns,
                    row.worker, row.parent, row.module, row.batch, row.outcome,
                    row.outcome == VisitOutcome::kDropped ? row.reason : DropReason::kExpired);
}

std::string outcome_text(const VisitRow& row) {
  constexpr const char* kNames[] = {"done", "dropped", "cancelled", "unfinished"};
  const std::string name = kNames[static_cast<int>(row.outcome)];
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

}  // namespace

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string several(std::uint64_t count, const char* what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

std::string tally_text(const ReplayTally& tally) {
  const std::string amount =
      several(tally.counts.callbacks, "callback") + ", " + several(tally.counts.decisions, "decision");
  if (tally.cells_differing == 0) {
    return several(tally.cells, "cell") + ", " + several(tally.counts.domains, "domain") + ", " + amount +
           ": none differs\n";
  }
  return grouped(tally.cells_differing) + " of " + several(tally.cells, "cell") + ", " +
         grouped(tally.domains_differing) + " of " + several(tally.counts.domains, "domain") + " differ (" +
         amount + " compared)\n";
}

std::string difference_text(const ReplayDifference& difference, const std::string& served,
                            const std::string& before, const std::string& after) {
  const bool is_call = difference.decision == 0;
  const std::string what = is_call ? "what reached it" : "decision " + std::to_string(difference.decision);
  const std::size_t width = std::max(before.size(), after.size());
  const auto line = [&](const std::string& who, const std::string& text) {
    return "  " + who + std::string(width - who.size() + 2, ' ') + text + "\n";
  };
  return "  domain " + std::to_string(difference.domain) + " (" + served + "), callback " +
         grouped(difference.callback) + " at " + time_text(difference.at_ns) + ": " + what + " differs\n" +
         (is_call ? "" : "  " + difference.call + "\n") + line(before, difference.before) +
         line(after, difference.after);
}

void keep_earlier(std::optional<ReplayDifference>& first, std::optional<ReplayDifference> other) {
  if (!other) return;
  const auto place = [](const ReplayDifference& one) { return std::pair(one.at_ns, one.domain); };
  if (!first || place(*other) < place(*first)) first = std::move(other);
}

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

}  // namespace harness
