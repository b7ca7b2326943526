#include "harness/core/portable_math.h"

#include <bit>
#include <cstdint>

namespace harness {

double portable_log(double x) {
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(f), f = (m - 1) / (m + 1), |f| < 0.1716.
  const auto word = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(word >> 52) - 1023;
  double mantissa = std::bit_cast<double>((word & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  const double f = (mantissa - 1.0) / (mantissa + 1.0);
  const double f2 = f * f;
  double series = 1.0 / 21.0;
  series = series * f2 + 1.0 / 19.0;
  series = series * f2 + 1.0 / 17.0;
  series = series * f2 + 1.0 / 15.0;
  series = series * f2 + 1.0 / 13.0;
  series = series * f2 + 1.0 / 11.0;
  series = series * f2 + 1.0 / 9.0;
  series = series * f2 + 1.0 / 7.0;
  series = series * f2 + 1.0 / 5.0;
  series = series * f2 + 1.0 / 3.0;
  const double log_mantissa = 2.0 * f + 2.0 * f * f2 * series;
  return static_cast<double>(exponent) * 0.6931471805599453 + log_mantissa;
}

double portable_exp(double x) {
  // e^x = 2^k e^r with |r| <= ln(2) / 2, and a Taylor series for e^r.
  const double clamped = x > 700.0 ? 700.0 : (x < -700.0 ? -700.0 : x);
  const double scaled = clamped * 1.4426950408889634;
  const int k = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  // ln 2 in two parts, the first of 32 bits: k times it is exact, so r keeps its precision for large |x|.
  constexpr double kLn2High = 0x1.62e42feep-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  const double r = (clamped - static_cast<double>(k) * kLn2High) - static_cast<double>(k) * kLn2Low;
  double series = 1.0;
  for (int i = 14; i >= 1; --i) series = 1.0 + series * r / static_cast<double>(i);
  return series * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

}  // namespace harness
