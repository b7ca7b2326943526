#include "systems/quart/attention_pass.h"

#include <algorithm>

#include "harness/core/portable_math.h"

namespace harness {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void multiply(std::span<const double> w, std::span<const double> x, std::span<double> out) {
  for (std::size_t row = 0; row < out.size(); ++row) out[row] = dot(w.subspan(row * x.size(), x.size()), x);
}

double leaky(double x) { return x > 0 ? x : kLeak * x; }

}  // namespace

void to_shares(std::span<double> exponents) {
  const double most = *std::ranges::max_element(exponents);
  double sum = 0;
  for (double& value : exponents) {
    value = value == most ? 1 : portable_exp(value - most);
    sum += value;
  }
  for (double& value : exponents) value /= sum;
}

void AttentionPass::run(const AttentionWeights& weights, const AttentionFeatures& itself,
                        std::span<const AttentionNeighbour> neighbours) {
  const std::size_t hidden = weights.hidden();
  own.resize(hidden);
  others.resize(neighbours.size() * hidden);
  scores.resize(neighbours.size());
  shares.resize(neighbours.size());
  updated.assign(hidden, 0);

  const std::span<const double> a = weights.a;
  multiply(weights.w, itself, own);
  const double own_score = dot(a.first(hidden), own);
  for (std::size_t j = 0; j < neighbours.size(); ++j) {
    const std::span<double> other = std::span(others).subspan(j * hidden, hidden);
    multiply(weights.w, neighbours[j].x, other);
    scores[j] = own_score + dot(a.last(hidden), other);
    shares[j] = leaky(scores[j]) + weights.theta * neighbours[j].cv;
  }
  to_shares(shares);
  for (std::size_t j = 0; j < neighbours.size(); ++j) {
    for (std::size_t h = 0; h < hidden; ++h) updated[h] += shares[j] * others[j * hidden + h];
  }
  log_cv = weights.bias + dot(weights.f, updated);
}

}  // namespace harness
