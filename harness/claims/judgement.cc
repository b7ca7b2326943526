#include "harness/claims/judgement.h"

#include <algorithm>
#include <cmath>

#include "harness/claims/evaluation.h"
#include "harness/core/wording.h"
#include "harness/record/analysis/spread.h"

namespace harness {
namespace {

const std::vector<std::string> kSeedKey = {"seed"};
const std::vector<std::string> kNoKeys;
constexpr Interval kMostSeeds = {.low = 0.5};  ///< interval of the mean of a comparison that holds

constexpr ConfidenceInterval kNoInterval;

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

/// Returns the numbers among which the value of a group that holds lies.
const Interval& held(const Claim& claim) {
  return claim.combine == Combine::kShare || is_yes_or_no(claim.expression) ? kMostSeeds : claim.expect;
}

GroupResult evaluated(const Claim& claim, const std::vector<const ResultRow*>& rows,
                      const std::vector<Selector>& keys, std::string& missing) {
  GroupResult group;
  group.keys = keys;
  InputPlace place = claim.place;
  place.key = claim.id + ": expression";
  const bool at_once = reduces_over(claim.expression, "seed");
  std::size_t most_rows = 0;  // that a seed of the experiment's own results has used
  for (const std::vector<Selector>& seed : groups_of(rows, at_once ? kNoKeys : kSeedKey)) {
    std::vector<const ResultRow*> of_seed;
    for (const ResultRow* row : rows) {
      if (at_once || fits_binding(*row, seed.front())) of_seed.push_back(row);
    }
    const bool is_added = !at_once && of_seed.front()->find(kResultsField) != nullptr;
    Evaluation evaluation(of_seed, keys, place);
    const std::optional<double> value = evaluation.value(claim.expression);
    const std::set<const ResultRow*> used(evaluation.used().begin(), evaluation.used().end());
    if (is_added && (!value || used.size() < most_rows)) continue;  // it repeats cells of other claims
    if (value) {
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
  group.holds = held(claim).contains(group.mean);
  return group;
}

/// Returns the confidence interval of the group's mean, or of the probability that its comparison holds.
ConfidenceInterval interval_of(const Claim& claim, const GroupResult& group, double error) {
  if (is_yes_or_no(claim.expression) && group.by_seed.size() > 1) {
    const auto count = static_cast<std::size_t>(std::count(group.by_seed.begin(), group.by_seed.end(), 1.0));
    return share_interval(count, group.by_seed.size(), error);
  }
  const double half = half_width_of(spread_of(group.by_seed), error);
  return std::isnan(half) ? kNoInterval : ConfidenceInterval{group.mean - half, group.mean + half};
}

/// True if every number of the range is as near to the claim's limit as one that says "no difference".
bool is_no_difference(const Claim& claim, const ConfidenceInterval& range) {
  if (!claim.equal || std::isnan(range.low)) return false;
  const double limit = std::isinf(claim.expect.low) ? claim.expect.high : claim.expect.low;
  return range.low >= limit - *claim.equal && range.high <= limit + *claim.equal;
}

/// Finds what is certain of the groups. If all hold beyond their own noise, so does the claim (an
/// intersection-union test); else the intervals of all groups together have the error.
void find_noise(const Claim& claim, double error, std::vector<GroupResult>& groups) {
  const auto shared = error / static_cast<double>(groups.size());
  bool all_hold = true;
  for (GroupResult& group : groups) {
    const ConfidenceInterval own = interval_of(claim, group, error);
    const ConfidenceInterval wide = interval_of(claim, group, shared);
    group.half_width = (own.high - own.low) / 2;
    group.is_equal = is_no_difference(claim, wide);
    if (group.is_equal) group.holds = false;
    group.within_noise = !group.is_equal && straddles(held(claim), wide);
    all_hold = all_hold && group.holds && !straddles(held(claim), own);
  }
  if (!all_hold) return;
  for (GroupResult& group : groups) group.within_noise = false;
}

/// Returns the mean over the groups for each seed that all of them have. The spread of these means is due to
/// the seeds alone.
std::vector<double> means_by_seed(const std::vector<GroupResult>& groups) {
  std::vector<double> means;
  for (const std::string& seed : groups.front().seeds) {
    std::vector<double> values;
    for (const GroupResult& group : groups) {
      const auto at = std::find(group.seeds.begin(), group.seeds.end(), seed);
      if (at != group.seeds.end())
        values.push_back(group.by_seed[static_cast<std::size_t>(at - group.seeds.begin())]);
    }
    if (values.size() == groups.size()) means.push_back(spread_of(values).mean);
  }
  return means;
}

/// Sets the number that the groups make, with its confidence interval in `range`, kNoInterval if it has none.
void combine_groups(const Claim& claim, double error, Judgement& judgement, ConfidenceInterval& range) {
  const auto less = [](const GroupResult& a, const GroupResult& b) { return a.mean < b.mean; };
  const std::vector<GroupResult>& groups = judgement.groups;
  range = kNoInterval;
  if (claim.combine == Combine::kMin || claim.combine == Combine::kMax) {
    const bool least = claim.combine == Combine::kMin;
    const auto extreme = least ? std::min_element(groups.begin(), groups.end(), less)
                               : std::max_element(groups.begin(), groups.end(), less);
    judgement.value = extreme->mean;
    judgement.half_width = extreme->half_width;
    for (const GroupResult& group : groups) {
      const ConfidenceInterval own = interval_of(claim, group, error / static_cast<double>(groups.size()));
      range.low = least ? std::fmin(range.low, own.low) : std::fmax(range.low, own.low);
      range.high = least ? std::fmin(range.high, own.high) : std::fmax(range.high, own.high);
    }
  } else if (claim.combine == Combine::kShare) {
    judgement.value = static_cast<double>(judgement.holding) / static_cast<double>(groups.size());
  } else {
    std::vector<double> means;
    for (const GroupResult& group : groups) means.push_back(group.mean);
    judgement.value = spread_of(means).mean;
    judgement.half_width = half_width_of(spread_of(means_by_seed(groups)), error);
    if (!std::isnan(judgement.half_width))
      range = {judgement.value - judgement.half_width, judgement.value + judgement.half_width};
  }
}

bool is_one_number(Combine combine) { return combine != Combine::kAll && combine != Combine::kShare; }

/// Returns the verdict if `holding` of the groups hold. One combined number counts as one group, 0 or 1.
Verdict verdict_of(const Claim& claim, const Judgement& judgement, std::size_t holding) {
  const std::vector<GroupResult>& groups = judgement.groups;
  if (claim.combine != Combine::kAll) {
    const bool share = claim.combine == Combine::kShare;
    const double value =
        share ? static_cast<double>(holding) / static_cast<double>(groups.size()) : judgement.value;
    if (share ? claim.expect.contains(value) : holding > 0) return Verdict::kReproduced;
    return claim.partly && claim.partly->contains(value) ? Verdict::kPartly : Verdict::kNotReproduced;
  }
  if (holding == groups.size() && judgement.missing.empty()) return Verdict::kReproduced;
  const bool within =
      claim.partly && std::all_of(groups.begin(), groups.end(), [&](const GroupResult& group) {
        return claim.partly->contains(group.mean);
      });
  const bool half = holding > 0 && 2 * holding >= groups.size();
  return within || half ? Verdict::kPartly : Verdict::kNotReproduced;
}

/// Finds the verdicts for every number of groups that may hold, from the number of groups that hold in spite
/// of noise to that plus all groups within noise; the last two are the limits of the claim's verdict.
void find_verdict(const Claim& claim, const ConfidenceInterval& range, Judgement& judgement) {
  std::size_t surely = 0;
  std::size_t perhaps = 0;
  const auto count = [&](bool holds, bool noisy) {
    surely += holds && !noisy ? 1 : 0;
    perhaps += holds || noisy ? 1 : 0;
    judgement.noisy += noisy ? 1 : 0;
  };
  if (is_one_number(claim.combine)) {
    const bool is_equal = is_no_difference(claim, range);
    count(claim.expect.contains(judgement.value) && !is_equal, !is_equal && straddles(claim.expect, range));
  } else {
    for (const GroupResult& group : judgement.groups) count(group.holds, group.within_noise);
  }
  judgement.worst = judgement.best = verdict_of(claim, judgement, surely);
  for (std::size_t holding = surely + 1; holding <= perhaps; ++holding) {
    const Verdict verdict = verdict_of(claim, judgement, holding);
    judgement.worst = std::min(judgement.worst, verdict);
    judgement.best = std::max(judgement.best, verdict);
  }
  judgement.verdict = judgement.worst == judgement.best ? judgement.worst : Verdict::kUndecided;
}

void add_keys(const Expression& expression, std::vector<std::string>& keys) {
  if (!expression.over.empty()) keys.push_back(expression.over);
  for (const Selector& selector : expression.selectors) keys.push_back(selector.key);
  for (const Expression& argument : expression.arguments) add_keys(argument, keys);
}

/// Returns a message about a parameter of the claim that no cell has; "" if there is no such parameter.
/// Without this check such a parameter would select nothing and group nothing, unnoticed.
std::string unknown_parameter(const Claim& claim, const std::vector<ResultRow>& rows) {
  std::vector<std::string> keys = claim.for_each;
  for (const Filter& filter : claim.where) keys.push_back(filter.key);
  add_keys(claim.expression, keys);
  for (const std::string& key : keys) {
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
  const bool holds = claim.expect.contains(judgement.value);
  return verdict_of(claim, judgement, is_one_number(claim.combine) ? holds : judgement.holding);
}

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
  ConfidenceInterval range;
  combine_groups(claim, error, judgement, range);
  find_verdict(claim, range, judgement);
  return judgement;
}

Judgement judge_looks(const Claim& claim, std::span<const std::vector<ResultRow>> looks) {
  Judgement judgement;
  std::vector<ResultRow> rows;
  for (std::size_t look = 0; look < std::min(looks.size(), kLookShares.size()); ++look) {
    rows.insert(rows.end(), looks[look].begin(), looks[look].end());
    judgement = judge(claim, rows, kVerdictError * kLookShares[look]);
    judgement.looks = look + 1;
    const bool has_interval = reduces_over(claim.expression, "seed") ||
                              std::ranges::any_of(judgement.groups, [](const GroupResult& group) {
                                return group.by_seed.size() > 1;
                              });
    if (judgement.verdict != Verdict::kUndecided && has_interval) break;
  }
  return judgement;
}

}  // namespace harness
