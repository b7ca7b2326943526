#include "harness/experiment/reading/repeat_until.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

const std::string kTwoSeeds =
    "[workload]\npipelines = [\"tm\", \"lv\"]\ntraces = \"poisson\"\nseeds = [4, 2]\n"
    "[[system]]\nname = \"naive\"\n[[system]]\nname = \"pard\"\n";
const std::string kRepeat = "[repeat_until]\nmetric = \"drop_rate\"\nhalf_width = 0.01\n";

SummaryRow row(const std::string& system, const std::string& pipeline, std::uint64_t seed, double drop_rate) {
  SummaryRow made;
  made.cell.system = system;
  made.cell.variant = "default";
  made.cell.pipeline = pipeline;
  made.cell.trace = "poisson";
  made.cell.load = 1;
  made.cell.seed = seed;
  made.slo_ms = 400;
  made["drop_rate"] = drop_rate;
  return grouped(made);
}

// Two values a and b: the deviation is |a - b| / sqrt(2), the half-width t(1) |a - b| / 2 with t(1) = 12.706.
TEST(RepeatUntil, TheWidestIntervalOfTheMetricCounts) {
  const std::vector<SummaryRow> rows = {row("naive", "tm", 1, 0.30), row("pard", "tm", 1, 0.10),
                                        row("naive", "tm", 2, 0.34), row("pard", "tm", 2, 0.11),
                                        row("naive", "lv", 1, 0.20), row("pard", "lv", 1, 0.10),
                                        row("naive", "lv", 2, 0.21), row("pard", "lv", 2, 0.12)};
  const Repetition found = judge({"drop_rate", 0.01, "", 20}, rows);
  EXPECT_NEAR(found.widest, 12.7062 * 0.04 / 2, 1e-5);
  EXPECT_EQ(found.where, "naive, tm poisson load 1 slo 400 ms");
}

// Differences: tm -0.20, -0.23; lv -0.10, -0.10.
TEST(RepeatUntil, DifferencesToTheBaselineAreTakenSeedBySeed) {
  const std::vector<SummaryRow> rows = {row("naive", "tm", 1, 0.30), row("pard", "tm", 1, 0.10),
                                        row("naive", "tm", 2, 0.34), row("pard", "tm", 2, 0.11),
                                        row("naive", "lv", 1, 0.20), row("pard", "lv", 1, 0.10),
                                        row("naive", "lv", 2, 0.25), row("pard", "lv", 2, 0.15)};
  const Repetition found = judge({"drop_rate", 0.01, "naive", 20}, rows);
  EXPECT_NEAR(found.widest, 12.7062 * 0.03 / 2, 1e-5);
  EXPECT_EQ(found.where, "pard - naive, tm poisson load 1 slo 400 ms");
}

TEST(RepeatUntil, ASingleValueIsNotEnoughAndNoValueDemandsNothing) {
  std::vector<SummaryRow> rows = {row("naive", "tm", 1, kNoValue), row("naive", "tm", 2, kNoValue)};
  EXPECT_EQ(judge({"drop_rate", 0.01, "", 20}, rows).widest, 0);
  EXPECT_EQ(judge({"drop_rate", 0.01, "", 20}, rows).where, "");
  rows.push_back(row("naive", "tm", 3, 0.5));
  EXPECT_TRUE(std::isinf(judge({"drop_rate", 0.01, "", 20}, rows).widest));
  rows.push_back(row("naive", "tm", 4, 0.5));
  EXPECT_EQ(judge({"drop_rate", 0.01, "", 20}, rows).widest, 0);
  EXPECT_NE(judge({"drop_rate", 0.01, "", 20}, rows).where, "");
}

TEST(RepeatUntil, AddsTheIntegersAfterTheLargestSeed) {
  const ExperimentSpec spec = parse(kTwoSeeds + kRepeat + "max_seeds = 5\n");
  EXPECT_EQ(spec.workload.seeds, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_EQ(spec.workload.added_seeds, (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(first_seeds(spec), 2U);
  EXPECT_EQ(max_seeds(spec), 5U);
  EXPECT_EQ(max_seeds(parse(kTwoSeeds + kRepeat)), 20U);
  const ExperimentSpec one = parse(kTwoSeeds + kRepeat, {"workload.seeds=7"});
  EXPECT_EQ(first_seeds(one), 2U);
  EXPECT_EQ(one.workload.added_seeds.front(), 8U);
  EXPECT_EQ(one.workload.added_seeds.size(), 19U);
  EXPECT_EQ(first_seeds(parse(kTwoSeeds)), 2U);
  EXPECT_EQ(max_seeds(parse(kTwoSeeds)), 2U);
}

// The cells of the listed seeds keep numbers and hashes; the cells of each added seed follow in the same
// order.
TEST(RepeatUntil, CellsOfAddedSeedsStandAfterAllOthers) {
  const ExperimentSpec plain = parse(kTwoSeeds);
  const ExperimentSpec spec = parse(kTwoSeeds + kRepeat + "baseline = \"pard\"\nmax_seeds = 4\n");
  CellFactory before(plain, "b");
  CellFactory factory(spec, "b");
  ASSERT_EQ(before.cells().size(), 8U);
  ASSERT_EQ(factory.cells().size(), 16U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(factory.prepare(factory.cells()[i]).identity.input_hash,
              before.prepare(before.cells()[i]).identity.input_hash);
  }
  const std::vector<std::string> order = {"naive tm", "pard tm", "naive lv", "pard lv"};
  for (std::size_t i = 8; i < 16; ++i) {
    const CellIdentity is = factory.prepare(factory.cells()[i]).identity;
    EXPECT_EQ(is.index, i);
    EXPECT_EQ(is.seed, i < 12 ? 5U : 6U);
    EXPECT_EQ(is.system + " " + is.pipeline, order[i % 4]);
  }
  EXPECT_EQ(cells_with_seeds(spec, factory.cells(), 2), 8U);
  EXPECT_EQ(cells_with_seeds(spec, factory.cells(), 3), 12U);
  EXPECT_EQ(cells_with_seeds(spec, factory.cells(), 4), 16U);
  EXPECT_EQ(cells_with_seeds(plain, before.cells(), 2), 8U);
}

TEST(RepeatUntil, ErrorsSayWhatIsAllowed) {
  EXPECT_EQ(
      error_of(kTwoSeeds + "[repeat_until]\nmetric = \"drop_rat\"\nhalf_width = 1\n")
          .rfind("exp/test.toml:10: repeat_until.metric: found unknown metric 'drop_rat', did you mean", 0),
      0U);
  EXPECT_EQ(
      error_of(kTwoSeeds + "[repeat_until]\nhalf_width = 1\n").rfind("exp/test.toml:9: repeat_until", 0), 0U);
  EXPECT_NE(error_of(kTwoSeeds + "[repeat_until]\nmetric = \"drop_rate\"\n").find("half_width: missing"),
            std::string::npos);
  EXPECT_NE(error_of(kTwoSeeds + kRepeat + "baseline = \"prad\"\n").find("did you mean 'pard'"),
            std::string::npos);
  EXPECT_NE(error_of(kTwoSeeds + kRepeat + "max_seeds = 1\n").find("an integer from 2"), std::string::npos);
  EXPECT_NE(error_of(kTwoSeeds + kRepeat + "max_seeds = 2.5\n").find("an integer from 2"), std::string::npos);
  EXPECT_NE(error_of(kTwoSeeds + kRepeat + "most_seed = 2\n").find("did you mean 'max_seeds'"),
            std::string::npos);
  std::string three = kTwoSeeds;
  three.replace(three.find("[4, 2]"), 6, "[1, 2, 3]");
  EXPECT_NE(error_of(three + kRepeat + "max_seeds = 2\n").find("at least the 3 seeds"), std::string::npos);
  const std::string baseline = "baseline = \"pard\"\n";
  EXPECT_NE(
      error_of(kTwoSeeds + kRepeat + baseline + sweep("pard.lambda", "[0.1, 0.2]")).find("one configuration"),
      std::string::npos);
  const std::string planned = "planner = \"inferline\"\n";  // the last of its systems is pard
  EXPECT_NE(error_of(kTwoSeeds + planned + kRepeat + "baseline = \"pard/planner=inferline\"\n" +
                     sweep("inferline.plan", "[\"greedy\", \"coarse_peak\"]"))
                .find("pard/planner=inferline, with a sweep of inferline.plan"),
            std::string::npos);
  EXPECT_NE(error_of(kTwoSeeds + "only = { pipelines = [\"lv\"] }\n" + kRepeat + baseline)
                .find("no cells on tm with poisson"),
            std::string::npos);
}

}  // namespace
}  // namespace harness
