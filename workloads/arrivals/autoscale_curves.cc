#include "workloads/arrivals/autoscale_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"

namespace harness {
namespace {

constexpr std::size_t kMinutes = 60;
constexpr double kMinuteS = 60;
constexpr double kPeakRps = 800;

struct Shape {
  std::string_view name;
  std::array<unsigned char, kMinutes> percent;  ///< rate of each minute in % of the peak
};

// Each mean over the peak is the one of AutoScale's tables (TOCS 2012): the mean number of servers of 60
// requests/s each that its clairvoyant policy takes, less half a server, over 800 requests/s. InferLine's
// Fig. 6(b), probably the dual phase, rises smoothly, has a spike of an instant, and drops soon after 1,000 s
// of a run in which a minute takes 30 s.
constexpr std::array<Shape, 6> kShapes = {{
    {"autoscale-slow", {13, 14, 14, 15, 15, 15, 15, 15, 15, 15, 14, 14, 13, 13, 12, 12, 11,  10, 10, 9,
                        9,  8,  8,  8,  8,  9,  10, 13, 18, 24, 33, 45, 59, 74, 87, 96, 100, 98, 89, 78,
                        64, 51, 40, 31, 25, 21, 18, 17, 16, 15, 15, 14, 13, 13, 12, 12, 11,  10, 10, 9}},
    {"autoscale-quick", {64, 98, 54, 28, 48, 60, 68, 77, 34, 20, 78, 96,  60, 28, 49, 59, 78, 79, 36, 27,
                         75, 88, 57, 31, 43, 55, 84, 74, 37, 30, 78, 100, 51, 37, 45, 68, 86, 68, 26, 21,
                         83, 90, 54, 31, 45, 57, 79, 76, 30, 32, 80, 96,  57, 44, 46, 53, 89, 82, 33, 28}},
    {"autoscale-spike", {26, 27, 28, 29, 29, 30, 27, 29, 30, 28, 29, 26, 26, 24, 25, 24,  22, 22, 22, 24,
                         23, 22, 24, 23, 25, 24, 25, 28, 27, 27, 30, 30, 28, 39, 73, 100, 95, 63, 37, 26,
                         25, 23, 22, 21, 21, 21, 22, 24, 23, 25, 25, 26, 28, 28, 28, 29,  29, 27, 30, 27}},
    {"autoscale-dual", {41, 41, 44, 42, 45,  45, 45, 48, 47, 49, 49, 50, 52, 54, 52, 54, 56, 58, 58, 58,
                        61, 58, 62, 61, 100, 62, 64, 66, 65, 67, 68, 68, 70, 69, 48, 33, 23, 17, 18, 19,
                        18, 18, 19, 19, 18,  20, 19, 18, 19, 19, 20, 19, 18, 20, 18, 18, 20, 18, 19, 17}},
    {"autoscale-large", {10, 18, 31, 54, 68, 88, 100, 94, 88, 72, 48, 32, 19, 9,  8,  8,  17,  30, 52, 74,
                         88, 99, 96, 89, 68, 50, 34,  19, 9,  5,  9,  17, 31, 54, 69, 91, 100, 93, 87, 71,
                         48, 32, 20, 8,  7,  8,  19,  35, 49, 68, 84, 97, 93, 84, 71, 54, 32,  18, 10, 5}},
    {"autoscale-steep", {20, 20, 22, 20, 20, 21, 19, 20, 21, 21, 19,  20, 19, 21, 21, 19, 22, 22, 21, 21,
                         19, 65, 94, 98, 94, 95, 95, 94, 97, 97, 100, 98, 98, 97, 55, 16, 16, 15, 17, 17,
                         17, 17, 15, 15, 15, 14, 17, 15, 17, 15, 17,  17, 14, 15, 17, 16, 17, 15, 14, 16}},
}};

}  // namespace

RateCurve autoscale_curve(const std::string& shape, double from_s, double length_s) {
  const auto found =
      std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& one) { return one.name == shape; });
  HARNESS_CHECK(found != kShapes.end(), "a shape of AutoScale");
  const double bins = std::ceil(length_s / kMinuteS);
  if (!(bins <= static_cast<double>(kMaxBins))) {
    throw input_error(
        {"", 0, "duration_s"}, "a " + shape + " of " + text_of(length_s) + " source seconds",
        "at most " + text_of(static_cast<double>(kMaxBins) * kMinuteS) + " (duration_s x compress)");
  }
  const auto first = static_cast<std::size_t>(from_s / kMinuteS);
  RateCurve curve{kMinuteS, {}};
  for (std::size_t minute = first; minute < first + static_cast<std::size_t>(bins); ++minute)
    curve.rps.push_back(kPeakRps * found->percent[minute % kMinutes] / 100);
  return curve;
}

}  // namespace harness
