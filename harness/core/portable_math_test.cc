#include "harness/core/portable_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

std::int64_t ulps_apart(double a, double b) {
  return std::abs(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b));
}

TEST(PortableLog, IsWithinTwoUlpOfTheLibrary) {
  RandomStream stream(14, "log");
  std::int64_t worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double mantissa = 1 + stream.uniform();
    const double wide = std::ldexp(mantissa, static_cast<int>(stream.below(2045)) - 1022);
    worst = std::max(worst, ulps_apart(portable_log(wide), std::log(wide)));
    const double unit = stream.uniform_positive();
    worst = std::max(worst, ulps_apart(portable_log(unit), std::log(unit)));
    const double near_one =
        1 + (stream.uniform() - 0.5) * std::ldexp(1.0, -static_cast<int>(stream.below(40)));
    worst = std::max(worst, ulps_apart(portable_log(near_one), std::log(near_one)));
  }
  EXPECT_LE(worst, 2);
  EXPECT_EQ(portable_log(1.0), 0.0);
}

TEST(PortableExp, HasARelativeErrorBelowTheStated) {
  RandomStream stream(15, "exp");
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = (2 * stream.uniform() - 1) * (i % 2 == 0 ? 700 : 1);
    const long double truth = std::exp(static_cast<long double>(x));
    const double error = static_cast<double>(std::fabs((portable_exp(x) - truth) / truth));
    worst = std::max(worst, error);
  }
  EXPECT_LT(worst, 1e-14);
  EXPECT_EQ(portable_exp(0.0), 1.0);
  EXPECT_EQ(portable_exp(1e9), portable_exp(700.0));
  EXPECT_EQ(portable_exp(-1e9), portable_exp(-700.0));
}

}  // namespace
}  // namespace harness
