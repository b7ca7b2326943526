#include "harness/claims/judgement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/claims/claims_report.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

Claim claim_of(const std::string& more,
               const std::string& expression = "drop_rate[nexus] / drop_rate[pard]") {
  const std::string text =
      "[[claim]]\nid = \"c\"\nkind = \"paper\"\npaper = \"pard\"\nsection = \"5.2\"\nstatement = \"a < b & "
      "\\\"c\\\"\"\n"
      "paper_value = \"1.6x\"\nexperiment = \"overall\"\nexpression = \"" +
      expression + "\"\n" + more + "\n";
  return parse_claims_file("claims.toml", text, {}).front();
}

/// Adds rows in which Nexus drops `ratio` times as many requests as PARD, which drops 0.1, on that trace.
void add_pair(std::vector<SummaryRow>& rows, const std::string& trace, std::uint64_t seed, double ratio) {
  for (const bool nexus : {true, false}) {
    rows.push_back(test_row(nexus ? "nexus" : "pard", "", seed));
    rows.back()["drop_rate"] = nexus ? 0.1 * ratio : 0.1;
    rows.back().cell.trace = trace;
  }
}

/// Returns rows with these ratios by trace and seed: wiki 2 and 4, tweet 1 and 2, azure 6 and 6; their means
/// are 3, 1.5 and 6.
std::vector<ResultRow> three_traces() {
  std::vector<SummaryRow> rows;
  add_pair(rows, "wiki", 1, 2);
  add_pair(rows, "wiki", 2, 4);
  add_pair(rows, "tweet", 1, 1);
  add_pair(rows, "tweet", 2, 2);
  add_pair(rows, "azure", 1, 6);
  add_pair(rows, "azure", 2, 6);
  return result_rows("overall", rows);
}

/// Returns rows with the same means and noise on tweet alone: 3, 1.5 +- 6.35 (seeds 1 and 2) and 6. With
/// `steady` tweet has no noise either.
std::vector<ResultRow> calm_traces(bool steady) {
  std::vector<SummaryRow> rows;
  for (const std::uint64_t seed : {1, 2}) {
    add_pair(rows, "wiki", seed, 3);
    add_pair(rows, "tweet", seed, steady ? 1.5 : static_cast<double>(seed));
    add_pair(rows, "azure", seed, 6);
  }
  return result_rows("overall", rows);
}

constexpr const char* kByTrace = "for_each = \"trace\"\n";

TEST(Judge, MeansOverSeedsThenOverGroups) {
  const Claim claim = claim_of(std::string(kByTrace) + "expect = [1.6, 17]\ncombine = \"mean\"");
  const Judgement judgement = judge(claim, three_traces());
  ASSERT_EQ(judgement.groups.size(), 3u);
  EXPECT_EQ(judgement.groups[0].name(), "wiki");
  EXPECT_NEAR(judgement.groups[0].mean, 3, 1e-12);
  EXPECT_NEAR(judgement.groups[0].least, 2, 1e-12);
  EXPECT_NEAR(judgement.groups[0].most, 4, 1e-12);
  EXPECT_NEAR(judgement.groups[1].mean, 1.5, 1e-12);
  EXPECT_NEAR(judgement.value, 3.5, 1e-12);
  // Means by seed: (2 + 1 + 6) / 3 = 3 and (4 + 2 + 6) / 3 = 4; standard error 0.5.
  EXPECT_NEAR(judgement.half_width, 12.706 * 0.5, 1e-3);
  EXPECT_EQ(judgement.verdict, Verdict::kUndecided);
  EXPECT_EQ(judgement.worst, Verdict::kNotReproduced);
  EXPECT_EQ(judgement.best, Verdict::kReproduced);
  EXPECT_EQ(judgement.noisy, 1u);
}

TEST(Judge, IsWithinNoiseWhereTheConfidenceIntervalCoversAllThatIsExpected) {
  // 3.5 +- 6.35, as above: not in [5, 6], and both of its ends lie outside.
  const Claim claim = claim_of(std::string(kByTrace) + "expect = [5, 6]\ncombine = \"mean\"");
  const Judgement judgement = judge(claim, three_traces());
  EXPECT_EQ(judgement.verdict, Verdict::kUndecided);
  EXPECT_EQ(judgement.worst, Verdict::kNotReproduced);
  EXPECT_EQ(judgement.noisy, 1u);
}

TEST(Judge, AllGroupsOrTheCombinedNumberMustHold) {
  const struct {
    const char* why;
    std::string more;
    Verdict verdict;
    bool worse;  ///< true if worse than `known`, which is reproduced unless `more` sets it
  } cases[] = {
      {"all hold", "expect = [1.4, 6.1]", Verdict::kReproduced, false},
      {"all hold, at an open end", "expect = '> 1'", Verdict::kReproduced, false},
      {"two of three hold", "expect = [1.6, 17]", Verdict::kPartly, true},
      {"which is known", "expect = '> 2'\nknown = 'partly'", Verdict::kPartly, false},
      {"one of three holds", "expect = '> 5'", Verdict::kNotReproduced, true},
      {"the others within partly", "expect = '> 5'\npartly = '> 1'", Verdict::kPartly, true},
      {"one of them beyond it", "expect = '> 5'\npartly = '> 2'", Verdict::kNotReproduced, true},
      {"not run before", "expect = '> 10'\nknown = 'not run'", Verdict::kNotReproduced, false},
      {"none holds", "expect = '> 10'\nknown = 'partly'", Verdict::kNotReproduced, true},
      {"which is known", "expect = '> 10'\nknown = 'not reproduced'", Verdict::kNotReproduced, false},
      {"the least", "combine = 'min'\nexpect = [1.6, 17]", Verdict::kNotReproduced, true},
      {"the least within partly", "combine = 'min'\nexpect = [1.6, 17]\npartly = '> 1'", Verdict::kPartly,
       true},
  };
  for (const auto& [why, more, verdict, worse] : cases) {
    const Claim claim = claim_of(kByTrace + more);
    const Judgement judgement = judge(claim, calm_traces(true));
    EXPECT_EQ(judgement.verdict, verdict) << why;
    EXPECT_EQ(judgement.worst, verdict) << why;
    EXPECT_EQ(judgement.best, verdict) << why;
    EXPECT_EQ(judgement.worse(), worse) << why;
  }
}

TEST(Judge, IsUndecidedWhereTheGroupsWithinNoiseDecideTheVerdict) {
  const struct {
    const char* why;
    std::string more;
    Verdict worst;
    Verdict best;
    bool worse;
    bool doubtful;
  } cases[] = {
      {"two hold, three if tweet does", "expect = '> 2'", Verdict::kPartly, Verdict::kReproduced, false,
       true},
      {"which is known", "expect = '> 2'\nknown = 'undecided'", Verdict::kPartly, Verdict::kReproduced, false,
       false},
      {"of which less is known", "expect = '> 2'\nknown = 'not reproduced'", Verdict::kPartly,
       Verdict::kReproduced, false, false},
      {"all hold, two if tweet does not", "expect = '> 1'", Verdict::kPartly, Verdict::kReproduced, false,
       true},
      {"one holds, two if tweet does", "expect = '> 5'", Verdict::kNotReproduced, Verdict::kPartly, false,
       true},
      {"within noise of partly's limit", "expect = '> 5'\npartly = '> 1'", Verdict::kNotReproduced,
       Verdict::kPartly, false, true},
      {"none holds, or one", "expect = '> 7'\nknown = 'undecided'", Verdict::kNotReproduced,
       Verdict::kNotReproduced, true, false},
  };
  for (const auto& [why, more, worst, best, worse, doubtful] : cases) {
    const Claim claim = claim_of(kByTrace + more);
    const Judgement judgement = judge(claim, calm_traces(false));
    EXPECT_EQ(judgement.noisy, 1u) << why;
    EXPECT_EQ(judgement.worst, worst) << why;
    EXPECT_EQ(judgement.best, best) << why;
    EXPECT_EQ(judgement.verdict, worst == best ? worst : Verdict::kUndecided) << why;
    EXPECT_EQ(judgement.worse(), worse) << why;
    EXPECT_EQ(judgement.doubtful(), doubtful) << why;
  }
}

/// Returns rows of one trace with these ratios, one a seed.
std::vector<ResultRow> ratios(const std::vector<double>& values, std::uint64_t first_seed = 1) {
  std::vector<SummaryRow> rows;
  for (const double ratio : values) add_pair(rows, "wiki", first_seed++, ratio);
  return result_rows("overall", rows);
}

TEST(Judge, AnsweringYesWithEverySeedIsEvidenceOnlyIfThereAreEnough) {
  const Claim claim = claim_of("expect = [1, 1]", "drop_rate[nexus] > drop_rate[pard]");
  // Clopper and Pearson: of n seeds all yes the probability is at least 0.025^(1/n), above a half from 6 on.
  for (const std::size_t seeds : {2, 3, 5}) {
    EXPECT_EQ(judge(claim, ratios(std::vector<double>(seeds, 2))).verdict, Verdict::kUndecided) << seeds;
    EXPECT_EQ(judge(claim, ratios(std::vector<double>(seeds, 0.5))).verdict, Verdict::kUndecided) << seeds;
  }
  const Claim none = claim_of("expect = [0, 0]", "drop_rate[nexus] > drop_rate[pard]");
  EXPECT_EQ(judge(none, ratios(std::vector<double>(6, 0.5))).verdict, Verdict::kReproduced) << "expects no";
  EXPECT_EQ(judge(claim, ratios(std::vector<double>(6, 2))).verdict, Verdict::kReproduced);
  EXPECT_EQ(judge(claim, ratios(std::vector<double>(6, 0.5))).verdict, Verdict::kNotReproduced);
  EXPECT_EQ(judge(claim, ratios({2, 2, 2, 2, 2, 2, 2, 2, 2, 0.5})).verdict, Verdict::kReproduced);
  EXPECT_EQ(judge(claim, ratios({2, 2, 0.5, 2, 2, 0.5, 2, 2, 2, 0.5})).verdict, Verdict::kUndecided);
}

TEST(Judge, AGroupWithOneSeedBesideRepeatedOnesIsNotKnown) {
  std::vector<SummaryRow> rows;
  add_pair(rows, "wiki", 1, 2);
  add_pair(rows, "wiki", 2, 2.01);
  add_pair(rows, "tweet", 1, 3);
  const Judgement judgement =
      judge(claim_of(std::string(kByTrace) + "expect = '> 1'"), result_rows("overall", rows));
  EXPECT_EQ(judgement.verdict, Verdict::kUndecided);
  EXPECT_EQ(judge(claim_of("expect = '> 1'"), ratios({3})).verdict, Verdict::kReproduced)
      << "nothing is repeated";
}

TEST(Judge, NoDifferenceIsAVerdict) {
  const std::string equal = "expect = '> 1'\nequal = 0.01";
  EXPECT_EQ(judge(claim_of("expect = '> 1'"), ratios({1.001, 0.999, 1.0})).verdict, Verdict::kUndecided);
  EXPECT_EQ(judge(claim_of(equal), ratios({1.001, 0.999, 1.0})).verdict, Verdict::kNotReproduced);
  EXPECT_EQ(judge(claim_of(equal), ratios({1.005, 1.0051, 1.0052})).verdict, Verdict::kNotReproduced)
      << "above 1, but by less than counts";
  EXPECT_EQ(judge(claim_of(equal), ratios({1.02, 1.0201, 1.0202})).verdict, Verdict::kReproduced);
  EXPECT_EQ(judge(claim_of(equal), ratios({0.9, 1.1, 1.0})).verdict, Verdict::kUndecided);
  EXPECT_EQ(judge(claim_of(equal + "\ncombine = 'mean'"), ratios({1.001, 0.999, 1.0})).verdict,
            Verdict::kNotReproduced);
  EXPECT_TRUE(
      holds(refusal_of([] { claim_of("expect = [1, 2]\nequal = 0.01"); }), "c: equal", "[1, 2]", "one end"));
}

// With G groups one of which misses, the claim fails only if that is certain among G; that all hold needs no
// such care.
TEST(Judge, ManyGroupsAreCertainTogether) {
  std::vector<SummaryRow> rows;
  for (int trace = 0; trace < 20; ++trace) {
    add_pair(rows, "t" + std::to_string(trace), 1, trace == 0 ? 0.6 : 1.4);
    add_pair(rows, "t" + std::to_string(trace), 2, trace == 0 ? 0.61 : 1.41);
  }
  // 0.605 +- 0.0635 and 1.405 +- 0.0635 alone; of 20 groups +- 1.27.
  const auto verdict = [&](const std::string& expect) {
    return judge(claim_of(std::string(kByTrace) + expect), result_rows("overall", rows)).verdict;
  };
  EXPECT_EQ(verdict("expect = '> 0.5'"), Verdict::kReproduced);
  EXPECT_EQ(verdict("expect = '> 1'"), Verdict::kUndecided);
  EXPECT_EQ(verdict("expect = '> 3'"), Verdict::kNotReproduced);
}

TEST(Judge, TheFirstLookThatDecidesCounts) {
  const Claim claim = claim_of("expect = '> 1'");
  const std::vector<ResultRow> certain = ratios({2, 2.01});
  const std::vector<ResultRow> noisy = ratios({2, 0.5});
  const std::vector<ResultRow> against = ratios({0.5, 0.5, 0.5, 0.5}, 3);
  using Looks = std::vector<std::vector<ResultRow>>;
  // 2.005 +- 0.0635 with the whole error, +- 0.51 with an eighth of it.
  EXPECT_NEAR(judge(claim, certain).half_width, 12.706 * 0.005, 1e-4);
  EXPECT_NEAR(judge_looks(claim, Looks{certain}).half_width, student_t(1, 0.00625) * 0.005, 1e-9);
  const Judgement first = judge_looks(claim, Looks{certain, against});
  EXPECT_EQ(first.verdict, Verdict::kReproduced);
  EXPECT_EQ(first.looks, 1u);
  EXPECT_NEAR(first.half_width, student_t(1, 0.00625) * 0.005, 1e-9);
  const Judgement second = judge_looks(claim, Looks{noisy, against});
  EXPECT_EQ(second.looks, 2u);
  EXPECT_EQ(second.groups.front().by_seed.size(), 6u);
  EXPECT_EQ(second.verdict, Verdict::kUndecided) << "0.75 +- 1.1";
}

// Under a true mean at the limit itself each decision is an error: of many claims at most 5 % are decided.
TEST(Judge, AllLooksTogetherErrSeldom) {
  const Claim claim = claim_of("expect = '> 1'");
  RandomStream random(7, "looks");
  constexpr int kClaims = 600;
  int decided = 0;
  for (int i = 0; i < kClaims; ++i) {
    std::vector<std::vector<ResultRow>> looks;
    std::uint64_t seed = 1;
    for (const std::size_t seeds : {3, 3, 6, 12}) {
      std::vector<double> values;
      for (std::size_t s = 0; s < seeds; ++s) values.push_back(1 + 0.1 * random.normal());
      looks.push_back(ratios(values, seed));
      seed += seeds;
    }
    decided += judge_looks(claim, looks).verdict != Verdict::kUndecided ? 1 : 0;
  }
  EXPECT_LT(decided, kClaims * 0.05 + 3 * std::sqrt(kClaims * 0.05 * 0.95));
  EXPECT_GT(decided, kClaims * 0.01) << "not so careful that nothing is ever decided";
}

TEST(Judge, CombinesByMinMaxAndShare) {
  const auto value = [](const std::string& combine, const std::string& expression) {
    const Claim claim =
        claim_of(std::string(kByTrace) + "expect = '> 0'\ncombine = \"" + combine + "\"", expression);
    return judge(claim, three_traces()).value;
  };
  const std::string ratio = "drop_rate[nexus] / drop_rate[pard]";
  EXPECT_NEAR(value("min", ratio), 1.5, 1e-12);
  EXPECT_NEAR(value("max", ratio), 6, 1e-12);
  // Both seeds of wiki and azure are above 1.1 of PARD's drop rate, and one of two seeds of tweet.
  EXPECT_NEAR(value("share", "drop_rate[nexus] > 1.1 * drop_rate[pard]"), 1, 1e-12);
  EXPECT_NEAR(value("share", "drop_rate[nexus] > 3 * drop_rate[pard]"), 2.0 / 3, 1e-12);
  EXPECT_NEAR(value("share", "drop_rate[nexus] > 5 * drop_rate[pard]"), 1.0 / 3, 1e-12);
}

TEST(Judge, ReducesOverSeedsAtOnce) {
  // The means over the seeds are 3, 1.5 and 6.
  const Claim claim =
      claim_of("expect = [1.4, 1.6]", "min(mean(drop_rate[nexus] / drop_rate[pard] over seed) over trace)");
  const Judgement judgement = judge(claim, three_traces());
  ASSERT_EQ(judgement.groups.size(), 1u);
  EXPECT_EQ(judgement.groups[0].by_seed.size(), 1u);
  EXPECT_NEAR(judgement.value, 1.5, 1e-12);
}

TEST(Judge, LeavesOutWhatWasNotRun) {
  std::vector<SummaryRow> rows;
  add_pair(rows, "wiki", 1, 2);
  add_pair(rows, "wiki", 2, 4);
  rows.back().status = "invalid";
  add_pair(rows, "tweet", 1, 3);
  rows.back().status = "skipped";
  rows.back().why = "no plan";
  const Claim claim = claim_of(std::string(kByTrace) + "expect = '> 1'");
  const Judgement judgement = judge(claim, result_rows("overall", rows));
  ASSERT_EQ(judgement.groups.size(), 1u);
  EXPECT_EQ(judgement.groups[0].by_seed.size(), 1u);
  EXPECT_NEAR(judgement.groups[0].mean, 2, 1e-12);
  ASSERT_EQ(judgement.missing.size(), 1u);
  EXPECT_TRUE(holds(judgement.missing[0], "skipped: no plan"));
  EXPECT_EQ(judgement.verdict, Verdict::kPartly) << "of two groups one has no value";
}

TEST(Judge, NotRunSaysWhy) {
  const auto missing = [](const std::string& more, const std::string& expression) {
    const Claim claim = claim_of("expect = '> 1'\n" + more, expression);
    const Judgement judgement = judge(claim, three_traces());
    EXPECT_EQ(judgement.verdict, Verdict::kNotRun);
    EXPECT_FALSE(judgement.worse());
    return judgement.missing.at(0);
  };
  EXPECT_TRUE(holds(missing("", "drop_rate[naive]"), "no cell for drop_rate[naive]"));
  EXPECT_TRUE(holds(missing("where = { trace = 'nowhere' }", "drop_rate[pard]"), "where"));
  EXPECT_TRUE(holds(missing("where = { pard.lamda = 1 }", "drop_rate[pard]"), "pard.lamda"));
  EXPECT_EQ(missing("", "drop_rate[pard, lamda=1]"), "no cell has the parameter pard.lamda");
  EXPECT_EQ(missing("", "1 - max(drop_rate[pard] over lamda)"), "no cell has the parameter lamda");
}

TEST(ClaimsReport, TableCountsAndSaysWhichGroupsFail) {
  const Claim claim = claim_of(std::string(kByTrace) + "expect = [1.6, 17]");
  const std::string table = claims_table({judge(claim, three_traces())});
  EXPECT_TRUE(holds(table, "3.5", "(1.5 .. 6; 2 of 3"));
  EXPECT_TRUE(
      holds(table, "c: not [1.6, 17]: tweet 1.5 +- 6.353",
            "1 claim of kind paper: 0 reproduced, 0 partly, 1 undecided, 0 not reproduced, 0 not run; "
            "0 worse than known"));
}

TEST(ClaimsReport, JUnitEscapes) {
  const Claim claim = claim_of(std::string(kByTrace) + "expect = '> 10'");
  const std::string xml = claims_junit({judge(claim, calm_traces(true))});
  EXPECT_TRUE(holds(xml, "a &lt; b &amp; &quot;c&quot;", "<failure message=\"not reproduced"));
  EXPECT_TRUE(holds(xml, "expected &gt; 10", "kind: paper"));
}

}  // namespace
}  // namespace harness
