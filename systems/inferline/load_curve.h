// What AutoScale knows of a server (Gandhi et al., TOCS 2012): the load that it carries with so many requests
// in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systems/inferline/estimator.h"

namespace harness {

/// Requests in the system, and the queries/s that it carries then.
struct LoadPoint {
  double requests = 0;
  double rate_rps = 0;
};

/// AutoScale's f, and its inverse: straight lines from (0, 0) through what was measured.
class LoadCurve {
 public:
  LoadCurve() = default;
  /// In the order of rising rates; a point that has no more requests than one before it is left out.
  explicit LoadCurve(std::span<const LoadPoint> measured);

  /// Beyond the last point that point's.
  double rate_rps(double requests) const;
  /// The fewest requests with which it carries that rate; beyond the last point that point's.
  double requests(double rate_rps) const;

 private:
  std::vector<LoadPoint> points_{{0, 0}};
};

/// "Measured once": the sample's process at sixteenths of the rate that the slowest model can serve, up to
/// that rate; requests in the system are the Estimator's latencies by Little's law.
LoadCurve measure_load_curve(const Pipeline& pipeline, const Hardware& hardware,
                             std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                             const Configuration& configuration, PathDraws draws = PathDraws::kRoute);

}  // namespace harness
