#include "harness/claims/verdict.h"

#include <algorithm>
#include <cmath>

#include "harness/claims/evaluation.h"
#include "harness/record/paired.h"

namespace harness {
namespace {

const std::vector<std::string> kSeedKey = {"seed"};
const std::vector<std::string> kNoKeys;

bool straddles(const Interval& interval, double mean, double half_width) {
  if (std::isnan(half_width)) return false;
  const bool inside = interval.contains(mean);
  return interval.contains(mean - half_width) != inside || interval.contains(mean + half_width) != inside;
}

/// The groups that the rows make: each combination of values of `keys`, in order of appearance.
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
    } else if (missing.empty()) {
      missing = evaluation.missing();
    }
  }
  if (group.by_seed.empty()) return group;
  const Spread spread = spread_of(group.by_seed);
  group.mean = spread.mean;
  group.half_width = spread.half_width;
  group.least = *std::min_element(group.by_seed.begin(), group.by_seed.end());
  group.most = *std::max_element(group.by_seed.begin(), group.by_seed.end());
  group.holds = claim.expect.contains(group.mean);
  group.within_noise = straddles(claim.expect, group.mean, group.half_width);
  return group;
}

/// The mean over the groups for each seed that all of them have: its spread is that of the seeds.
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
    const auto held = std::count_if(groups.begin(), groups.end(),
                                    [](const GroupResult& group) { return group.mean >= 0.5; });
    judgement.value = static_cast<double>(held) / static_cast<double>(groups.size());
  } else {
    std::vector<double> means;
    for (const GroupResult& group : groups) means.push_back(group.mean);
    judgement.value = spread_of(means).mean;
    judgement.half_width = spread_of(means_by_seed(groups)).half_width;
  }
}

Verdict verdict_of(const Claim& claim, const Judgement& judgement) {
  if (claim.combine != Combine::kAll) {
    if (claim.expect.contains(judgement.value)) return Verdict::kReproduced;
    const bool partly = claim.partly && claim.partly->contains(judgement.value);
    return partly ? Verdict::kPartly : Verdict::kNotReproduced;
  }
  const std::vector<GroupResult>& groups = judgement.groups;
  if (judgement.holding == groups.size() && judgement.missing.empty()) return Verdict::kReproduced;
  const bool within =
      claim.partly && std::all_of(groups.begin(), groups.end(), [&](const GroupResult& group) {
        return claim.partly->contains(group.mean);
      });
  const bool half = judgement.holding > 0 && 2 * judgement.holding >= groups.size();
  return within || half ? Verdict::kPartly : Verdict::kNotReproduced;
}

void add_keys(const Expression& expression, std::vector<std::string>& keys) {
  if (!expression.over.empty()) keys.push_back(expression.over);
  for (const Selector& selector : expression.selectors) keys.push_back(selector.key);
  for (const Expression& argument : expression.arguments) add_keys(argument, keys);
}

/// A parameter that no cell has would select nothing and group nothing, unnoticed.
std::string unknown_parameter(const Claim& claim, const std::vector<ResultRow>& rows) {
  std::vector<std::string> keys = claim.for_each;
  for (const Filter& filter : claim.where) keys.push_back(filter.key);
  add_keys(claim.expression, keys);
  for (const std::string& key : keys) {
    const auto has = [&](const ResultRow& row) { return row.find(key) != nullptr; };
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

bool Judgement::worse() const { return verdict != Verdict::kNotRun && verdict < claim->known; }

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
      judgement.groups.push_back(std::move(group));
    }
  }
  if (judgement.groups.empty()) {
    if (judgement.missing.empty()) judgement.missing.emplace_back("no cell fits where and for_each");
    return judgement;
  }
  for (const GroupResult& group : judgement.groups) {
    judgement.holding += group.holds ? 1 : 0;
    judgement.noisy += group.within_noise ? 1 : 0;
  }
  combine_groups(claim.combine, judgement);
  if (claim.combine != Combine::kAll)
    judgement.noisy = straddles(claim.expect, judgement.value, judgement.half_width) ? 1 : 0;
  judgement.verdict = verdict_of(claim, judgement);
  return judgement;
}

}  // namespace harness
