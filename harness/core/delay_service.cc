#include "harness/core/delay_service.h"

#include <algorithm>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr double kLongestNs = 1e18;  ///< longest delay, 31 years: later times stay within TimeNs

}  // namespace

double mean_ns(const DelayService& delay) {
  return static_cast<double>(delay.median_ns) * portable_exp(delay.sigma * delay.sigma / 2);
}

TimeNs delay_of(const DelayService& delay, std::uint64_t seed, RequestId request, ModuleId module) {
  RandomStream random(seed, "delay", (request << 16) | module);
  const double ns = static_cast<double>(delay.median_ns) * portable_exp(delay.sigma * random.normal());
  return static_cast<TimeNs>(std::clamp(ns + 0.5, 1.0, kLongestNs));
}

}  // namespace harness
