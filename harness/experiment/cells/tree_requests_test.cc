// The keys of [workload] that concern task trees alone: what counts as an answer, and how many visits a
// visit causes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

std::string text_of_workload(const std::string& pipelines, const std::string& lines) {
  return "[workload]\npipelines = [" + pipelines + "]\ntraces = [\"poisson\"]\nrates_rps = [100]\n" + lines +
         "[[system]]\nname = \"loki\"\n[cluster]\nprofiles = \"loki-gtx1080ti\"\n";
}

/// Returns the message that refuses this text before any of its cells is prepared.
std::string refused(const std::string& text) {
  return refusal_of([&] { CellFactory(parse(text), "b"); });
}

const std::string kTree = "\"traffic-analysis\"";

TEST(TreeRequests, AreWholeAndAsTheirPipelineSaysUnlessTold) {
  const ExperimentSpec spec = parse(text_of_workload(kTree, ""));
  CellFactory factory(spec, "b");
  const RunSpec run = factory.make_world(factory.cells()[0]);
  EXPECT_EQ(run.answers, Answers::kWhole);
  EXPECT_FALSE(run.pipeline.fixed_fan_out);
  EXPECT_EQ(factory.prepare(factory.cells()[0]).identity.answers, "whole");
}

TEST(TreeRequests, AreSetInTheWorkload) {
  const std::string text = text_of_workload(kTree, "answers = \"partial\"\nfan_out_spread = \"rounded\"\n");
  const ExperimentSpec spec = parse(text);
  CellFactory factory(spec, "b");
  const RunSpec run = factory.make_world(factory.cells()[0]);
  EXPECT_EQ(run.answers, Answers::kPartial);
  EXPECT_TRUE(run.pipeline.fixed_fan_out);
  const PreparedCell cell = factory.prepare(factory.cells()[0]);
  EXPECT_EQ(cell.identity.answers, "partial");
  EXPECT_EQ(cell.identity.parameters, "");
  // The cell's settings are an experiment of their own, of the same cell.
  const ExperimentSpec again = parse(cell.identity.effective_toml);
  EXPECT_EQ(again.base.requests.answers, Answers::kPartial);
  EXPECT_EQ(again.base.requests.fan_out_spread, FanOutSpread::kRounded);
  const ExperimentSpec changed = parse(text, {"workload.answers=whole"});
  EXPECT_EQ(changed.base.requests.answers, Answers::kWhole);
}

TEST(TreeRequests, AreSweptOnTreesAlone) {
  const std::string answers = sweep("workload.answers", "[\"whole\", \"partial\"]");
  const ExperimentSpec spec = parse(text_of_workload(kTree, "") + answers);
  CellFactory factory(spec, "b");
  ASSERT_EQ(factory.cells().size(), 2U);
  const PreparedCell first = factory.prepare(factory.cells()[0]);
  const PreparedCell second = factory.prepare(factory.cells()[1]);
  EXPECT_EQ(first.identity.answers, "whole");
  EXPECT_EQ(second.identity.answers, "partial");
  EXPECT_EQ(second.identity.parameters, "workload.answers=partial");
  EXPECT_NE(first.identity.input_hash, second.identity.input_hash);
  EXPECT_EQ(
      refused("[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\n[[system]]\nname = \"naive\"\n" +
              answers),
      "exp/test.toml:8: workload.answers: found pipeline tm, which is no task tree; allowed: "
      "this key with task trees alone");
}

TEST(TreeRequests, AreRefusedWhereAnswersHaveOnePart) {
  EXPECT_EQ(refused("[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\nanswers = \"partial\"\n"
                    "[[system]]\nname = \"naive\"\n"),
            "exp/test.toml:4: workload.answers: found pipeline tm, which is no task tree; allowed: "
            "this key with task trees alone");
  EXPECT_EQ(refused(text_of_workload(kTree, "answers = \"most\"\n")),
            "exp/test.toml:5: workload.answers: found \"most\"; allowed: one of whole, partial");
  EXPECT_EQ(refused(text_of_workload(kTree, "fan_out_spread = [\"poisson\"]\n")),
            "exp/test.toml:5: workload.fan_out_spread: found an array; allowed: one value (for several, a "
            "[[sweep]] with the key workload.fan_out_spread)");
  EXPECT_EQ(refused(text_of_workload(kTree, "") + sweep("workload.seeds", "[1, 2]")),
            "exp/test.toml:10: sweep.key: found workload.seeds; allowed: keys of other tables: keys of "
            "[workload] are axes already, but for answers, fan_out_spread, measure_from_s");
}

// Loki, section 4.1: a system that knows modules alone would serve one variant after the other.
TEST(TreeRequests, NeedASystemThatServesThem) {
  const std::string message = refused(
      "[workload]\npipelines = [\"tm\", \"traffic-analysis\"]\n"
      "traces = [\"poisson\"]\n[[system]]\nname = \"naive\"\n");
  EXPECT_EQ(message.rfind("exp/test.toml:5: system.name: found naive, which serves no task trees, "
                          "with pipeline traffic-analysis; allowed: ",
                          0),
            0U)
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

// A frame takes a worker with yolov5x for 31 ms, in the published batches of 32 (992 ms), and one with
// efficientnet-b6 for 17.8151 cars in the batch that gives most.
TEST(TreeRequests, ALoadIsRelativeToTheMostAccurateVariants) {
  const Profile cars = load_profiles("loki-gtx1080ti").profiles.at("efficientnet-b6");
  double best_rps = 0;
  for (int batch = 1; batch <= cars.max_batch(); ++batch)
    best_rps = std::max(best_rps, batch / ns_to_s(cars.latency(batch)));
  const double capacity_rps = 20 / (0.031 + 17.8151 / best_rps);
  const std::string rest =
      "traces = [\"constant\"]\n[cluster]\nprofiles = \"loki-gtx1080ti\"\nworkers = 20\n"
      "[[system]]\nname = \"loki\"\n";
  for (const auto& [offer, load] :
       {std::pair("rates_rps = [100]\n", 100 / capacity_rps), std::pair("loads = [0.5]\n", 0.5)}) {
    const ExperimentSpec spec =
        parse("[workload]\npipelines = [\"traffic-cars\"]\n" + std::string(offer) + rest);
    CellFactory factory(spec, "b");
    const PreparedCell cell = factory.prepare(factory.cells()[0]);
    EXPECT_EQ(cell.why, "");
    EXPECT_NEAR(cell.reference_rps, capacity_rps, 1e-9 * capacity_rps);
    EXPECT_NEAR(cell.identity.load, load, 1e-6);
    EXPECT_NEAR(cell.target_rps, load * capacity_rps, 1e-6 * capacity_rps);
  }
}

}  // namespace
}  // namespace harness
