#include "harness/record/analysis/changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "harness/core/wording.h"
#include "harness/record/run/column_facts.h"
#include "harness/record/run/latency_histogram.h"
#include "harness/text/json.h"
#include "harness/text/text_table.h"

namespace harness {
namespace {

/// The pairs of one series and workload: its seeds and repeats.
struct Group {
  std::string series;
  std::string workload;
  std::vector<CellPair> pairs;
};

std::vector<Group> groups_of(const std::vector<CellPair>& pairs) {
  std::vector<Group> groups;
  std::map<CellKey, std::size_t> places;
  for (const CellPair& pair : pairs) {
    if (!pair.ran()) continue;
    CellKey key = without(pair.key, kRepeatKey);
    key.seed = 0;
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.push_back({key.series_and_runtime(), key.workload, {}});
    groups[place->second].pairs.push_back(pair);
  }
  return groups;
}

Movement movement_of(const ComparedMetric& metric, std::span<const double> differences,
                     const Spread& difference) {
  if (std::ranges::all_of(differences, [](double each) { return each == 0; })) return Movement::kEqual;
  if (difference.n == 1) return Movement::kOnce;
  // If a value is infinite the difference has a sign but no interval.
  const auto [least, most] = std::ranges::minmax(differences);
  const bool is_noise = std::isfinite(difference.half_width)
                            ? std::abs(difference.mean) <= difference.half_width
                            : least < 0 && most > 0;
  if (is_noise) return Movement::kNoise;
  if (metric.better == Better::kNeither) return Movement::kMoved;
  return metric.worsening(difference.mean) > 0 ? Movement::kWorse : Movement::kBetter;
}

/// Returns the largest difference that may be an artefact: of a latency's quantile the resolution of the
/// histogram, of other metrics a rounding error in the last bits.
double resolution_of(const ComparedMetric& metric, double base) {
  constexpr double kLastBits = 1e-12;
  const double share = metric.name.starts_with("latency_ms_p") || metric.name.starts_with("latency_all_ms_p")
                           ? LatencyHistogram::kRelativeError
                           : kLastBits;
  return std::abs(base) * share;
}

Change change_of(const Group& group, const ComparedMetric& metric) {
  std::vector<double> base, now, differences;
  for (const CellPair& pair : group.pairs) {
    const double before = metric.value_in(*pair.base);
    const double after = metric.value_in(*pair.now);
    if (std::isnan(before) || std::isnan(after)) continue;
    base.push_back(before);
    now.push_back(after);
    differences.push_back(difference_of(before, after));
  }
  Change change;
  change.series = group.series;
  change.workload = group.workload;
  change.metric = metric;
  change.base = spread_of(base).mean;
  change.now = spread_of(now).mean;
  change.difference = spread_of(differences);
  if (change.difference.n > 1 && std::isfinite(change.base))
    change.difference.half_width = std::max(change.difference.half_width, resolution_of(metric, change.base));
  change.movement = movement_of(metric, differences, change.difference);
  return change;
}

/// Returns the key by which changes are sorted: the difference of a share in points, of other metrics
/// relative to the base.
double size_of(const Change& change) {
  const double size = std::abs(change.difference.mean);
  if (!std::isfinite(size)) return std::numeric_limits<double>::max();
  return change.metric.is_share() || change.base == 0 ? size : size / std::abs(change.base);
}

TextTable table_of(const std::vector<const Change*>& changes) {
  TextTable table;
  for (const Change* const change : changes) {
    const ComparedMetric& metric = change->metric;
    table.add_row();
    table.add({"movement", "moved"}, name_of(change->movement));
    table.add({"system"}, change->series);
    table.add({"workload"}, change->workload);
    table.add({"metric"}, metric.name);
    table.add({"base"}, change->base, value_text(metric, change->base));
    table.add({"now"}, change->now, value_text(metric, change->now));
    table.add({"difference"}, change->difference.mean,
              difference_text(metric, change->difference.mean, true));
    table.add({"difference_95", "+-"}, change->difference.half_width,
              difference_text(metric, change->difference.half_width, false));
    table.add({"runs"}, change->difference.n);
  }
  return table;
}

/// Returns the changes with these movements, the largest first.
std::vector<const Change*> those_of(const Changes& changes, std::initializer_list<Movement> kinds) {
  std::vector<const Change*> found;
  for (const Change& change : changes.changes) {
    if (std::ranges::find(kinds, change.movement) != kinds.end()) found.push_back(&change);
  }
  std::ranges::stable_sort(found, std::greater{}, [](const Change* change) { return size_of(*change); });
  return found;
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : title + "\n" + body + "\n";
}

/// Returns one text for all problems "CELL: REASON" with the same reason: "workers 64, now 32: 12 cells, such
/// as CELL".
std::vector<std::string> by_reason(const std::vector<std::string>& problems) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const std::string& problem : problems) {
    const std::size_t colon = problem.rfind(": ");
    if (colon == std::string::npos) {  // a problem of the files, not of a cell
      reasons.push_back({problem, {}});
      continue;
    }
    const std::string reason = problem.substr(colon + 2);
    auto found = std::ranges::find(reasons, reason, &decltype(reasons)::value_type::first);
    if (found == reasons.end()) found = reasons.insert(found, {reason, {}});
    found->second.push_back(problem.substr(0, colon));
  }
  std::vector<std::string> texts;
  for (const auto& [reason, cells] : reasons)
    texts.push_back(cells.empty()
                        ? reason
                        : reason + ": " + counted(cells.size(), "cell") + ", such as " + cells.front());
  return texts;
}

std::vector<std::string> statuses_of(const Comparison& files) {
  std::vector<std::string> texts;
  for (const auto* const list : {&files.stopped, &files.resumed}) {
    for (const StatusChange& change : *list) texts.push_back(change.key.name() + ": " + change.text);
  }
  return texts;
}

/// Returns a text for each metric that lost values: "pard latency_ms_p99: no value any more in 3 cells, such
/// as CELL".
std::vector<std::string> lost_values(const Comparison& files) {
  std::vector<std::string> texts;
  for (const MetricChange& change : files.metrics) {
    if (!change.lost.empty())
      texts.push_back(change.series + " " + change.metric.name + ": no value any more in " +
                      counted(change.lost.size(), "cell") + ", such as " + change.lost.front());
  }
  return texts;
}

std::string counts_text(const Changes& changes) {
  const std::size_t noise = changes.count_of(Movement::kNoise);
  const std::size_t equal = changes.count_of(Movement::kEqual);
  const std::size_t once = changes.count_of(Movement::kOnce);
  const std::size_t judged = changes.changes.size() - equal - once;  // those with intervals
  std::string text =
      counted(changes.changes.size(), "comparison") + " in " + counted(changes.files.pairs, "cell") + ": " +
      std::to_string(judged - noise) + " moved, " + std::to_string(noise) + " within the noise, " +
      (once > 0 ? std::to_string(once) + " with one run, " : "") + std::to_string(equal) + " equal\n";
  if (judged > 0)
    text +=
        "one in twenty moves by chance: " + number_text(std::round(static_cast<double>(judged) / 2) / 10) +
        " of the " + std::to_string(judged) + " with noise\n";
  if (changes.files.simulated > 0)
    text += std::to_string(changes.files.same_fingerprint) + " of " +
            counted(changes.files.simulated, "simulated cell") + " decided everything alike\n";
  return text;
}

}  // namespace

const char* name_of(Movement movement) {
  constexpr const char* kNames[] = {"worse", "better", "moved", "one run", "noise", "equal"};
  return kNames[static_cast<std::size_t>(movement)];
}

std::size_t Changes::count_of(Movement movement) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(changes, [&](const Change& change) { return change.movement == movement; }));
}

std::vector<ComparedMetric> moved_metrics() {
  std::vector<ComparedMetric> metrics = {{"goodput_rps", better_of("goodput_rps"), {}}};
  for (const ComparedMetric& metric : usual_metrics()) {
    if (metric.name != "drop_rate") metrics.push_back(metric);
  }
  return metrics;
}

Changes changes_between(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                        const std::vector<ComparedMetric>& metrics) {
  Changes changes;
  changes.files = compare(base, now, metrics);
  const CellPairs cells = paired_cells(base, now);
  for (const CellPair& pair : cells.pairs)
    changes.pairs.emplace_back(pair.base->cell.index, pair.now->cell.index);
  for (const Group& group : groups_of(cells.pairs)) {
    for (const ComparedMetric& metric : metrics) {
      Change change = change_of(group, metric);
      if (change.difference.n > 0) changes.changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::string changes_text(const Changes& changes) {
  const Comparison& files = changes.files;
  const auto table = [&](std::initializer_list<Movement> kinds) {
    const std::vector<const Change*> found = those_of(changes, kinds);
    return found.empty() ? "" : aligned_text(table_of(found));
  };
  return section("Settings that differ", prefixed_lines("  ", files.settings)) +
         section("Not the same cells, or under another load",
                 prefixed_lines("  ", by_reason(files.problems))) +
         section("Cells that ran in one file alone", prefixed_lines("  ", statuses_of(files))) +
         section("Without a value now", prefixed_lines("  ", lost_values(files))) +
         section("Moved beyond the noise of the runs (95 %)",
                 table({Movement::kWorse, Movement::kBetter, Movement::kMoved})) +
         section("Differ in the one run that there is: noise is not known", table({Movement::kOnce})) +
         section("Within the noise", table({Movement::kNoise})) + counts_text(changes);
}

std::string changes_json(const Changes& changes) {
  const Comparison& files = changes.files;
  std::vector<const Change*> all;
  for (const Change& change : changes.changes) all.push_back(&change);
  JsonObject object;
  std::vector<Json> pairs;
  for (const auto& [base, now] : changes.pairs)
    pairs.push_back({json_of(std::vector<std::uint32_t>{base, now})});
  object.add("cells", files.pairs);
  object.add("pairs", Json{json_of(pairs)});
  object.add("simulated", files.simulated);
  object.add("same_fingerprint", files.same_fingerprint);
  object.add("settings", files.settings);
  object.add("not_comparable", files.problems);
  object.add("status", statuses_of(files));
  object.add("without_value", lost_values(files));
  object.add("changes", Json{json_text(table_of(all))});
  return object.json(",\n").text + "\n";
}

}  // namespace harness
