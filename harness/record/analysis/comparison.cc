#include "harness/record/analysis/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "harness/core/error.h"

namespace harness {
namespace {

using Pairs = std::vector<CellPair>;

struct Series {
  std::string name;
  Pairs pairs;
};

/// The sums over the runs of one cell.
struct Point {
  std::string workload;
  double base = 0, now = 0;  ///< sums
  double runs = 0;
};

bool has_value(double value) { return !std::isnan(value); }

/// True for columns on which no decision of a system has an effect.
bool is_timing(const std::string& metric) { return metric == "wall_s" || metric == "sim_requests_per_s"; }

bool is_simulated(const CellPair& pair) { return pair.key.runtime == "simulated"; }

bool same_fingerprint(const CellPair& pair) {
  return is_simulated(pair) && !pair.base->fingerprint.empty() &&
         pair.base->fingerprint == pair.now->fingerprint;
}

std::vector<Series> series_of(const Pairs& pairs) {
  std::vector<Series> result;
  for (const CellPair& pair : pairs) {
    const std::string name = pair.key.series_and_runtime();
    auto found =
        std::find_if(result.begin(), result.end(), [&](const Series& each) { return each.name == name; });
    if (found == result.end()) found = result.insert(result.end(), {name, {}});
    found->pairs.push_back(pair);
  }
  return result;
}

/// Sets the worst cell and the verdict.
void judge(MetricChange& change, const std::vector<Point>& points) {
  const ComparedMetric& metric = change.metric;
  double worst = 0;
  double best = 0;
  for (const Point& point : points) {
    const double moved = metric.change(point.base / point.runs, point.now / point.runs);
    const double worsening = metric.worsening(moved);
    best = std::max(best, -worsening);
    if (has_value(change.worst) && worsening <= worst) continue;
    worst = worsening;
    change.worst = moved;
    change.worst_cell = moved == 0 ? "" : point.workload;
  }
  if (metric.is_beyond(worst) || !change.lost.empty()) {
    change.verdict = ChangeVerdict::kRegression;
  } else if (metric.is_beyond(best)) {
    change.verdict = ChangeVerdict::kBetter;
  }
}

MetricChange change_of(const Series& series, const ComparedMetric& metric) {
  MetricChange change;
  change.series = series.name;
  change.metric = metric;
  std::vector<double> base, now, differences;
  std::map<CellKey, std::size_t> places;
  std::vector<Point> points;
  for (const CellPair& pair : series.pairs) {
    const double before = metric.value_in(*pair.base);
    const double after = metric.value_in(*pair.now);
    if (has_value(before) && !has_value(after)) change.lost.push_back(pair.key.workload_and_seed());
    if (!has_value(before) && has_value(after)) change.gained.push_back(pair.key.workload_and_seed());
    if (!has_value(before) || !has_value(after)) continue;
    base.push_back(before);
    now.push_back(after);
    differences.push_back(difference_of(before, after));
    const CellKey key = without(pair.key, kRepeatKey);
    const auto [place, is_new] = places.emplace(key, points.size());
    if (is_new) points.push_back({key.workload_and_seed(), 0, 0, 0});
    Point& point = points[place->second];
    point.base += before;
    point.now += after;
    ++point.runs;
  }
  change.base = spread_of(base).mean;
  change.now = spread_of(now).mean;
  change.difference = spread_of(differences);
  judge(change, points);
  return change;
}

std::string status_text(const SummaryRow& row) {
  return row.status + (row.why.empty() ? "" : " (" + row.why + ")");
}

void add_problems(Comparison& comparison, const CellPairs& cells) {
  const auto add = [&](const std::vector<CellKey>& keys, const char* what,
                       const std::vector<CellKey>& others) {
    for (const CellKey& key : keys) {
      const auto has_its_name = [&key](const CellKey& other) { return other.name() == key.name(); };
      const bool is_ambiguous = !key.parameters.empty() && std::ranges::any_of(others, has_its_name);
      comparison.problems.push_back(key.name() + (is_ambiguous ? " with " + key.parameters : "") + ": " +
                                    what);
    }
  };
  add(cells.only_base, "only in the base", cells.only_now);
  add(cells.only_now, "only in the new results", cells.only_base);
  add(cells.twice, "twice in one file", {});
  if (cells.pairs.empty()) comparison.problems.emplace_back("the files have no cell in common");
}

void count_fingerprints(Comparison& comparison, const CellPair& pair,
                        const std::vector<ComparedMetric>& metrics) {
  comparison.simulated += is_simulated(pair) ? 1 : 0;
  if (!same_fingerprint(pair)) return;
  ++comparison.same_fingerprint;
  const bool differs = std::any_of(metrics.begin(), metrics.end(), [&](const ComparedMetric& metric) {
    const double before = metric.value_in(*pair.base);
    const double after = metric.value_in(*pair.now);
    return !is_timing(metric.name) && before != after && (has_value(before) || has_value(after));
  });
  if (differs) comparison.recomputed.push_back(pair.key.name());
}

void add_settings(Comparison& comparison, const Pairs& pairs) {
  std::map<std::string, std::size_t> cells;
  for (const CellPair& pair : pairs) {
    for (const std::string& difference :
         settings_differences(pair.base->cell.effective_toml, pair.now->cell.effective_toml))
      ++cells[difference];
    const std::string& before = pair.base->devices;
    const std::string& after = pair.now->devices;
    if (!before.empty() && !after.empty() && before != after) ++cells["devices " + before + ", now " + after];
  }
  for (const auto& [difference, count] : cells)
    comparison.settings.push_back(difference + " (" + counted(count, "cell") + ")");
}

/// Notes a pair's status and problems; returns true if its metrics can be compared.
bool is_comparable(Comparison& comparison, const CellPair& pair) {
  if (!pair.ran()) {
    const StatusChange change{pair.key, status_text(*pair.base) + ", now " + status_text(*pair.now)};
    if (pair.base->status == "ok") {
      comparison.stopped.push_back(change);
    } else if (pair.now->status == "ok") {
      comparison.resumed.push_back(change);
    } else {
      ++comparison.idle;
    }
    return false;
  }
  const std::string difference = different_workload(pair);
  if (!difference.empty()) comparison.problems.push_back(pair.key.name() + ": " + difference);
  return difference.empty();
}

constexpr const char* kAssigns = " = ";
constexpr const char* kChecksum = "# ";
constexpr const char* kPlace = "# cell";  // its index in the experiment
constexpr const char* kRanks = "# on ";   // live cells have "# on 3 ranks"
constexpr const char* kParams = "params";

using Settings = std::map<std::string, std::string>;

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Adds the settings of an inline table, "{ a = 1, b = 2 }".
void add_inline(Settings& settings, const std::string& table, const std::string& prefix) {
  std::size_t begin = table.find_first_not_of("{ ");
  while (begin != std::string::npos && begin < table.size()) {
    const std::size_t end = std::min(table.find(", ", begin), table.find(" }", begin));
    const std::string pair = table.substr(begin, end == std::string::npos ? end : end - begin);
    const std::size_t equals = pair.find(kAssigns);
    if (equals != std::string::npos) settings[prefix + pair.substr(0, equals)] = pair.substr(equals + 3);
    if (end == std::string::npos || table[end] == ' ') return;
    begin = end + 2;
  }
}

Settings settings_of(const std::string& text) {
  Settings settings;
  std::istringstream lines(text);
  std::string prefix;
  std::string system;
  int faults = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      prefix = line.substr(line.find_first_not_of('['), line.find(']') - line.find_first_not_of('[')) + ".";
      if (prefix == "fault.") prefix = "fault " + std::to_string(++faults) + ".";
      continue;
    }
    const std::size_t equals = line.find(kAssigns);
    if (line.starts_with(kRanks)) {
      settings["ranks"] = line.substr(5, line.find(' ', 5) - 5);
    } else if (line.starts_with(kChecksum)) {  // "# profiles 0123...", under the settings
      const std::size_t space = line.find(' ', 2);
      if (space != std::string::npos)
        settings[kChecksum + line.substr(2, space - 2)] = line.substr(space + 1);
    } else if (equals != std::string::npos) {
      const std::string key = line.substr(0, equals);
      const std::string value = line.substr(equals + 3);
      if (prefix + key == "system.name") system = unquoted(value);
      if (key == kParams) {
        add_inline(settings, value, system + ".");
      } else {
        settings[prefix + key] = value;
      }
    }
  }
  return settings;
}

/// Returns the name or path of the file to which a checksum belongs; "" if it is not known.
std::string name_of_contents(const Settings& settings, const std::string& kind) {
  for (const auto& [key, value] : settings) {
    const bool names = kind == "pipeline"   ? key == "workload.pipelines"
                       : kind == "profiles" ? key == "cluster.profiles"
                       : kind == "library"  ? key == "system.library"
                                            : key.starts_with("trace.") && key.ends_with(".file");
    if (!names) continue;
    const bool is_list = value.size() >= 2 && value.front() == '[';
    return unquoted(is_list ? value.substr(1, value.size() - 2) : value);
  }
  return "";
}

/// True for a setting that a cell has only if something is wanted; without it nothing of the kind happens.
bool is_optional(const std::string& key) { return key.starts_with("fault ") || key == "cell_limit_s"; }

/// Adds the optional settings of `some` that `others` lack, with `words` after each.
void add_one_sided(const Settings& some, const Settings& others, const char* words,
                   std::vector<std::string>& differences) {
  for (const auto& [key, value] : some) {
    if (is_optional(key) && others.count(key) == 0)
      differences.push_back(key + " " + unquoted(value) + words);
  }
}

}  // namespace

const char* name_of(ChangeVerdict verdict) {
  constexpr const char* kNames[] = {"same", "better", "regression"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::size_t Comparison::regressions() const { return stopped.size() + count_of(ChangeVerdict::kRegression); }

std::size_t Comparison::count_of(ChangeVerdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      metrics.begin(), metrics.end(), [&](const MetricChange& change) { return change.verdict == verdict; }));
}

Comparison compare(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                   const std::vector<ComparedMetric>& metrics) {
  Comparison comparison;
  const CellPairs cells = paired_cells(base, now);
  comparison.pairs = cells.pairs.size();
  add_problems(comparison, cells);
  add_settings(comparison, cells.pairs);
  Pairs comparable;
  for (const CellPair& pair : cells.pairs) {
    if (is_comparable(comparison, pair)) comparable.push_back(pair);
  }
  if (!cells.pairs.empty() && comparison.idle == cells.pairs.size())
    comparison.problems.emplace_back("no cell ran in either file");
  for (const CellPair& pair : comparable) count_fingerprints(comparison, pair, metrics);
  for (const Series& series : series_of(comparable)) {
    for (const ComparedMetric& metric : metrics) {
      MetricChange change = change_of(series, metric);
      const bool has_none = change.difference.n == 0 && change.lost.empty();
      if (!metric.where_present || !has_none) comparison.metrics.push_back(std::move(change));
    }
  }
  return comparison;
}

std::vector<std::string> settings_differences(const std::string& base, const std::string& now) {
  std::vector<std::string> differences;
  if (base == now) return differences;
  const Settings before = settings_of(base);
  const Settings after = settings_of(now);
  for (const auto& [key, value] : after) {
    const auto found = before.find(key);
    if (found == before.end() || found->second == value || key == kPlace) continue;
    if (!key.starts_with(kChecksum)) {
      differences.push_back(key + " " + unquoted(found->second) + ", now " + unquoted(value));
      continue;
    }
    const std::string kind = key.substr(2);
    const std::string name = name_of_contents(after, kind);
    const std::string note = kind == "profiles" ? " (or a file that it names)" : "";
    differences.push_back("contents of " + kind + " differ" + (name.empty() ? "" : ": " + name + note));
  }
  add_one_sided(before, after, " before, now none", differences);
  add_one_sided(after, before, " now, none before", differences);
  return differences;
}

std::map<std::string, std::string> contents_of(const std::string& effective_toml) {
  std::map<std::string, std::string> contents;
  const Settings settings = settings_of(effective_toml);
  for (const auto& [key, value] : settings) {
    if (!key.starts_with(kChecksum) || key == kPlace) continue;
    const std::string kind = key.substr(2);
    contents[kind + " " + name_of_contents(settings, kind)] = value;
  }
  return contents;
}

}  // namespace harness
