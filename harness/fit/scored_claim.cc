#include "harness/fit/scored_claim.h"

#include <algorithm>
#include <cmath>

#include "harness/claims/glob.h"
#include "harness/claims/result_rows.h"
#include "harness/core/wording.h"

namespace harness {
namespace {

bool is_decided(const FitPlan& plan, const Claim& claim) {
  return std::ranges::any_of(claim.experiments, [&](const std::string& name) {
    return std::ranges::find(plan.bases, name, &FitBase::as) != plan.bases.end();
  });
}

bool fits_any(const std::vector<std::string>& patterns, const std::string& id) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return fits_glob(pattern, id); });
}

}  // namespace

const Claim* find_claim(const std::vector<Claim>& all_claims, const std::string& id) {
  const auto found = std::ranges::find(all_claims, id, &Claim::id);
  return found == all_claims.end() ? nullptr : &*found;
}

std::vector<const Claim*> scored_claims(const FitPlan& plan, const std::vector<Claim>& all_claims) {
  std::vector<const Claim*> scored;
  for (const Claim& claim : all_claims) {
    const bool wanted = plan.only_steps || claim.kind == Kind::kPaper;
    if (wanted && fits_any(plan.claims, claim.id) && is_decided(plan, claim)) scored.push_back(&claim);
  }
  for (const FitBase& base : plan.bases) {
    const std::vector<std::string> known = numeric_columns();
    if (!base.best_metric.empty() && std::ranges::find(known, base.best_metric) == known.end())
      throw_unknown({base.place.file, base.place.line, "base.best.metric"}, "metric", base.best_metric,
                    known);
  }
  const InputPlace& at = plan.claims_place;
  for (const std::string& pattern : plan.claims) {
    const auto fits = [&](const Claim& claim) { return fits_glob(pattern, claim.id); };
    if (std::ranges::none_of(all_claims, fits))
      throw input_error(at, pattern, "ids of " + plan.claims_file + ", * for any characters");
  }
  if (scored.empty()) {
    std::string names;
    for (const FitBase& base : plan.bases) names += (names.empty() ? "" : ", ") + base.as;
    throw input_error(at, join_names(plan.claims),
                      std::string("claims of ") + (plan.only_steps ? "any kind" : "kind paper") +
                          " whose `experiment` is the `as` of a base: " + names);
  }
  for (const Headline& headline : plan.headlines) {
    const Claim* claim = find_claim(all_claims, headline.claim);
    const bool has_range = claim != nullptr && claim->expect.low > 0 && std::isfinite(claim->expect.high);
    if (!has_range)
      throw input_error(headline.place, headline.claim,
                        "a claim of " + plan.claims_file + " that expects a range of ratios");
  }
  return scored;
}

}  // namespace harness
