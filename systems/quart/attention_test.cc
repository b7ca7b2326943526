#include "systems/quart/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/counted_allocations.h"
#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/files/file_bytes.h"
#include "harness/files/table_reader.h"

namespace harness {
namespace {

/// m0 -> m1 -> ..., or with `pres` any.
Pipeline pipeline_of(const std::vector<std::vector<std::string>>& pres) {
  Pipeline pipeline;
  pipeline.name = "stages";
  for (std::size_t i = 0; i < pres.size(); ++i) {
    Module module;
    module.name = "m" + std::to_string(i);
    pipeline.modules.push_back(module);
  }
  EXPECT_EQ(link_modules(pipeline, pres, std::vector<std::vector<std::string>>(pres.size())), "");
  return pipeline;
}

StageFeatures stage_of(double utilisation, int replicas, double cv) {
  return {100, utilisation * replicas / 100, replicas, cv};
}

/// One hidden number; each feature tells apart.
AttentionWeights tiny() {
  return {.source = "tiny.toml",
          .stages = 0,
          .w = {1, 0.5, 2, -1},
          .a = {1, -1},
          .theta = 0.25,
          .f = {0.5},
          .bias = 0.1};
}

AttentionWeights random_weights(RandomStream& random) {
  AttentionWeights weights;
  weights.w.resize(3 * kAttentionFeatures.size());
  weights.a.resize(6);
  weights.f.resize(3);
  for (std::vector<double>* numbers : {&weights.w, &weights.a, &weights.f}) {
    for (double& number : *numbers) number = random.normal();
  }
  weights.theta = random.normal();
  weights.bias = random.normal();
  return weights;
}

TEST(Attention, FeaturesHaveNoUnit) {
  const StageFeatures stage = stage_of(0.5, 2, 2);
  const AttentionFeatures before = attention_features(stage, AttentionRole::kPredecessor);
  EXPECT_NEAR(before[0], 1, 0);
  EXPECT_NEAR(before[1], std::log(2), 1e-12);
  EXPECT_NEAR(before[2], 0.5, 1e-12);
  EXPECT_NEAR(before[3], 0.5, 0);
  EXPECT_EQ(attention_features(stage, AttentionRole::kSuccessor)[0], 0);
  // A second that is a minute long.
  const StageFeatures slow = {stage.rate_rps / 60, stage.service_s * 60, stage.replicas, stage.arrival_cv};
  EXPECT_NEAR(attention_features(slow, AttentionRole::kPredecessor)[2], 0.5, 1e-12);
  // Overloaded, without replicas, without load.
  EXPECT_EQ(attention_features(stage_of(3, 2, 1), AttentionRole::kSuccessor)[2], 1);
  EXPECT_EQ(attention_features({100, 0.01, 0, 1}, AttentionRole::kSuccessor)[3], 1);
  EXPECT_EQ(attention_features({0, 0.01, 0, 1}, AttentionRole::kSuccessor)[2], 0);
}

TEST(Attention, ThreeStagesByHand) {
  // The middle one: utilisation 0.4, 1 replica; W x_i = 2 * 0.4 - 1 = -0.2. The one before: CV 1, so log 0;
  // W x_0 = 1 + 2 * 0.5 - 1 / 2 = 1.5. The one behind: CV e; W x_2 = 0.5 + 2 * 0.9 - 1 = 1.3.
  const std::vector<StageFeatures> stages = {stage_of(0.5, 2, 1), stage_of(0.4, 1, 7),
                                             stage_of(0.9, 1, std::exp(1.0))};
  // Scores -0.2 - 1.5 = -1.7 and -0.2 - 1.3 = -1.5; LReLU makes -0.34 and -0.3 of them; then theta CV_j.
  const double before = std::exp(-0.34 + 0.25 * 1);
  const double behind = std::exp(-0.3 + 0.25 * std::exp(1.0));
  const double updated = (before * 1.5 + behind * 1.3) / (before + behind);

  Attention attention(pipeline_of({{}, {"m0"}, {"m1"}}), tiny());
  std::vector<double> cv(3);
  attention.predict(stages, cv);
  EXPECT_NEAR(cv[1], std::exp(0.1 + 0.5 * updated), 1e-12);
  // The first has no predecessor: what was measured. The last has one neighbour, whose share is 1:
  // W x_1 = 1 + 0.5 log 7 + 0.8 - 1.
  EXPECT_EQ(cv[0], 1);
  EXPECT_NEAR(cv[2], std::exp(0.1 + 0.5 * (0.8 + 0.5 * std::log(7))), 1e-12);
}

TEST(Attention, AsPrintedThetaHasNoEffectAndWithTheNeighboursCvItHas) {
  const std::vector<double> scores = {0.3, -1.2, 2};
  const std::vector<double> cvs = {0.5, 3, 8};
  const double own_cv = 4;
  const auto shares = [&](double theta, bool printed) {
    std::vector<double> result = scores;
    for (std::size_t j = 0; j < result.size(); ++j) result[j] += theta * (printed ? own_cv : cvs[j]);
    to_shares(result);
    return result;
  };
  for (const double theta : {-2.0, 0.5, 30.0}) {
    for (std::size_t j = 0; j < scores.size(); ++j)
      EXPECT_NEAR(shares(theta, true)[j], shares(0, true)[j], 1e-12) << theta;
  }
  EXPECT_GT(shares(0.5, false)[2], shares(0, false)[2] + 0.1);

  // So does the network's.
  const std::vector<AttentionNeighbour> neighbours = {{{1, 0, 0.5, 0.5}, 0.5}, {{0, 1, 0.9, 1}, 3}};
  AttentionWeights weights = tiny();
  AttentionPass pass;
  pass.run(weights, {}, neighbours);
  const double before = pass.shares[1];
  weights.theta = 2;
  pass.run(weights, {}, neighbours);
  EXPECT_GT(pass.shares[1], before + 0.1);
}

TEST(Attention, SharesSumToOneAndTheOrderOfNeighboursDoesNotMatter) {
  RandomStream random(1, "test.quart.attention");
  for (int round = 0; round < 200; ++round) {
    const AttentionWeights weights = random_weights(random);
    std::vector<AttentionNeighbour> neighbours(1 + random.below(5));
    for (AttentionNeighbour& neighbour : neighbours) {
      for (double& x : neighbour.x) x = random.normal();
      neighbour.cv = 8 * random.uniform();
    }
    const AttentionFeatures itself = {0, 0, random.uniform(), random.uniform()};
    AttentionPass pass;
    pass.run(weights, itself, neighbours);
    const double log_cv = pass.log_cv;
    double sum = 0;
    for (const double share : pass.shares) {
      EXPECT_GE(share, 0);
      sum += share;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    std::rotate(neighbours.begin(), neighbours.begin() + static_cast<std::ptrdiff_t>(neighbours.size() / 2),
                neighbours.end());
    pass.run(weights, itself, neighbours);
    EXPECT_NEAR(pass.log_cv, log_cv, 1e-9);
  }
}

TEST(Attention, ALargeExponentIsNoTrouble) {
  std::vector<double> exponents = {1e6, 1e6, -1e6};
  to_shares(exponents);
  EXPECT_NEAR(exponents[0], 0.5, 1e-12);
  EXPECT_NEAR(exponents[2], 0, 1e-12);
}

TEST(Attention, ItsOwnMeasuredCvDoesNotCountButForAnEntry) {
  Attention attention(pipeline_of({{}, {"m0"}, {"m1"}}), built_in_attention_weights());
  std::vector<StageFeatures> stages(3, stage_of(0.7, 2, 2));
  std::vector<double> first(3);
  std::vector<double> second(3);
  attention.predict(stages, first);
  stages[1].arrival_cv = 0.1;
  attention.predict(stages, second);
  EXPECT_EQ(second[1], first[1]);
  EXPECT_NE(second[2], first[2]);  // its predecessor's does
  EXPECT_EQ(first[0], 2);
}

TEST(Attention, WhatIsNotKnownCountsAsPoissonArrivals) {
  Attention attention(pipeline_of({{}, {"m0"}, {"m1"}}), built_in_attention_weights());
  std::vector<StageFeatures> unknown = {stage_of(0.7, 2, NAN), stage_of(0.7, 2, NAN), stage_of(0.7, 2, NAN)};
  std::vector<StageFeatures> poisson = {stage_of(0.7, 2, 1), stage_of(0.7, 2, 1), stage_of(0.7, 2, 1)};
  std::vector<double> first(3);
  std::vector<double> second(3);
  attention.predict(unknown, first);
  attention.predict(poisson, second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[0], 1);
}

TEST(Attention, OfADiamondTheMergeLooksAtBothBranches) {
  Attention attention(pipeline_of({{}, {"m0"}, {"m0"}, {"m1", "m2"}}), built_in_attention_weights());
  std::vector<StageFeatures> stages(4, stage_of(0.7, 2, 1));
  std::vector<double> before(4);
  std::vector<double> after(4);
  attention.predict(stages, before);
  for (const std::size_t branch : {1, 2}) {
    std::vector<StageFeatures> changed = stages;
    changed[branch].arrival_cv = 6;
    attention.predict(changed, after);
    EXPECT_GT(after[3], before[3]);
  }
}

TEST(Attention, WhateverItIsGivenTheCvIsAPositiveNumber) {
  RandomStream random(2, "test.quart.attention");
  Attention attention(pipeline_of({{}, {"m0"}, {"m1"}, {"m2"}}), built_in_attention_weights());
  std::vector<double> cv(4);
  for (int round = 0; round < 1000; ++round) {
    std::vector<StageFeatures> stages;
    for (int i = 0; i < 4; ++i) {
      stages.push_back({1e4 * random.uniform(), 10 * random.uniform(), static_cast<int>(random.below(50)),
                        random.below(3) == 0 ? 0 : 1000 * random.uniform()});
    }
    attention.predict(stages, cv);
    for (const double value : cv) EXPECT_TRUE(value >= 0.01 && value <= 100) << value;
  }
}

TEST(Attention, WeightsForOtherPipelinesAreRefused) {
  AttentionWeights weights = tiny();
  weights.stages = 8;
  try {
    const Attention refused(pipeline_of({{}, {"m0"}, {"m1"}}), weights);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "tiny.toml: stages: found 8; allowed: 3, as pipeline stages has, or 0: any number");
  }
  weights.stages = 3;
  const Attention accepted(pipeline_of({{}, {"m0"}, {"m1"}}), weights);
}

TEST(Attention, OneStageHasNoNeighbour) {
  Attention attention(pipeline_of({{}}), built_in_attention_weights());
  const std::vector<StageFeatures> stages = {stage_of(0.7, 2, 3)};
  std::vector<double> cv(1);
  attention.predict(stages, cv);
  EXPECT_EQ(cv[0], 3);
}

TEST(Attention, PredictingAllocatesNothing) {
  Attention attention(pipeline_of({{}, {"m0"}, {"m1"}, {"m2"}}), built_in_attention_weights());
  const std::vector<StageFeatures> stages(4, stage_of(0.5, 2, 1.5));
  std::vector<double> cv(stages.size());
  const std::int64_t before = allocations();
  attention.predict(stages, cv);
  EXPECT_EQ(allocations(), before);
}

TEST(Attention, TheProgramHasTheWeightsOfItsFile) {
  const std::string file = "systems/quart/attention.toml";
  const TomlValue tree = parse_toml(file, read_file(file));
  const TableReader fields(file, tree);
  const auto numbers = [&](const char* key) {
    std::vector<double> found;
    for (const TomlValue& item : std::get<TomlArray>(fields.find(key)->data))
      found.push_back(std::get<double>(item.data));
    return found;
  };
  const AttentionWeights weights = built_in_attention_weights();
  EXPECT_EQ(weights.source, file);
  EXPECT_EQ(weights.stages, fields.integer("stages", 0, 4096));
  EXPECT_EQ(weights.w, numbers("w"));
  EXPECT_EQ(weights.a, numbers("a"));
  EXPECT_EQ(weights.theta, fields.number("theta", -1e6, 1e6));
  EXPECT_EQ(weights.f, numbers("f"));
  EXPECT_EQ(weights.bias, fields.number("bias", -1e6, 1e6));
  const auto hidden = static_cast<std::size_t>(fields.integer("hidden", 1, 64));
  EXPECT_EQ(weights.w.size(), hidden * kAttentionFeatures.size());
  EXPECT_EQ(weights.a.size(), 2 * hidden);
  EXPECT_EQ(weights.hidden(), hidden);
  const std::vector<std::string> features(kAttentionFeatures.begin(), kAttentionFeatures.end());
  EXPECT_EQ(fields.texts("features"), features);
}

}  // namespace
}  // namespace harness
