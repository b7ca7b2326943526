// Fits QUART's attention to simulated chains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/cv_sample.h"
#include "systems/quart/attention_weights.h"

namespace harness {

struct FitOptions {
  std::uint64_t seed = 1;
  int hidden = 6;
  int steps = 1500;
};

/// Returns the numbers that a fit changes, one after the other: W, a, theta, f, bias.
std::vector<double> numbers_of(const AttentionWeights& weights);
void set_numbers(AttentionWeights& weights, std::span<const double> numbers);

/// Returns the mean of the squared errors of log CV, and sets its gradient in the order of numbers_of().
double loss_and_gradient(const AttentionWeights& weights, std::span<const CvSample> samples,
                         std::vector<double>& gradient);

/// Returns the weights from which a fit starts: normal numbers of a small spread; theta and bias are 0.
AttentionWeights first_weights(const FitOptions& options);
/// Fits by least squares with Adam (Kingma and Ba, ICLR 2015), over all samples in each step. It is
/// deterministic.
AttentionWeights fit_attention(std::span<const CvSample> samples, const FitOptions& options);

}  // namespace harness
