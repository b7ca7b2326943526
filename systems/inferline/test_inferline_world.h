// Small clusters with kinds of devices, for tests of InferLine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/serving/cluster_device.h"
#include "harness/serving/planning_times.h"
#include "harness/serving/serving_context.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_random_cells.h"

namespace harness::testing {

/// Adds evenly spaced queries in [from_s, to_s).
inline void add_even(std::vector<TimeNs>& times, double from_s, double to_s, double rate_rps) {
  for (int i = 0; from_s + i / rate_rps < to_s - 1e-9; ++i) times.push_back(s_to_ns(from_s + i / rate_rps));
}

/// A pipeline on kinds of devices, with a sample.
struct InferLineWorld {
  Pipeline pipeline;
  std::vector<ClusterDevice> devices;
  ServingContext context;
  PlanningTimes planning;

  /// Fills `context` from the other members; called after their last change.
  void link() {
    context.pipeline = &pipeline;
    context.devices = devices;
    context.planning = &planning;
    context.profiles.clear();
    for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
      for (const ClusterDevice& device : devices) {
        if (!device.profiles[m]) continue;
        context.profiles.push_back(&*device.profiles[m]);
        break;
      }
    }
  }
};

/// Returns, by request, the time from sending to the end.
inline std::vector<TimeNs> engine_latencies(const RunSpec& spec) {
  RowKeeper rows;
  simulate(spec, &rows);
  std::vector<TimeNs> latencies(rows.request_rows.size());
  for (const RequestRow& row : rows.request_rows) latencies[row.request] = row.end_ns - row.sent_ns;
  return latencies;
}

/// The speed of a model on a kind of device: a batch of b takes alpha b + beta ms.
struct Speed {
  double alpha_ms = 1;
  double beta_ms = 0;
  int max_batch = 16;
};

/// Returns a kind of device with the speed of each model; a model with alpha 0 does not run there.
inline ClusterDevice device_of(const std::string& name, int count, double usd_per_h,
                               const std::vector<Speed>& models) {
  ClusterDevice device{name, count, usd_per_h, {}};
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Speed& speed = models[m];
    device.profiles.emplace_back();
    if (speed.alpha_ms > 0)
      device.profiles.back() =
          linear_profile("m" + std::to_string(m), speed.alpha_ms, speed.beta_ms, speed.max_batch);
  }
  return device;
}

/// Returns a random pipeline of up to five models on three kinds of devices: slow and cheap, middle, and fast
/// and dear.
inline std::unique_ptr<InferLineWorld> random_inferline_world(RandomStream& random) {
  auto world = std::make_unique<InferLineWorld>();
  world->pipeline = random.below(2) == 0 ? chain(1 + random.below(3)) : random_pipeline(random);
  const std::size_t models = world->pipeline.modules.size();
  std::vector<Speed> slow;
  std::vector<Speed> middle;
  std::vector<Speed> fast;
  for (std::size_t m = 0; m < models; ++m) {
    const double alpha_ms = 2 + 20 * random.uniform();
    const double gain = 1 + 10 * random.uniform();
    slow.push_back({alpha_ms, 0, 8});
    middle.push_back({alpha_ms / gain / 2, alpha_ms / gain, random.below(4) == 0 ? 1 : 16});
    fast.push_back({alpha_ms / gain / 5, alpha_ms / gain / 2, 32});
    if (random.below(4) == 0) fast.back().alpha_ms = 0;
    if (random.below(5) == 0) slow.back().alpha_ms = 0;
  }
  world->devices = {device_of("cpu", 200, 0.07, slow), device_of("k80", 200, 0.7, middle),
                    device_of("v100", 200, 2.6, fast)};
  world->planning.sample_ns = 20 * kNsPerS;
  // The draws come one after the other, because compilers evaluate a call's arguments in different orders.
  const double rate_rps = 20 + 150 * random.uniform();
  world->planning.sample = poisson_times(rate_rps, world->planning.sample_ns, random.bits());
  world->context.slo_ns = ms_to_ns(30 + 400 * random.uniform());
  world->link();
  return world;
}

}  // namespace harness::testing
