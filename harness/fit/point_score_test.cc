#include "harness/fit/point_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/test_refusal.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

std::string claim(const std::string& id, const std::string& experiment, const std::string& more,
                  const std::string& kind = "paper") {
  return "[[claim]]\nid = \"" + id + "\"\nkind = \"" + kind +
         "\"\npaper = \"pard\"\nsection = \"5.2\"\nstatement = \"less\"\npaper_value = \"1.6x\"\nexperiment "
         "= " +
         experiment + "\nexpression = \"drop_rate[nexus] / drop_rate[pard]\"\n" + more + "\n";
}

FitPlan plan_of(const std::string& headline = "") {
  FitPlan plan;
  plan.file = "fit.toml";
  plan.claims = {"pard.*"};
  plan.bases.emplace_back().as = "overall";
  if (!headline.empty()) plan.headlines = {{"drop rate", headline, {"fit.toml", 0, ""}}};
  return plan;
}

/// Returns rows in which Nexus drops `ratio` times as many as PARD's 0.1.
std::vector<ResultRow> rows_of(const std::vector<double>& ratios, const std::string& experiment = "overall") {
  std::vector<SummaryRow> rows;
  for (std::size_t seed = 0; seed < ratios.size(); ++seed) {
    for (const char* system : {"nexus", "pard"}) {
      rows.push_back(test_row(system, "", seed));
      rows.back()["drop_rate"] = system[0] == 'n' ? 0.1 * ratios[seed] : 0.1;
    }
  }
  return result_rows(experiment, rows);
}

TEST(ScoredClaims, OfKindPaperThatABaseDecides) {
  const std::vector<Claim> all_claims =
      parse_claims_file("claims.toml",
                        claim("pard.a", "\"overall\"", "expect = \"> 1\"") +
                            claim("pard.c", "\"overall\"", "expect = \"> 1\"", "reading") +
                            claim("pard.d", "\"elsewhere\"", "expect = \"> 1\"") +
                            claim("loki.e", "\"overall\"", "expect = \"> 1\""),
                        {});
  const std::vector<const Claim*> scored = scored_claims(plan_of(), all_claims);
  ASSERT_EQ(scored.size(), 1u);
  EXPECT_EQ(scored[0]->id, "pard.a");
  EXPECT_EQ(score(plan_of(), scored, all_claims, {{"overall", rows_of({2, 3})}}).held, 1);
  const PointScore none = score(plan_of(), scored, all_claims, {{"other", rows_of({2, 3}, "other")}});
  EXPECT_EQ(none.held, 0);
  EXPECT_EQ(none.judged, 0u);
  FitPlan odd = plan_of("pard.zzz");
  EXPECT_NE(refusal_of([&] { scored_claims(odd, all_claims); }).find("pard.zzz"), std::string::npos);
  odd = plan_of("pard.a");  // "> 1" has no upper end
  EXPECT_NE(refusal_of([&] { scored_claims(odd, all_claims); }).find("a range of ratios"), std::string::npos);
  odd = plan_of();
  odd.bases[0].best_metric = "drop_rat";
  EXPECT_NE(refusal_of([&] { scored_claims(odd, all_claims); }).find("did you mean 'drop_rate'"),
            std::string::npos);
  odd = plan_of();
  odd.claims = {"quart.*"};
  EXPECT_NE(refusal_of([&] { scored_claims(odd, all_claims); }).find("found quart.*"), std::string::npos);
}

TEST(ScoredClaims, StepsJudgeClaimsOfEveryKind) {
  const std::vector<Claim> all_claims =
      parse_claims_file("claims.toml",
                        claim("pard.a", "\"overall\"", "expect = \"> 1\"") +
                            claim("pard.c", "\"overall\"", "expect = \"> 1\"", "reading"),
                        {});
  FitPlan plan = plan_of();
  plan.only_steps = true;
  EXPECT_EQ(scored_claims(plan, all_claims).size(), 2u);
}

TEST(Score, WholeHalfAndLessWhereTheSeedsDisagree) {
  const std::vector<Claim> all_claims = parse_claims_file(
      "claims.toml", claim("pard.a", "\"overall\"", "expect = [1.6, 17]\npartly = \"> 1\""), {});
  const std::vector<const Claim*> scored = scored_claims(plan_of(), all_claims);
  const auto held = [&](const std::vector<double>& ratios) {
    return score(plan_of(), scored, all_claims, {{"overall", rows_of(ratios)}}).held;
  };
  EXPECT_EQ(held({2, 3}), 1);
  EXPECT_EQ(held({1.2, 3}), 0.5);    // the mean holds, one seed does not
  EXPECT_EQ(held({1.2, 1.3}), 0.5);  // partly
  EXPECT_EQ(held({1.2, 1.7}), 0);    // partly, and one seed holds
  EXPECT_EQ(held({0.5, 0.6}), 0);
  EXPECT_EQ(held({0.1, 1.7}), 0);
}

TEST(Score, TheHeadlinesDistanceIsThatOfTheEnds) {
  const Interval range{1.6, 17};
  EXPECT_EQ(distance_from(range, {5}, false), 0);
  EXPECT_NEAR(distance_from(range, {0.8}, false), std::log(2), 1e-12);
  EXPECT_NEAR(distance_from(range, {34}, false), std::log(2), 1e-12);
  EXPECT_NEAR(distance_from(range, {3.2, 5, 8.5}, true), std::log(2) + std::log(2), 1e-12);
  EXPECT_NEAR(distance_from(range, {17, 1.6}, true), 0, 1e-12);
  EXPECT_NEAR(distance_from(range, {16}, true), std::log(10) + std::log(17.0 / 16), 1e-12);
  const double whole = std::log(17 / 1.6);  // what an end costs at most
  EXPECT_NEAR(distance_from(range, {0, std::numeric_limits<double>::infinity()}, true), 2 * whole, 1e-12);
  EXPECT_NEAR(distance_from(range, {std::numeric_limits<double>::infinity()}, false), whole, 1e-12);
  EXPECT_NEAR(distance_from(range, {1e-9, 17}, true), whole, 1e-12);
  const std::vector<Claim> all_claims =
      parse_claims_file("claims.toml", claim("pard.a", "\"overall\"", "expect = [1.6, 17]"), {});
  const FitPlan plan = plan_of("pard.a");
  const PointScore point =
      score(plan, scored_claims(plan, all_claims), all_claims, {{"overall", rows_of({0.8, 0.8})}});
  EXPECT_NEAR(point.distance, std::log(2), 1e-9);
  EXPECT_NEAR(point.objective(), -std::log(2), 1e-9);
  // Where nothing is dropped the ratio does not exist.
  EXPECT_NEAR(score(plan, scored_claims(plan, all_claims), all_claims, {}).distance, whole, 1e-9);
  const std::vector<Claim> of_workloads = parse_claims_file(
      "claims.toml", claim("pard.a", "\"overall\"", "expect = [1.6, 17]\nfor_each = [\"pipeline\"]"), {});
  EXPECT_NEAR(score(plan, scored_claims(plan, of_workloads), of_workloads, {}).distance, 2 * whole, 1e-9);
}

// Thresholds 10 and 20 of oc: 20 drops least on wiki, 10 on tweet, in the mean of two seeds.
TEST(BestRows, WhatWasTunedCounts) {
  std::vector<SummaryRow> rows;
  const auto add = [&](const char* trace, const char* threshold, std::uint64_t seed, double drop_rate) {
    rows.push_back(test_row("pard", std::string("pard.overload_threshold_ms=") + threshold, seed));
    rows.back().cell.variant = "aimd";
    rows.back().cell.trace = trace;
    rows.back()["drop_rate"] = drop_rate;
  };
  add("wiki", "10", 1, 0.1);
  add("wiki", "10", 2, 0.5);
  add("wiki", "20", 1, 0.2);
  add("wiki", "20", 2, 0.3);
  add("tweet", "10", 1, 0.1);
  add("tweet", "10", 2, 0.1);
  add("tweet", "20", 1, 0.2);
  add("tweet", "20", 2, 0.2);
  FitBase base;
  base.best_metric = "drop_rate";
  base.best_as = "pard/oc";
  const std::vector<ResultRow> best = best_rows(base, result_rows("oc-search", rows));
  ASSERT_EQ(best.size(), 4u);
  for (const ResultRow& row : best) {
    EXPECT_EQ(row.find("system")->text, "pard");
    EXPECT_EQ(row.find("variant")->text, "oc");
    const bool wiki = row.find("trace")->text == "wiki";
    EXPECT_EQ(*row.find("pard.overload_threshold_ms")->number, wiki ? 20 : 10);
  }
}

}  // namespace
}  // namespace harness
