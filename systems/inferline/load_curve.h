// AutoScale's knowledge of a server (Gandhi et al., TOCS 2012): the load that it carries with a number of
// requests in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systems/inferline/estimator.h"

namespace harness {

/// AutoScale's f and its inverse: straight lines from (0, 0) through the measured points.
class LoadCurve {
 public:
  /// A measured point: requests in the system, and the queries/s that it carries then.
  struct Point {
    double requests = 0;
    double rate_rps = 0;
  };

  LoadCurve() = default;
  /// `measured` is in the order of rising rates; a point that has no more requests than one before it is left
  /// out.
  explicit LoadCurve(std::span<const Point> measured);

  /// Returns the rate with that many requests; beyond the last point, the last point's rate.
  double rate_rps(double requests) const;
  /// Returns the fewest requests with which it carries that rate; beyond the last point, the last point's
  /// requests.
  double requests(double rate_rps) const;

 private:
  std::vector<Point> points_{{0, 0}};
};

/// Returns the curve, "measured once": the sample's process is simulated at sixteenths of the rate that the
/// slowest model can serve, up to that rate. The requests in the system follow from the Estimator's latencies
/// by Little's law.
LoadCurve measure_load_curve(const Pipeline& pipeline, const Hardware& hardware,
                             std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                             const Configuration& configuration, PathDraws draws = PathDraws::kRoute);

}  // namespace harness
