// Exit points change no bit of a network's output, whatever its architecture.
#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/torch/cpu_engine.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/gpu/torch/staged_model.h"
#include "harness/gpu/torch/zoo/test_runs.h"
#include "harness/gpu/torch/zoo/zoo.h"

namespace harness {
namespace {

/// Models of the same architecture as clip-vit-b32, with more and smaller patches: too much for one core.
const std::set<std::string> kLeftOut = {"clip-vit-b16", "clip-vit-l14"};

TEST(ExitPoints, LeaveEveryBitAsItIs) {
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  const std::uint64_t seed = fresh_seed();
  at::manual_seed(seed);
  for (const SmallRun& small : small_runs()) {
    if (kLeftOut.contains(small.model)) continue;
    SCOPED_TRACE(std::string(small.model) + " " + seed_text(seed));
    ModelSource source;
    source.model = small.model;
    source.seed = seed;
    const StagedModel model = make_staged_model(source, {"cpu", small.model, 0});
    const int stages = static_cast<int>(model.stages.size());
    const at::Tensor input = at::rand({1, 3, small.height, small.width});
    const auto run = [&](int points) {
      const std::vector<std::size_t> begins = segment_begins(points, stages);
      std::vector<at::Tensor> state = {input};
      for (int segment = 0; segment <= points; ++segment) run_segment(model, begins, segment, state);
      return state.at(0);
    };
    const at::Tensor plain = run(0);
    for (const int points : {find_zoo_model(small.model)->exit_points, stages - 1})
      EXPECT_TRUE(at::equal(run(points), plain)) << points << " exit points";
  }
}

double sum_of_squares(const std::vector<std::size_t>& begins, const std::vector<TimeNs>& stage_ns) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    double segment = 0;
    for (std::size_t stage = begins[i]; stage < begins[i + 1]; ++stage)
      segment += static_cast<double>(stage_ns[stage]);
    sum += segment * segment;
  }
  return sum;
}

/// No other choice of as many places has a shorter mean time until the next exit point.
TEST(ExitPoints, AreSpreadByTheTimesOfTheStages) {
  EXPECT_EQ(segment_begins(1, std::vector<TimeNs>{90, 10, 10, 10, 10, 10}),
            (std::vector<std::size_t>{0, 1, 6}));
  EXPECT_EQ(segment_begins(1, 6), (std::vector<std::size_t>{0, 3, 6}));
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "stages", 0);
  for (int i = 0; i < 300; ++i) {
    std::vector<TimeNs> stage_ns(1 + random.below(10));
    for (TimeNs& ns : stage_ns) ns = static_cast<TimeNs>(random.below(1000));
    const std::size_t stages = stage_ns.size();
    // The least sum of squares, by number of exit points.
    std::vector<double> best(stages, std::numeric_limits<double>::infinity());
    for (std::uint32_t places = 0; places < 1U << (stages - 1); ++places) {
      std::vector<std::size_t> begins = {0};
      for (std::size_t stage = 1; stage < stages; ++stage)
        if ((places >> (stage - 1) & 1U) != 0) begins.push_back(stage);
      begins.push_back(stages);
      best[begins.size() - 2] = std::min(best[begins.size() - 2], sum_of_squares(begins, stage_ns));
    }
    for (std::size_t points = 0; points < stages; ++points) {
      const std::vector<std::size_t> begins = segment_begins(static_cast<int>(points), stage_ns);
      ASSERT_EQ(begins.size(), points + 2);
      EXPECT_EQ(std::ranges::adjacent_find(begins, std::greater_equal<>()), begins.end()) << "none is empty";
      EXPECT_EQ(begins.back(), stages);
      EXPECT_EQ(sum_of_squares(begins, stage_ns), best[points]);
    }
  }
}

/// The device puts exit points where the times of its own stages say: of six stages the first takes nearly
/// all the time.
TEST(ExitPoints, ADeviceMeasuresItsStages) {
  std::vector<int> ran;
  TorchDeviceOptions options;
  options.models = [&ran](const ModelSource&, const DevicePlace&) {
    StagedModel model;
    model.input.height = model.input.width = 4;
    for (int stage = 0; stage < 6; ++stage) {
      model.stages.emplace_back([&ran, stage](std::vector<at::Tensor>&) {
        ran.push_back(stage);
        if (stage == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      });
    }
    return model;
  };
  CpuEngine engine(options);
  ModelSource source;
  source.exit_points = 1;
  ASSERT_EQ(engine.load(source, {"cpu", "uneven", 0}), 1);
  RandomStream random(1, "uneven", 0);
  const OwnedImage image = random_image(random, 4, 4);
  const std::vector<Image> images = {image.view()};
  engine.begin(0, 0, images);
  ran.clear();
  engine.enqueue(0, 0);
  EXPECT_EQ(ran, std::vector<int>{0});
}

/// A batch that stops at any of its exit points leaves nothing behind: the next batch is as if it had not
/// run.
TEST(ExitPoints, AStoppedBatchLeavesTheNextOneAsItIs) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "stopped", 0);
  std::vector<float> output;
  TorchDeviceOptions options;
  options.models = [](const ModelSource& source, const DevicePlace& place) {
    return make_staged_model(source, place);
  };
  options.on_output = [&](std::uint64_t, std::span<const float> values) {
    output.assign(values.begin(), values.end());
  };
  CpuEngine engine(options);
  ModelSource source;
  source.model = "lenet";
  source.seed = seed;
  source.max_batch = 2;
  source.exit_points = kAllExitPoints;
  const int points = engine.load(source, {"cpu", "lenet", 0});
  ASSERT_GT(points, 1);
  const OwnedImage first = random_image(random, 32, 32);
  const OwnedImage other = random_image(random, 40, 20);
  const auto run = [&](const OwnedImage& one, int segments) {
    const std::vector<Image> images = {one.view(), one.view()};
    output.clear();
    engine.begin(0, 0, images);
    for (int segment = 0; segment < segments; ++segment) engine.enqueue(0, segment);
    if (segments > points) engine.hand_out(0, 1);
    engine.release(0);
    return output;
  };
  const std::vector<float> plain = run(first, points + 1);
  ASSERT_FALSE(plain.empty());
  for (int last = 1; last <= points; ++last) {
    run(other, last);
    EXPECT_EQ(run(first, points + 1), plain) << last << " segments";
  }
}

}  // namespace
}  // namespace harness
