#include "systems/quart/cv_predictor.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/sim/test_world.h"

namespace harness {
namespace {

std::vector<double> predicted(const Pipeline& pipeline, CvMethod method, double service_cv,
                              const std::vector<StageFeatures>& stages) {
  std::vector<double> cv(stages.size());
  CvPredictor(pipeline, method, service_cv).predict(stages, cv);
  return cv;
}

TEST(CvPrediction, PoissonArrivalsStaySoThroughExponentialStages) {
  // Burke's theorem: the departures of an M/M/1 queue are Poisson.
  const std::vector<StageFeatures> stages(8, {8, 0.1, 1, 1});
  for (const double cv : predicted(testing::chain(8), CvMethod::kQna, 1, stages)) EXPECT_DOUBLE_EQ(cv, 1);
}

TEST(CvPrediction, DeterministicLimits) {
  for (const double utilisation : {0.1, 0.5, 0.99}) {
    EXPECT_NEAR(departure_scv(0, 0, utilisation, 1), 0, 1e-15) << "even gaps stay even";
    EXPECT_NEAR(departure_scv(2, 0.5, utilisation, 1),
                utilisation * utilisation * 0.5 + (1 - utilisation * utilisation) * 2, 1e-15)
        << "Marshall's formula at one replica";
  }
  EXPECT_DOUBLE_EQ(departure_scv(3.5, 0, 0, 1), 3.5) << "an idle stage hands on what comes";
  EXPECT_DOUBLE_EQ(departure_scv(3.5, 0.25, 1, 1), 0.25) << "a busy one its service times";
  EXPECT_DOUBLE_EQ(departure_scv(1, 1, 0.7, 5), 1) << "M/M/c, as Burke has it";
}

TEST(CvPrediction, BurstsFadeAlongAChain) {
  // Load 0.8, deterministic: c^2 x 0.36 at each stage.
  const std::vector<double> cv =
      predicted(testing::chain(3), CvMethod::kQna, 0, std::vector<StageFeatures>(3, {8, 0.1, 1, 4}));
  EXPECT_DOUBLE_EQ(cv[0], 4);
  EXPECT_DOUBLE_EQ(cv[1], 2.4);
  EXPECT_DOUBLE_EQ(cv[2], 1.44);
}

TEST(CvPrediction, ChoicesThinTheFlowAndMergesAverageIt) {
  // Idle stages: half of a flow with c^2 = 9 has 5; two of them merge to 5.
  const std::vector<double> cv =
      predicted(testing::diamond_of_one(), CvMethod::kQna, 1, std::vector<StageFeatures>(4, {0, 0.1, 1, 3}));
  EXPECT_DOUBLE_EQ(cv[0], 3);
  EXPECT_DOUBLE_EQ(cv[1], std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(cv[3], std::sqrt(5.0));
}

TEST(CvPrediction, MeasuredTakesEachStageAsItIs) {
  const std::vector<double> cv =
      predicted(testing::chain(2), CvMethod::kMeasured, 1, {{8, 0.1, 1, 2.5}, {8, 0.1, 1}});
  EXPECT_DOUBLE_EQ(cv[0], 2.5);
  EXPECT_DOUBLE_EQ(cv[1], 1) << "not known: Poisson";
}

}  // namespace
}  // namespace harness
