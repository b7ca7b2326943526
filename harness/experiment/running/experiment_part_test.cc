#include "harness/experiment/running/experiment_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace harness {
namespace {

TEST(ExperimentPart, EachCellIsOfOnePartAndPartsAreAlmostEqual) {
  for (std::uint32_t of = 1; of <= 12; ++of) {
    constexpr std::uint32_t kCells = 100;
    std::vector<std::uint32_t> sizes;
    std::vector<int> parts_with(kCells);
    for (std::uint32_t number = 1; number <= of; ++number) {
      sizes.push_back(0);
      for (std::uint32_t cell = 0; cell < kCells; ++cell) {
        if (!ExperimentPart{number, of}.has(cell)) continue;
        ++sizes.back();
        ++parts_with[cell];
      }
    }
    EXPECT_EQ(parts_with, std::vector<int>(kCells, 1)) << of;
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()),
              1U)
        << of;
  }
}

// Whatever the distances, each part gets its share of each kind: 400 draws, by 5 standard deviations.
TEST(ExperimentPart, WhatComesAtEqualDistancesIsSpread) {
  constexpr std::uint32_t kRows = 400;
  for (const std::uint32_t of : {2U, 8U, 31U, 100U}) {
    for (const std::uint32_t kinds : {2U, 3U, 4U, 9U, 30U}) {
      for (std::uint32_t number = 1; number <= of; ++number) {
        std::vector<int> counts(kinds);
        for (std::uint32_t cell = 0; cell < kRows * of; ++cell)
          counts[cell % kinds] += ExperimentPart{number, of}.has(cell);
        const double expected = static_cast<double>(kRows) / kinds;
        for (const int count : counts)
          EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << number << "/" << of << ", " << kinds;
      }
    }
  }
}

}  // namespace
}  // namespace harness
