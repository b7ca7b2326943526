// For tests: the worked example of the Nexus paper.
#pragma once

#include <vector>

#include "harness/serving/test_world.h"
#include "systems/nexus/nexus_params.h"

namespace harness {

/// Returns a profile known at batches 4, 8 and 16; a batch in between runs padded.
inline Profile at_4_8_16(double four_ms, double eight_ms, double sixteen_ms) {
  std::vector<double> latencies;
  for (int b = 1; b <= 16; ++b) latencies.push_back(b <= 4 ? four_ms : (b <= 8 ? eight_ms : sixteen_ms));
  return profile_of_ms(latencies);
}

/// Returns models A, B and C of the worked example: 200, 250 and 250 ms; 224, 32 and 32 requests/s.
inline std::vector<Profile> nexus_example_profiles() {
  return {at_4_8_16(50, 75, 100), at_4_8_16(50, 90, 125), at_4_8_16(60, 95, 125)};
}
inline std::vector<Stream> nexus_example_streams() {
  return {{0, 200 * kMs, 224}, {1, 250 * kMs, 32}, {2, 250 * kMs, 32}};
}

/// Returns the paper's own numbers: latencies without a margin, and no time for the network.
inline NexusParams without_margins() {
  NexusParams params;
  params.profile_margin = 1;
  params.network_ms = 0;
  return params;
}

}  // namespace harness
