// For tests: the worked example of the Nexus paper, and worlds of models side by side.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/serving/test_world.h"
#include "systems/nexus/nexus_params.h"

namespace harness {

/// A profile known at batches 4, 8 and 16; a batch in between runs padded.
inline Profile at_4_8_16(double four_ms, double eight_ms, double sixteen_ms) {
  std::vector<double> latencies;
  for (int b = 1; b <= 16; ++b) latencies.push_back(b <= 4 ? four_ms : (b <= 8 ? eight_ms : sixteen_ms));
  return profile_of_ms(latencies);
}

/// Models A, B and C of the worked example: 200, 250 and 250 ms; 224, 32 and 32 requests/s.
inline std::vector<Profile> nexus_example_profiles() {
  return {at_4_8_16(50, 75, 100), at_4_8_16(50, 90, 125), at_4_8_16(60, 95, 125)};
}
inline std::vector<Stream> nexus_example_streams() {
  return {{0, 200 * kMs, 224}, {1, 250 * kMs, 32}, {2, 250 * kMs, 32}};
}

/// The paper's numbers as they stand: latencies without a margin, no time for the network.
inline NexusParams without_margins() {
  NexusParams params;
  params.profile_margin = 1;
  params.network_ms = 0;
  return params;
}

/// Models that send nothing on, and the context that points to them.
class SideBySideWorld {
 public:
  SideBySideWorld(std::vector<Profile> profiles, std::vector<Stream> streams, int workers)
      : profiles_(std::move(profiles)) {
    pipeline_.name = "side by side";
    pipeline_.modules.resize(profiles_.size());
    for (std::size_t m = 0; m < profiles_.size(); ++m) {
      pipeline_.modules[m].name = "m" + std::to_string(m);
      context.profiles.push_back(&profiles_[m]);
    }
    context.pipeline = &pipeline_;
    context.streams = std::move(streams);
    for (const Stream& stream : context.streams) context.slo_ns = std::max(context.slo_ns, stream.slo_ns);
    context.workers = workers;
    context.seed = 1;
  }
  SideBySideWorld(const SideBySideWorld&) = delete;
  SideBySideWorld& operator=(const SideBySideWorld&) = delete;

  ServingContext context;

 private:
  std::vector<Profile> profiles_;
  Pipeline pipeline_;
};

}  // namespace harness
