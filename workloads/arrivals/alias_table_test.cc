#include "workloads/arrivals/alias_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

TEST(AliasTable, DrawsInProportionToTheWeights) {
  const std::vector<double> weights = {1, 0, 1000, 3, 0.5, 0, 250, 17};
  AliasTable table;
  table.build(weights);
  RandomStream random(1, "test");
  std::vector<double> counts(weights.size(), 0.0);
  constexpr int kDraws = 2'000'000;
  for (int i = 0; i < kDraws; ++i) counts[table.draw(random)] += 1;
  double chi_square = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double expected = weights[i] / 1271.5 * kDraws;
    if (weights[i] == 0)
      EXPECT_EQ(counts[i], 0);
    else
      chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_NEAR(chi_square, 5, 5 * std::sqrt(2 * 5.0)) << "five degrees of freedom";
}

}  // namespace
}  // namespace harness
