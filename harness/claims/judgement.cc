#include "harness/claims/judgement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/claims/evaluation.h"
#include "harness/core/wording.h"
#include "harness/record/analysis/spread.h"

namespace harness {
namespace {

const std::vector<std::string> kSeedKey = {"seed"};
const std::vector<std::string> kNoKeys;
constexpr Interval kMostSeeds = {.low = 0.5};  ///< interval of the share of seeds that is most of them
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The interval of results that were not repeated, which count as exact.
constexpr ConfidenceInterval kNoInterval;
constexpr ConfidenceInterval kAnything = {-kInfinity, kInfinity};

/// True if a number of that confidence interval may lie in `interval` and may lie outside of it.
bool straddles(const Interval& interval, const ConfidenceInterval& range) {
  if (std::isnan(range.low)) return false;
  if (interval.contains(range.low) && interval.contains(range.high)) return false;
  return interval.contains(range.low) || interval.contains(range.high) ||
         (range.low < interval.low && interval.high < range.high);
}

/// Returns the groups of the rows: each combination of values of `keys`, in order of appearance.
std::vector<std::vector<Selector>> groups_of(const std::vector<const ResultRow*>& rows,
                                             const std::vector<std::string>& keys) {
  std::vector<std::vector<Selector>> groups;
  for (const ResultRow* row : rows) {
    std::vector<Selector> group;
    for (const std::string& key : keys) {
      if (const FieldValue* value = row->find(key)) group.push_back({key, *value});
    }
    const auto same = [&](const std::vector<Selector>& other) {
      return std::equal(other.begin(), other.end(), group.begin(), group.end(),
                        [](const Selector& a, const Selector& b) { return same_value(a.value, b.value); });
    };
    if (group.size() == keys.size() && std::none_of(groups.begin(), groups.end(), same))
      groups.push_back(group);
  }
  return groups;
}

void add_cells(const std::vector<const ResultRow*>& rows, GroupResult& group) {
  for (const ResultRow* row : rows) {
    const FieldValue* cell = row->find("cell");
    const FieldValue* experiment =
        row->find(row->find(kResultsField) != nullptr ? kResultsField : "experiment");
    if (cell != nullptr && experiment != nullptr && cell->number)
      group.cells[experiment->text].insert(static_cast<std::size_t>(*cell->number));
  }
}

/// True if the claim is judged by the share of seeds with which it holds, not by the mean of these values:
/// they say yes or no, or are the same with every seed because they rest on comparisons.
bool counts_seeds(const Claim& claim, const std::vector<double>& values) {
  if (claim.combine == Combine::kShare || is_yes_or_no(claim.expression)) return true;
  return is_discrete(claim.expression) && std::ranges::count(values, values.front()) == std::ssize(values);
}

/// True if the claim holds with that value of one seed.
bool holds_with(const Claim& claim, double value) {
  return claim.combine == Combine::kShare ? kMostSeeds.contains(value) : claim.expect.contains(value);
}

/// Returns the numbers among which the value of a group that holds lies: of a mean, or of a share of seeds.
const Interval& held(const Claim& claim, const std::vector<double>& values) {
  return counts_seeds(claim, values) ? kMostSeeds : claim.expect;
}

/// Returns the mean of the values, or the share of them with which the claim holds.
double judged_value(const Claim& claim, const std::vector<double>& values) {
  if (!counts_seeds(claim, values)) return spread_of(values).mean;
  const auto count = std::ranges::count_if(values, [&](double value) { return holds_with(claim, value); });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

/// Returns the confidence interval of judged_value(). One value has none if nothing was `repeated`, and may
/// stand for any otherwise.
ConfidenceInterval interval_of(const Claim& claim, const std::vector<double>& values, double error,
                               bool repeated) {
  if (values.size() < 2) return repeated ? kAnything : kNoInterval;
  if (counts_seeds(claim, values)) {
    const auto count = std::ranges::count_if(values, [&](double value) { return holds_with(claim, value); });
    return share_interval(static_cast<std::size_t>(count), values.size(), error);
  }
  const Spread spread = spread_of(values);
  if (std::isinf(spread.mean) && std::ranges::count(values, spread.mean) == std::ssize(values))
    return {spread.mean, spread.mean};
  const double half = half_width_of(spread, error);
  return std::isfinite(half) ? ConfidenceInterval{spread.mean - half, spread.mean + half} : kAnything;
}

GroupResult evaluated(const Claim& claim, const std::vector<const ResultRow*>& rows,
                      const std::vector<Selector>& keys, std::string& missing) {
  GroupResult group;
  group.keys = keys;
  InputPlace place = claim.place;
  place.key = claim.id + ": expression";
  const bool at_once = reduces_over(claim.expression, "seed");
  std::size_t most_rows = 0;  // the most rows that a seed has used so far
  for (const std::vector<Selector>& seed : groups_of(rows, at_once ? kNoKeys : kSeedKey)) {
    std::vector<const ResultRow*> of_seed;
    for (const ResultRow* row : rows) {
      if (at_once || fits_binding(*row, seed.front())) of_seed.push_back(row);
    }
    Evaluation evaluation(of_seed, keys, place);
    const std::optional<double> value = evaluation.value(claim.expression);
    const std::set<const ResultRow*> used(evaluation.used().begin(), evaluation.used().end());
    const auto is_of_look = [](const ResultRow* row) { return row->find(kResultsField) != nullptr; };
    const bool is_added =
        value ? std::ranges::any_of(used, is_of_look) : std::ranges::all_of(of_seed, is_of_look);
    const bool all_ran = std::ranges::all_of(of_seed, &ResultRow::ok);
    const bool is_partial = is_added && (!value || used.size() < most_rows);
    if (is_partial && all_ran) continue;  // the look repeats cells of other claims
    if (value && !is_partial) {
      group.by_seed.push_back(*value);
      group.seeds.push_back(at_once ? "all" : seed.front().value.text);
      add_cells(evaluation.used(), group);
      most_rows = std::max(most_rows, used.size());
    } else {
      ++group.without;
      if (missing.empty()) missing = evaluation.missing();
    }
  }
  if (group.by_seed.empty()) return group;
  group.mean = spread_of(group.by_seed).mean;
  group.least = *std::min_element(group.by_seed.begin(), group.by_seed.end());
  group.most = *std::max_element(group.by_seed.begin(), group.by_seed.end());
  group.holds = held(claim, group.by_seed).contains(judged_value(claim, group.by_seed));
  return group;
}

/// True if every number of the range is as near to the claim's limit as one that says "no difference".
bool is_no_difference(const Claim& claim, const ConfidenceInterval& range) {
  if (!claim.equal || std::isnan(range.low)) return false;
  const double limit = std::isinf(claim.expect.low) ? claim.expect.high : claim.expect.low;
  return range.low >= limit - *claim.equal && range.high <= limit + *claim.equal;
}

bool was_repeated(const std::vector<GroupResult>& groups) {
  return std::ranges::any_of(groups, [](const GroupResult& group) { return group.by_seed.size() > 1; });
}

/// Finds what is certain of the groups. If all hold beyond their own noise, so does the claim (an
/// intersection-union test); else the intervals of all groups together have the error.
void find_noise(const Claim& claim, double error, std::vector<GroupResult>& groups) {
  const auto shared = error / static_cast<double>(groups.size());
  const bool repeated = was_repeated(groups);
  bool all_hold = true;
  for (GroupResult& group : groups) {
    const ConfidenceInterval own = interval_of(claim, group.by_seed, error, repeated);
    group.range = interval_of(claim, group.by_seed, shared, repeated);
    group.half_width = half_width_of(spread_of(group.by_seed), error);
    group.is_equal = is_no_difference(claim, group.range);
    if (group.is_equal) group.holds = false;
    group.within_noise = !group.is_equal && straddles(held(claim, group.by_seed), group.range);
    all_hold = all_hold && group.holds && !is_no_difference(claim, own) &&
               !straddles(held(claim, group.by_seed), own);
  }
  if (!all_hold) return;
  for (GroupResult& group : groups) group.within_noise = false;
}

double combined(Combine combine, const std::vector<double>& values) {
  if (combine == Combine::kMin) return std::ranges::min(values);
  if (combine == Combine::kMax) return std::ranges::max(values);
  return spread_of(values).mean;
}

/// Returns the groups' number for each seed that all of them have. Its spread is due to the seeds alone.
std::vector<double> combined_by_seed(Combine combine, const std::vector<GroupResult>& groups) {
  std::vector<double> numbers;
  for (const std::string& seed : groups.front().seeds) {
    std::vector<double> values;
    for (const GroupResult& group : groups) {
      const auto at = std::find(group.seeds.begin(), group.seeds.end(), seed);
      if (at != group.seeds.end())
        values.push_back(group.by_seed[static_cast<std::size_t>(at - group.seeds.begin())]);
    }
    if (values.size() == groups.size()) numbers.push_back(combined(combine, values));
  }
  return numbers;
}

/// Returns the confidence interval of the least or greatest of the groups' means: all of theirs at once.
ConfidenceInterval range_of_extreme(Combine combine, const std::vector<GroupResult>& groups) {
  ConfidenceInterval range = groups.front().range;
  for (const GroupResult& group : groups) {
    const bool least = combine == Combine::kMin;
    range.low = least ? std::min(range.low, group.range.low) : std::max(range.low, group.range.low);
    range.high = least ? std::min(range.high, group.range.high) : std::max(range.high, group.range.high);
  }
  return range;
}

/// Sets the number that the groups make. Returns its confidence interval, or the one of the share of seeds
/// with which the claim holds.
ConfidenceInterval combine_groups(const Claim& claim, double error, Judgement& judgement) {
  const std::vector<GroupResult>& groups = judgement.groups;
  if (claim.combine == Combine::kShare) {
    judgement.value = static_cast<double>(judgement.holding) / static_cast<double>(groups.size());
    return kNoInterval;
  }
  std::vector<double> means;
  for (const GroupResult& group : groups) means.push_back(group.mean);
  judgement.value = combined(claim.combine, means);
  const std::vector<double> by_seed = combined_by_seed(claim.combine, groups);
  const bool is_extreme = claim.combine == Combine::kMin || claim.combine == Combine::kMax;
  if (is_extreme) {
    const auto of = std::ranges::find(groups, judgement.value, &GroupResult::mean);
    judgement.half_width = of->half_width;
  } else {
    judgement.half_width = half_width_of(spread_of(by_seed), error);
  }
  if (by_seed.empty()) return was_repeated(groups) ? kAnything : kNoInterval;
  if (is_extreme && !counts_seeds(claim, by_seed)) return range_of_extreme(claim.combine, groups);
  return interval_of(claim, by_seed, error, was_repeated(groups));
}

bool is_one_number(Combine combine) { return combine != Combine::kAll && combine != Combine::kShare; }

/// Returns the verdict if `holding` of the groups hold, and if all lie `within` the interval of "partly". One
/// combined number counts as one group, 0 or 1.
Verdict verdict_of(const Claim& claim, const Judgement& judgement, std::size_t holding, bool within) {
  const std::size_t groups = judgement.groups.size();
  if (claim.combine == Combine::kShare) {
    const double value = static_cast<double>(holding) / static_cast<double>(groups);
    if (claim.expect.contains(value)) return Verdict::kReproduced;
    return claim.partly && claim.partly->contains(value) ? Verdict::kPartly : Verdict::kNotReproduced;
  }
  if (is_one_number(claim.combine)) {
    if (holding > 0) return Verdict::kReproduced;
    return within ? Verdict::kPartly : Verdict::kNotReproduced;
  }
  if (holding == groups && judgement.missing.empty()) return Verdict::kReproduced;
  const bool half = holding > 0 && 2 * holding >= groups;
  return within || half ? Verdict::kPartly : Verdict::kNotReproduced;
}

/// The certainty that something is so.
struct Certainty {
  bool surely = false;
  bool perhaps = false;
};

/// Returns whether the numbers lie in the interval of "partly".
Certainty within_partly(const Claim& claim, const Judgement& judgement, const ConfidenceInterval& range) {
  if (!claim.partly || claim.combine == Combine::kShare) return {};
  Certainty within{true, true};
  const auto add = [&](double value, const std::vector<double>& by_seed, const ConfidenceInterval& of) {
    // What is judged by shares of seeds has no interval of its value: its mean counts.
    const bool noisy = !by_seed.empty() && !counts_seeds(claim, by_seed) && straddles(*claim.partly, of);
    within.surely = within.surely && claim.partly->contains(value) && !noisy;
    within.perhaps = within.perhaps && (claim.partly->contains(value) || noisy);
  };
  if (is_one_number(claim.combine)) {
    add(judgement.value, combined_by_seed(claim.combine, judgement.groups), range);
  } else {
    for (const GroupResult& group : judgement.groups) add(group.mean, group.by_seed, group.range);
  }
  return within;
}

/// Returns whether the combined number holds.
Certainty holding_number(const Claim& claim, const Judgement& judgement, const ConfidenceInterval& range) {
  const std::vector<double> by_seed = combined_by_seed(claim.combine, judgement.groups);
  const bool is_share = by_seed.size() > 1 && counts_seeds(claim, by_seed);
  const bool is_equal = !is_share && is_no_difference(claim, range);
  const bool holds = is_share ? judged_value(claim, by_seed) >= 0.5 : claim.expect.contains(judgement.value);
  const bool noisy = straddles(is_share ? kMostSeeds : claim.expect, range);
  return {holds && !noisy && !is_equal, (holds || noisy) && !is_equal};
}

/// Finds the claim's verdict, and its limits: the worst and the best of the verdicts that noise leaves open.
/// Any number of the groups within noise may hold, and where "partly" is within noise, it may be so or not.
void find_verdict(const Claim& claim, const ConfidenceInterval& range, Judgement& judgement) {
  std::size_t surely = 0;
  std::size_t perhaps = 0;
  if (is_one_number(claim.combine)) {
    const Certainty holds = holding_number(claim, judgement, range);
    surely = holds.surely ? 1 : 0;
    perhaps = holds.perhaps ? 1 : 0;
    judgement.noisy = perhaps - surely;
  } else {
    for (const GroupResult& group : judgement.groups) {
      surely += group.holds && !group.within_noise ? 1 : 0;
      perhaps += group.holds || group.within_noise ? 1 : 0;
      judgement.noisy += group.within_noise ? 1 : 0;
    }
  }
  const Certainty within = within_partly(claim, judgement, range);
  judgement.worst = verdict_of(claim, judgement, surely, within.surely);
  judgement.best = judgement.worst;
  for (std::size_t holding = surely; holding <= perhaps; ++holding) {
    for (const bool is_within : {within.surely, within.perhaps}) {
      const Verdict verdict = verdict_of(claim, judgement, holding, is_within);
      judgement.worst = std::min(judgement.worst, verdict);
      judgement.best = std::max(judgement.best, verdict);
    }
  }
  judgement.verdict = judgement.worst == judgement.best ? judgement.worst : Verdict::kUndecided;
}

void add_keys(const Expression& expression, std::vector<std::string>& keys) {
  if (!expression.over.empty()) keys.push_back(expression.over);
  for (const Selector& selector : expression.selectors) keys.push_back(selector.key);
  for (const Expression& argument : expression.arguments) add_keys(argument, keys);
}

/// Returns all keys by which the claim selects, groups or reduces.
std::vector<std::string> keys_of(const Claim& claim) {
  std::vector<std::string> keys = claim.for_each;
  for (const Filter& filter : claim.where) keys.push_back(filter.key);
  add_keys(claim.expression, keys);
  return keys;
}

/// Returns a message about a parameter of the claim that no cell has; "" if there is no such parameter.
/// Without this check such a parameter would select nothing and group nothing, unnoticed.
std::string unknown_parameter(const Claim& claim, const std::vector<ResultRow>& rows) {
  for (const std::string& key : keys_of(claim)) {
    const auto has = [&](const ResultRow& row) {
      return row.find(key) != nullptr || (key == kMinute && !row.minutes.empty());
    };
    if (std::any_of(rows.begin(), rows.end(), has)) continue;
    std::vector<std::string> names;
    for (const ResultRow& row : rows) {
      for (const auto& field : row.fields) {
        if (field.first.find('.') != std::string::npos) names.push_back(field.first);
      }
    }
    const std::string nearest = nearest_name(key, names);
    return "no cell has the parameter " + key + (nearest.empty() ? "" : " (did you mean " + nearest + "?)");
  }
  return "";
}

}  // namespace

std::string GroupResult::name() const {
  std::string text;
  for (const Selector& key : keys) {
    const bool bare = !key.value.number;
    text += (text.empty() ? "" : " ") + (bare ? key.value.text : key.key + "=" + key.value.text);
  }
  return text;
}

bool Judgement::worse() const {
  return verdict != Verdict::kNotRun && verdict != Verdict::kUndecided && verdict < claim->known;
}

bool Judgement::doubtful() const { return verdict == Verdict::kUndecided && verdict < claim->known; }

Verdict verdict_by_means(const Claim& claim, const Judgement& judgement) {
  const bool is_number = is_one_number(claim.combine);
  const bool within =
      claim.partly && (is_number ? claim.partly->contains(judgement.value)
                                 : std::ranges::all_of(judgement.groups, [&](const GroupResult& group) {
                                     return claim.partly->contains(group.mean);
                                   }));
  const bool holds = claim.expect.contains(judgement.value);
  return verdict_of(claim, judgement, is_number ? holds : judgement.holding, within);
}

bool gains_by_seeds(const Claim& claim) { return std::ranges::count(keys_of(claim), "seed") == 0; }

Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows, double error) {
  Judgement judgement;
  judgement.claim = &claim;
  if (std::string unknown = unknown_parameter(claim, rows); !unknown.empty()) {
    judgement.missing.push_back(std::move(unknown));
    return judgement;
  }
  std::vector<const ResultRow*> kept;
  for (const ResultRow& row : rows) {
    const auto keeps = [&](const Filter& filter) { return filter.keeps(row); };
    if (std::all_of(claim.where.begin(), claim.where.end(), keeps)) kept.push_back(&row);
  }
  for (const std::vector<Selector>& keys : groups_of(kept, claim.for_each)) {
    std::string missing;
    GroupResult group = evaluated(claim, kept, keys, missing);
    if (group.by_seed.empty()) {
      judgement.missing.push_back(missing);
    } else {
      if (group.without > 0) judgement.without = missing;
      judgement.groups.push_back(std::move(group));
    }
  }
  if (judgement.groups.empty()) {
    if (judgement.missing.empty()) judgement.missing.emplace_back("no cell fits where and for_each");
    return judgement;
  }
  find_noise(claim, error, judgement.groups);
  for (const GroupResult& group : judgement.groups) judgement.holding += group.holds ? 1 : 0;
  find_verdict(claim, combine_groups(claim, error, judgement), judgement);
  return judgement;
}

Judgement judge_looks(const Claim& claim, std::span<const std::vector<ResultRow>> looks) {
  Judgement judgement;
  std::vector<ResultRow> rows;
  for (std::size_t look = 0; look < std::min(looks.size(), kLookShares.size()); ++look) {
    rows.insert(rows.end(), looks[look].begin(), looks[look].end());
    judgement = judge(claim, rows, kVerdictError * kLookShares[look]);
    judgement.looks = look + 1;
    const bool is_repeated = std::ranges::all_of(
        judgement.groups, [](const GroupResult& group) { return group.by_seed.size() > 1; });
    if (judgement.verdict != Verdict::kUndecided && (is_repeated || !gains_by_seeds(claim))) break;
  }
  return judgement;
}

}  // namespace harness
