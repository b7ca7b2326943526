#include "harness/gpu/torch/zoo/weight_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace harness {
namespace {

std::vector<float> drawn(std::size_t count, std::uint64_t seed, std::string_view name, float centre = 0,
                         float half_width = 1) {
  std::vector<float> values(count);
  fill_uniform(values, seed, name, centre, half_width);
  return values;
}

TEST(RandomWeights, DependOnSeedNameAndIndexAlone) {
  const std::vector<float> values = drawn(1001, 7, "conv_weight");
  EXPECT_EQ(values, drawn(1001, 7, "conv_weight"));
  EXPECT_NE(values, drawn(1001, 8, "conv_weight"));
  EXPECT_NE(values, drawn(1001, 7, "conv_bias"));
  // Fewer numbers are the beginning of more numbers, whether their count is odd or even.
  for (const std::size_t count : {1U, 2U, 500U, 999U}) {
    const std::vector<float> fewer = drawn(count, 7, "conv_weight");
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), values.begin())) << count;
  }
}

TEST(RandomWeights, AreUniform) {
  constexpr std::size_t kCount = 200'000;
  constexpr double kCentre = 2, kHalfWidth = 0.5;
  const std::vector<float> values = drawn(kCount, 3, "any", kCentre, kHalfWidth);
  double sum = 0, squares = 0, neighbours = 0;
  std::vector<int> tenths(10);
  for (std::size_t i = 0; i < kCount; ++i) {
    const double z = (static_cast<double>(values[i]) - kCentre) / kHalfWidth;
    ASSERT_GE(z, -1);
    ASSERT_LE(z, 1);
    sum += z;
    squares += z * z;
    if (i > 0) neighbours += z * (static_cast<double>(values[i - 1]) - kCentre) / kHalfWidth;
    ++tenths[std::min<std::size_t>(9, static_cast<std::size_t>((z + 1) * 5))];
  }
  // The mean is 0, the variance 1/3, and neighbours are uncorrelated: each within 5 standard errors.
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1.0 / 3 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
  EXPECT_NEAR(neighbours / kCount, 0, 5 * std::sqrt(1.0 / 9 / kCount));
  for (const int count : tenths) EXPECT_NEAR(count, kCount / 10.0, 5 * std::sqrt(kCount * 0.09));
}

}  // namespace
}  // namespace harness
