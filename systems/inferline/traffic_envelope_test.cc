#include "systems/inferline/traffic_envelope.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace harness {
namespace {

std::vector<TimeNs> in_s(const std::vector<double>& seconds) {
  std::vector<TimeNs> times;
  for (const double second : seconds) times.push_back(s_to_ns(second));
  return times;
}

// By hand: windows of 2, 4, 8 and 16 s, half open.
TEST(TrafficEnvelope, OfFiveArrivals) {
  TrafficEnvelope envelope(2 * kNsPerS, 16 * kNsPerS);
  for (const TimeNs sent : in_s({0, 1, 3, 4, 10})) envelope.add(sent);
  EXPECT_EQ(std::vector<TimeNs>(envelope.windows().begin(), envelope.windows().end()), in_s({2, 4, 8, 16}));
  EXPECT_EQ(std::vector<std::uint32_t>(envelope.most().begin(), envelope.most().end()),
            (std::vector<std::uint32_t>{2, 3, 4, 5}));
}

TEST(TrafficEnvelope, IsTheMostThatAnyWindowHolds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<TimeNs> times = testing::poisson_times(200, 40 * kNsPerS, seed);
    TrafficEnvelope envelope(70 * kNsPerMs, 10 * kNsPerS);
    for (const TimeNs sent : times) envelope.add(sent);
    for (std::size_t i = 0; i < envelope.windows().size(); ++i) {
      std::size_t most = 0;
      for (std::size_t first = 0; first < times.size(); ++first) {
        const auto end = std::lower_bound(times.begin(), times.end(), times[first] + envelope.windows()[i]);
        most = std::max(most, static_cast<std::size_t>(end - times.begin()) - first);
      }
      EXPECT_EQ(envelope.most()[i], most) << "seed " << seed << ", window " << i;
    }
  }
}

}  // namespace
}  // namespace harness
