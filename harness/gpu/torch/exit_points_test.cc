// Exit points change no bit of what a network computes, whatever its architecture.
#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/gpu/test_pictures.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/gpu/torch/staged_model.h"
#include "harness/gpu/torch/zoo/test_runs.h"
#include "harness/gpu/torch/zoo/zoo.h"

namespace harness {
namespace {

/// The same architecture as clip-vit-b32, with more and smaller patches: too much for one core.
const std::set<std::string> kLeftOut = {"clip-vit-b16", "clip-vit-l14"};

TEST(ExitPoints, LeaveEveryBitAsItIs) {
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  const std::uint64_t seed = fresh_seed();
  at::manual_seed(seed);
  for (const SmallRun& run : small_runs()) {
    if (kLeftOut.contains(run.model)) continue;
    SCOPED_TRACE(std::string(run.model) + " " + seed_text(seed));
    ModelSource source;
    source.model = run.model;
    source.seed = seed;
    const StagedModel model = make_staged_model(source, {"cpu", run.model, 0});
    const int stages = static_cast<int>(model.stages.size());
    const at::Tensor input = at::rand({1, 3, run.height, run.width});
    const std::atomic<bool> stop = false;
    const std::optional<at::Tensor> plain = run_stages(model, spread_exit_points(0, stages), input, stop);
    ASSERT_TRUE(plain.has_value());
    for (const int points : {find_zoo_model(run.model)->exit_points, stages - 1}) {
      const std::optional<at::Tensor> output =
          run_stages(model, spread_exit_points(points, stages), input, stop);
      ASSERT_TRUE(output.has_value());
      EXPECT_TRUE(at::equal(*output, *plain)) << points << " exit points";
    }
  }
}

/// A batch that is asked to stop does so at each of the exit points, and leaves nothing behind: the next one
/// is as if nothing had been.
TEST(ExitPoints, AStoppedBatchLeavesTheNextOneAsItIs) {
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  at::manual_seed(seed);
  ModelSource source;
  source.model = "lenet";
  source.seed = seed;
  StagedModel model = make_staged_model(source, {"cpu", "lenet", 0});
  const int stages = static_cast<int>(model.stages.size());
  const std::vector<bool> exits = spread_exit_points(stages - 1, stages);
  const at::Tensor input = at::rand({2, 3, 32, 32});
  std::atomic<bool> stop = false;
  const at::Tensor plain = run_stages(model, exits, input, stop).value();
  for (int last = 0; last + 1 < stages; ++last) {
    StagedModel stopping = model;
    int ran = 0;
    for (ModelStage& stage : stopping.stages) {
      stage = [&, inner = stage](std::vector<at::Tensor>& state) {
        inner(state);
        stop = ran++ == last;
      };
    }
    stop = false;
    EXPECT_FALSE(run_stages(stopping, exits, input, stop).has_value());
    EXPECT_EQ(ran, last + 1) << "no stage runs after the exit point";
    stop = false;
    EXPECT_TRUE(at::equal(run_stages(model, exits, input, stop).value(), plain));
  }
}

}  // namespace
}  // namespace harness
