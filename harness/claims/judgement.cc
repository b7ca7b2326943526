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
constexpr Interval kMaxSeeds = {.low = 0.5};  ///< interval of the mean of a comparison that holds

/// True if mean +- half_width has values in the interval and values outside of it; its ends may also lie on
/// both sides of the interval.
bool straddles(const Interval& interval, double mean, double half_width) {
  if (std::isnan(half_width)) return false;
  const double low = mean - half_width;
  const double high = mean + half_width;
  if (interval.contains(low) && interval.contains(high)) return false;
  return interval.contains(low) || interval.contains(high) || (low < interval.low && interval.high < high);
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
    const FieldValue* experiment = row->find("experiment");
    if (cell != nullptr && experiment != nullptr && cell->number)
      group.cells[experiment->text].insert(static_cast<std::size_t>(*cell->number));
  }
}

GroupResult evaluated(const Claim& claim, const std::vector<const ResultRow*>& rows,
                      const std::vector<Selector>& keys, std::string& missing) {
  GroupResult group;
  group.keys = keys;
  InputPlace place = claim.place;
  place.key = claim.id + ": expression";
  const bool at_once = reduces_over(claim.expression, "seed");
  for (const std::vector<Selector>& seed : groups_of(rows, at_once ? kNoKeys : kSeedKey)) {
    std::vector<const ResultRow*> of_seed;
    for (const ResultRow* row : rows) {
      if (at_once || fits_binding(*row, seed.front())) of_seed.push_back(row);
    }
    Evaluation evaluation(of_seed, keys, place);
    if (const std::optional<double> value = evaluation.value(claim.expression)) {
      group.by_seed.push_back(*value);
      group.seeds.push_back(at_once ? "all" : seed.front().value.text);
      add_cells(evaluation.used(), group);
    } else {
      ++group.without;
      if (missing.empty()) missing = evaluation.missing();
    }
  }
  if (group.by_seed.empty()) return group;
  const Spread spread = spread_of(group.by_seed);
  group.mean = spread.mean;
  group.half_width = spread.half_width;
  group.least = *std::min_element(group.by_seed.begin(), group.by_seed.end());
  group.most = *std::max_element(group.by_seed.begin(), group.by_seed.end());
  const Interval& held = claim.combine == Combine::kShare ? kMaxSeeds : claim.expect;
  group.holds = held.contains(group.mean);
  group.within_noise = straddles(held, group.mean, group.half_width);
  return group;
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

void combine_groups(Combine combine, Judgement& judgement) {
  const auto less = [](const GroupResult& a, const GroupResult& b) { return a.mean < b.mean; };
  const std::vector<GroupResult>& groups = judgement.groups;
  if (combine == Combine::kMin || combine == Combine::kMax) {
    const auto extreme = combine == Combine::kMin ? std::min_element(groups.begin(), groups.end(), less)
                                                  : std::max_element(groups.begin(), groups.end(), less);
    judgement.value = extreme->mean;
    judgement.half_width = extreme->half_width;
  } else if (combine == Combine::kShare) {
    judgement.value = static_cast<double>(judgement.holding) / static_cast<double>(groups.size());
  } else {
    std::vector<double> means;
    for (const GroupResult& group : groups) means.push_back(group.mean);
    judgement.value = spread_of(means).mean;
    judgement.half_width = spread_of(means_by_seed(groups)).half_width;
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
void find_verdict(const Claim& claim, Judgement& judgement) {
  std::size_t surely = 0;
  std::size_t perhaps = 0;
  const auto count = [&](bool holds, bool noisy) {
    surely += holds && !noisy ? 1 : 0;
    perhaps += holds || noisy ? 1 : 0;
    judgement.noisy += noisy ? 1 : 0;
  };
  if (is_one_number(claim.combine)) {
    count(claim.expect.contains(judgement.value),
          straddles(claim.expect, judgement.value, judgement.half_width));
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

Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows) {
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
  for (const GroupResult& group : judgement.groups) judgement.holding += group.holds ? 1 : 0;
  combine_groups(claim.combine, judgement);
  find_verdict(claim, judgement);
  return judgement;
}

}  // namespace harness
