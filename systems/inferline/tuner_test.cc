#include "systems/inferline/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "systems/inferline/autoscale_tuner.h"
#include "systems/inferline/envelope_tuner.h"
#include "systems/inferline/test_inferline_world.h"
#include "systems/inferline/tuned_pipeline.h"
#include "systems/inferline/tuning_params.h"

namespace harness {
namespace {

using testing::add_even;

/// Two models: m0 of 50/s a replica, all queries; m1 of 20/s, half of them. Planned for 100 queries/s with
/// 3 and 4 replicas: rho 2/3 and 5/8.
TunedPipeline two_models() {
  TunedPipeline pipeline;
  pipeline.planned = {{0, 1, 3}, {0, 1, 4}};
  pipeline.first = pipeline.planned;
  pipeline.models = {{1, 50, 100.0 / 150}, {0.5, 20, 50.0 / 80}};
  pipeline.rate_rps = 100;
  pipeline.capacity_rps = 100;
  pipeline.service_ns = kNsPerS;
  return pipeline;
}

/// Calls the tuner each second; returns what it wants after each.
std::vector<std::vector<int>> tuned(Tuner& tuner, const std::vector<TimeNs>& times, int seconds,
                                    std::vector<int> replicas = {3, 4}) {
  std::vector<std::vector<int>> result;
  for (int second = 1; second <= seconds; ++second) {
    const auto from = std::lower_bound(times.begin(), times.end(), (second - 1) * kNsPerS);
    const auto to = std::lower_bound(times.begin(), times.end(), second * kNsPerS);
    replicas = tuner.replicas(second * kNsPerS, {from, to}, replicas);
    result.push_back(replicas);
  }
  return result;
}

// One scripted load: 100/s as planned, 160/s from 20 to 30 s, then 40/s. Windows of 1, 2, 4 and 8 s.
TEST(EnvelopeTuner, ScalesUpAtOnceAndDownAfterItsDelay) {
  std::vector<TimeNs> sample;
  add_even(sample, 0, 10, 100);
  std::vector<TimeNs> times;
  add_even(times, 0, 20, 100);
  add_even(times, 20, 30, 160);
  add_even(times, 30, 90, 40);
  const auto tuner = make_envelope_tuner(two_models(), {}, sample, 10 * kNsPerS);
  const auto replicas = tuned(*tuner, times, 90);
  // As planned: nothing, also once the delay of 15 s has passed: rho_p = 5/8, for 100/s m0 needs
  // ceil(100 / (50 x 5/8)) = 4, m1 ceil(50 / (20 x 5/8)) = 4.
  for (int second = 1; second <= 20; ++second) EXPECT_EQ(replicas[second - 1], (std::vector<int>{3, 4}));
  // The window of 1 s holds 160 queries after the 21st second: m0 ceil(160 / (50 x 2/3)) = 5, m1
  // ceil(80 / (20 x 5/8)) = 7.
  // That change is 15 s old at 36 s. But of the windows of 5 s that end at 55 s, 50 s, ... the earliest is
  // [25, 30) s, with 160/s, for which m0 would get 6.
  for (int second = 21; second <= 55; ++second)
    EXPECT_EQ(replicas[second - 1], (std::vector<int>{5, 7})) << second;
  // [26, 31) s holds 680, 136/s: m0 ceil(136 / (50 x 5/8)) = 5, m1 ceil(68 / (20 x 5/8)) = 6.
  for (int second = 56; second <= 70; ++second)
    EXPECT_EQ(replicas[second - 1], (std::vector<int>{5, 6})) << second;
  // 15 s later 40/s: m0 ceil(40 / (50 x 5/8)) = 2, m1 ceil(20 / (20 x 5/8)) = 2.
  EXPECT_EQ(replicas[71 - 1], (std::vector<int>{2, 2}));
  EXPECT_EQ(replicas.back(), (std::vector<int>{2, 2}));
}

// By hand: 100/s as planned, 40/s from 20 to 70 s, then 100/s again, which the sample has held.
TEST(EnvelopeTuner, ComesBackToThePlanOnlyWhereItIsToldTo) {
  std::vector<TimeNs> sample;
  add_even(sample, 0, 10, 100);
  std::vector<TimeNs> times;
  add_even(times, 0, 20, 100);
  add_even(times, 20, 70, 40);
  add_even(times, 70, 90, 100);
  for (const ScaleBack back : {ScaleBack::kAsPrinted, ScaleBack::kPlanned}) {
    TuningParams params;
    params.scale_back = back;
    const auto tuner = make_envelope_tuner(two_models(), params, sample, 10 * kNsPerS);
    const auto replicas = tuned(*tuner, times, 90);
    EXPECT_EQ(replicas[47 - 1], (std::vector<int>{3, 4}));
    // [18, 23) s holds 320, 64/s: m0 ceil(64 / (50 x 5/8)) = 3, m1 ceil(32 / (20 x 5/8)) = 3.
    EXPECT_EQ(replicas[48 - 1], (std::vector<int>{3, 3}));
    // 15 s later 40/s: 2 and 2.
    EXPECT_EQ(replicas[63 - 1], (std::vector<int>{2, 2}));
    EXPECT_EQ(replicas[70 - 1], (std::vector<int>{2, 2}));
    if (back == ScaleBack::kAsPrinted) {
      EXPECT_EQ(replicas.back(), (std::vector<int>{2, 2}));
      continue;
    }
    // [66, 71) s: 52/s, 2 and 3. [67, 72): 64/s. [68, 73): 76/s, m1 ceil(38 / (20 x 5/8)) = 4. Then 100/s,
    // for which m0 would keep 4, but was planned with 3.
    EXPECT_EQ(replicas[71 - 1], (std::vector<int>{2, 3}));
    EXPECT_EQ(replicas[72 - 1], (std::vector<int>{3, 3}));
    EXPECT_EQ(replicas[73 - 1], (std::vector<int>{3, 4}));
    EXPECT_EQ(replicas.back(), (std::vector<int>{3, 4}));
  }
}

// By hand: started with one replica each (planner.initial_workers), nothing sent for two seconds; then 30/s,
// 60/s and 100/s, none of which exceeds the sample. Windows of 1, 2, 4 and 8 s.
TEST(EnvelopeTuner, FromFewerReplicasThanPlannedItGoesUpByEveryWindow) {
  std::vector<TimeNs> sample;
  add_even(sample, 0, 10, 100);
  std::vector<TimeNs> times;
  add_even(times, 2, 4, 30);
  add_even(times, 4, 5, 60);
  add_even(times, 5, 8, 100);
  add_even(times, 8, 60, 30);
  add_even(times, 60, 80, 100);
  const auto tuner = make_envelope_tuner(two_models(), {}, sample, 10 * kNsPerS);
  const auto replicas = tuned(*tuner, times, 80, {1, 1});
  EXPECT_EQ(replicas[2 - 1], (std::vector<int>{1, 1})) << "without load nothing scales up";
  EXPECT_EQ(replicas[3 - 1], (std::vector<int>{1, 2})) << "30 / (50 x 2/3) = 0.9, 15 / (20 x 5/8) = 1.2";
  EXPECT_EQ(replicas[5 - 1], (std::vector<int>{2, 3})) << "60 / (50 x 2/3) = 1.8, 30 / (20 x 5/8) = 2.4";
  EXPECT_EQ(replicas[6 - 1], (std::vector<int>{3, 4})) << "as planned";
  // Replicas that a scale-down takes away after that come back only for more than the sample held.
  EXPECT_EQ(replicas[60 - 1], (std::vector<int>{1, 2}));
  EXPECT_EQ(replicas.back(), (std::vector<int>{1, 2}));
}

// 160/s, more than the sample held: the printed rule, which knows no plan: ceil(4.8), ceil(6.4).
TEST(EnvelopeTuner, FromFewerReplicasThanPlannedItGoesBeyondThePlanForMoreThanTheSample) {
  std::vector<TimeNs> sample;
  add_even(sample, 0, 10, 100);
  std::vector<TimeNs> times;
  add_even(times, 0, 3, 160);
  const auto tuner = make_envelope_tuner(two_models(), {}, sample, 10 * kNsPerS);
  EXPECT_EQ(tuned(*tuner, times, 1, {1, 1}).back(), (std::vector<int>{5, 7}));
}

// One query too many in the shortest window multiplies every model by r_0 / lambda with the printed rule;
// by the excess it changes next to nothing.
TEST(EnvelopeTuner, OneQueryTooManyInTheShortestWindow) {
  std::vector<TimeNs> sample;
  add_even(sample, 0, 20, 100);
  for (int i = 0; i < 10; ++i) sample.push_back(s_to_ns(20) + i);  // a burst: 10 at once
  std::vector<TimeNs> times = sample;
  times.push_back(s_to_ns(20) + 10);  // 11
  TunedPipeline pipeline = two_models();
  pipeline.service_ns = 50 * kNsPerMs;  // 4 of the even queries and the burst: 14, then 15
  for (const ScaleUpRate rule : {ScaleUpRate::kRate, ScaleUpRate::kExcess}) {
    TuningParams params;
    params.scale_up = rule;
    const auto tuner = make_envelope_tuner(pipeline, params, sample, 21 * kNsPerS);
    const auto replicas = tuned(*tuner, times, 21);
    // 15 / 50 ms = 300/s, three times the mean; 15 / 14 of it.
    const std::vector<int> expected =
        rule == ScaleUpRate::kRate ? std::vector<int>{9, 12} : std::vector<int>{4, 5};
    EXPECT_EQ(replicas.back(), expected);
    EXPECT_EQ(replicas[19], (std::vector<int>{3, 4}));
  }
}

TEST(EnvelopeTuner, NeverScalesUpForItsOwnSample) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<TimeNs> sample = testing::poisson_times(100, 100 * kNsPerS, seed);
    const auto tuner = make_envelope_tuner(two_models(), {}, sample, 100 * kNsPerS);
    std::vector<int> before = {3, 4};
    for (const std::vector<int>& after : tuned(*tuner, sample, 100)) {
      EXPECT_LE(after[0], before[0]);
      EXPECT_LE(after[1], before[1]);
      before = after;
    }
  }
}

// AutoScale: up each 20 s; down once no second of the last 9.2 s needed it.
TEST(AutoscaleTuner, GoesUpBySamplesAndWaitsDown) {
  std::vector<TimeNs> times;
  add_even(times, 0, 10, 100);
  add_even(times, 10, 60, 200);
  add_even(times, 60, 120, 50);
  const auto tuner = make_autoscale_tuner(two_models(), {});
  const auto replicas = tuned(*tuner, times, 120);
  // At 20 s: (10 x 100 + 10 x 200) / 20 = 150/s: ceil(4.5), ceil(6). At 40 s 200/s: 6, 8.
  EXPECT_EQ(replicas[19 - 1], (std::vector<int>{3, 4}));
  EXPECT_EQ(replicas[20 - 1], (std::vector<int>{5, 6}));
  EXPECT_EQ(replicas[39 - 1], (std::vector<int>{5, 6}));
  EXPECT_EQ(replicas[40 - 1], (std::vector<int>{6, 8}));
  // From 69 s on all of the last nine seconds had 50/s.
  EXPECT_EQ(replicas[68 - 1], (std::vector<int>{6, 8}));
  EXPECT_EQ(replicas[69 - 1], (std::vector<int>{2, 2}));
  EXPECT_EQ(replicas.back(), (std::vector<int>{2, 2}));
}

/// Replicas of one model that AutoScale's capacity inference keeps, called each second with that many
/// requests in the system. One server has 10 requests at its load of reference, 7, and 32 at twice that.
class InferringTuner {
 public:
  explicit InferringTuner(int replicas) : replicas_{replicas} {
    const std::vector<LoadCurve::Point> measured = {{10, 7}, {32, 14}};
    TunedPipeline pipeline;
    pipeline.planned = {{0, 1, 1}};
    pipeline.models = {{}};
    pipeline.capacity_rps = 7;
    pipeline.load_curve = LoadCurve(measured);
    TuningParams params;
    params.autoscale_signal = AutoscaleSignal::kInSystem;
    tuner_ = make_autoscale_tuner(pipeline, params);
  }

  int operator()(double in_system) {
    now_ += kNsPerS;
    tuner_->on_requests_in_system(in_system);
    replicas_ = tuner_->replicas(now_, {}, replicas_);
    return replicas_.front();
  }
  int for_seconds(int seconds, double in_system) {
    for (int i = 0; i < seconds; ++i) (*this)(in_system);
    return replicas_.front();
  }

 private:
  std::unique_ptr<Tuner> tuner_;
  std::vector<int> replicas_;
  TimeNs now_ = 0;
};

// AutoScale's own example: 320 requests in 10 servers, 32 in each, which is a load of 14: 20 servers.
TEST(AutoscaleTuner, InfersItsOwnExample) {
  InferringTuner tuner(10);
  EXPECT_EQ(tuner.for_seconds(19, 320), 10);
  EXPECT_EQ(tuner(320), 20);
}

// By hand: up as f says every 20 s, down to what 10 requests to a server have used in the last 9.2 s.
TEST(AutoscaleTuner, PacksTenRequestsToAServer) {
  InferringTuner tuner(10);
  EXPECT_EQ(tuner.for_seconds(20, 320), 20);
  EXPECT_EQ(tuner.for_seconds(9, 160), 20);  // the change is 9 s old
  EXPECT_EQ(tuner(160), 16);
  EXPECT_EQ(tuner.for_seconds(10, 160), 16);  // and at 40 s: 10 in each, a load of 7
  EXPECT_EQ(tuner.for_seconds(9, 35), 16);    // the 40th second used 16
  EXPECT_EQ(tuner(35), 4);
  EXPECT_EQ(tuner.for_seconds(9, 200), 4);  // 50 in each and more: a load of 14, and no more
  EXPECT_EQ(tuner(200), 8);
  EXPECT_EQ(tuner.for_seconds(19, 200), 8);
  EXPECT_EQ(tuner(200), 14);  // 25 in each: a load of 7 + 7 x 15 / 22, and 8 x 11.77 / 7 = 13.45
}

// A model that no query of the sample visited has rho 0, which says nothing of the others.
TEST(EnvelopeTuner, KeepsReplicasBesideAModelThatNobodyVisits) {
  std::vector<TimeNs> sample;
  add_even(sample, 0, 10, 100);
  std::vector<TimeNs> times;
  add_even(times, 0, 60, 100);
  TunedPipeline pipeline = two_models();
  pipeline.models[1] = {0, 20, 0};
  for (const ScaleDownSlack slack : {ScaleDownSlack::kSeveral, ScaleDownSlack::kAll}) {
    TuningParams params;
    params.scale_down_slack = slack;
    const auto tuner = make_envelope_tuner(pipeline, params, sample, 10 * kNsPerS);
    EXPECT_EQ(tuned(*tuner, times, 60).back(), (std::vector<int>{3, 1}));
  }
}

TEST(LimitToCluster, SharesWhatIsThere) {
  testing::InferLineWorld world;
  world.pipeline = testing::chain(3);
  world.devices = {testing::device_of("gpu", 10, 1, {{1}, {1}, {1}}),
                   testing::device_of("cpu", 100, 0.1, {{1}, {1}, {1}})};
  world.link();
  const Hardware hardware(world.context);
  const Configuration planned = {{0, 1, 2}, {0, 1, 4}, {1, 1, 1}};
  std::vector<int> wanted = {4, 12, 50};  // 16 of 10 devices: 4 more than the present 6, of 10 more wanted
  limit_to_cluster(hardware, planned, {2, 4, 1}, wanted);
  EXPECT_EQ(wanted, (std::vector<int>{3, 7, 50}));
  wanted = {2, 400, 50};  // no free device is left over
  limit_to_cluster(hardware, planned, {2, 7, 1}, wanted);
  EXPECT_EQ(wanted, (std::vector<int>{2, 8, 50}));
  wanted = {1, 8, 50};
  limit_to_cluster(hardware, planned, {2, 4, 1}, wanted);
  EXPECT_EQ(wanted, (std::vector<int>{1, 8, 50}));
}

// A replica of the second model takes three of 14 GPUs of 2 $/h.
TEST(Hardware, CountsTheGpusOfAReplica) {
  testing::InferLineWorld world;
  world.pipeline = testing::chain(2);
  world.devices = {testing::device_of("gpu", 14, 2, {{1}, {1}})};
  world.devices.front().profiles[1]->gpus = 3;
  world.link();
  const Hardware hardware(world.context);
  EXPECT_EQ(hardware.cost({{0, 1, 2}, {0, 1, 4}}), 28);
  EXPECT_TRUE(hardware.has_room_for({{0, 1, 2}, {0, 1, 4}}));
  EXPECT_FALSE(hardware.has_room_for({{0, 1, 3}, {0, 1, 4}}));
  EXPECT_EQ(hardware.free_for(1, 0, {{0, 1, 3}, {0, 1, 1}}), 3) << "the last two GPUs are too few";
  EXPECT_EQ(hardware.free_for(0, 0, {{0, 1, 1}, {0, 1, 4}}), 2);
  EXPECT_EQ(hardware.shrunk({{0, 1, 4}, {0, 1, 8}}), (Configuration{{0, 1, 2}, {0, 1, 4}}));
  std::vector<int> wanted = {2, 9};
  limit_to_cluster(hardware, {{0, 1, 1}, {0, 1, 1}}, {2, 1}, wanted);
  EXPECT_EQ(wanted, (std::vector<int>{2, 4}));
}

}  // namespace
}  // namespace harness
