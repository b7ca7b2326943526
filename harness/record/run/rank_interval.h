// The ranks of quantiles among values, with their confidence intervals.
#pragma once

#include <cstdint>

namespace harness {

/// Returns the rank of quantile q among n values in rising order: ceil(q x n), at least 1. `n` is at least 1.
std::uint64_t rank_of_quantile(std::uint64_t n, double q);

/// An interval between two of n values, given by their ranks, which count from 1.
struct RankInterval {
  std::uint64_t low = 0;   ///< rank of the lower end; 0: there are too few values for one
  std::uint64_t high = 0;  ///< rank of the upper end; n + 1: there are too few values for one
};
/// Returns the 95 % confidence interval of quantile q (0.5 <= q < 1) of the distribution from which the n
/// values were drawn, whatever it is: by the binomial distribution the quantile lies below the interval with
/// a probability of at most 2.5 %, and likewise above it. If n (1 - q) is above 400 the normal approximation
/// is used. The result is the same on every processor.
RankInterval quantile_ranks_95(std::uint64_t n, double q);

}  // namespace harness
