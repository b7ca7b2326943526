#include "systems/loki/table_draws.h"

#include <gtest/gtest.h>

#include <array>

namespace harness {
namespace {

// Steps of the golden ratio: the discrepancy of n of them grows with log n. For independent draws it grows
// with sqrt(n), to 18 for a fifth of 2,000.
TEST(TableDraws, EvenOnesKeepTheSharesFromTheStart) {
  TableDraws draws(Draw::kEven, 1, "even", 0);
  std::array<int, 5> count = {};
  for (int n = 1; n <= 2000; ++n) {
    const double number = draws.next();
    ASSERT_GE(number, 0);
    ASSERT_LT(number, 1);
    ++count[static_cast<std::size_t>(number * 5)];
    for (const int each : count) ASSERT_NEAR(each, n / 5., 3) << n;
  }
}

}  // namespace
}  // namespace harness
