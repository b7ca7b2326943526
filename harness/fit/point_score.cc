#include "harness/fit/point_score.h"

#include <algorithm>
#include <cmath>

#include "harness/claims/judgement.h"

namespace harness {
namespace {

/// Judges the claim by the rows of its experiments that the point has.
Judgement judged(const Claim& claim, const std::map<std::string, std::vector<ResultRow>>& rows) {
  std::vector<ResultRow> of_claim;
  for (const std::string& name : claim.experiments) {
    const auto found = rows.find(name);
    if (found != rows.end()) of_claim.insert(of_claim.end(), found->second.begin(), found->second.end());
  }
  return judge(claim, of_claim);
}

bool seeds_disagree(const Claim& claim, const Judgement& judgement) {
  return std::ranges::any_of(judgement.groups, [&](const GroupResult& group) {
    return std::ranges::any_of(group.by_seed, [&](double value) {
      return claim.expect.contains(value) != claim.expect.contains(group.mean);
    });
  });
}

ClaimScore score_of(const Claim& claim, const std::map<std::string, std::vector<ResultRow>>& rows) {
  const Judgement judgement = judged(claim, rows);
  if (judgement.verdict == Verdict::kNotRun) return {};
  return {verdict_by_means(claim, judgement), seeds_disagree(claim, judgement), judgement.value};
}

double whole_range(const Interval& range) { return std::log(range.high / range.low); }

/// Returns the distance from a headline. If there is no value, nothing speaks for the range: it costs as much
/// as the worst values.
double headline_distance(const Headline& headline, const std::vector<Claim>& all_claims,
                         const std::map<std::string, std::vector<ResultRow>>& rows) {
  const Claim& claim = *find_claim(all_claims, headline.claim);
  const Judgement judgement = judged(claim, rows);
  std::vector<double> values;
  for (const GroupResult& group : judgement.groups) values.push_back(group.mean);
  if (values.empty()) return (claim.for_each.empty() ? 1 : 2) * whole_range(claim.expect);
  return distance_from(claim.expect, values, values.size() + judgement.missing.size() > 1);
}

}  // namespace

double ClaimScore::score() const {
  const double whole = verdict == Verdict::kReproduced ? 1 : verdict == Verdict::kPartly ? 0.5 : 0;
  return std::max(0.0, whole - (is_noisy ? 0.5 : 0));
}

PointScore score(const FitPlan& plan, const std::vector<const Claim*>& claims,
                 const std::vector<Claim>& all_claims,
                 const std::map<std::string, std::vector<ResultRow>>& rows) {
  PointScore point;
  for (const Claim* claim : claims) {
    point.claims.push_back(score_of(*claim, rows));
    point.judged += point.claims.back().verdict == Verdict::kNotRun ? 0 : 1;
    point.held += point.claims.back().score();
  }
  for (const Headline& headline : plan.headlines)
    point.distance += headline_distance(headline, all_claims, rows);
  return point;
}

double distance_from(const Interval& range, const std::vector<double>& values, bool of_ends) {
  const double whole = whole_range(range);
  const auto away = [&](double value, double end) {  // a ratio may be 0, or infinite
    return value > 0 ? std::min(whole, std::abs(std::log(value / end))) : whole;
  };
  const auto [least, most] = std::ranges::minmax(values);
  if (of_ends) return away(least, range.low) + away(most, range.high);
  return std::max(least < range.low ? away(least, range.low) : 0,
                  most > range.high ? away(most, range.high) : 0);
}

std::vector<ResultRow> best_rows(const FitBase& base, std::vector<ResultRow> rows) {
  const auto text = [](const ResultRow& row, const char* key) {
    const FieldValue* value = row.find(key);
    return value == nullptr ? std::string() : value->text;
  };
  std::map<std::string, std::map<std::string, std::pair<double, int>>> sums;  // by trace, then parameters
  for (const ResultRow& row : rows) {
    const FieldValue* metric = row.find(base.best_metric);
    if (!row.ok || metric == nullptr || !metric->number) continue;
    auto& [sum, count] = sums[text(row, "trace")][text(row, "parameters")];
    sum += *metric->number;
    ++count;
  }
  std::map<std::string, std::string> best;
  for (const auto& [of, candidates] : sums) {
    best[of] = std::ranges::min_element(candidates, {}, [](const auto& one) {
                 return one.second.first / one.second.second;
               })->first;
  }
  std::erase_if(rows, [&](const ResultRow& row) {
    const auto found = best.find(text(row, "trace"));
    return found == best.end() || found->second != text(row, "parameters");
  });
  const std::size_t slash = base.best_as.find('/');
  for (ResultRow& row : rows) {
    row.fields.insert_or_assign("system", FieldValue{base.best_as.substr(0, slash), std::nullopt});
    row.fields.insert_or_assign(
        "variant",
        FieldValue{slash == std::string::npos ? "default" : base.best_as.substr(slash + 1), std::nullopt});
  }
  return rows;
}

}  // namespace harness
