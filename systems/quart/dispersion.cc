#include "systems/quart/dispersion.h"

#include <algorithm>

#include "harness/core/check.h"
#include "harness/core/portable_math.h"

namespace harness {
namespace {

constexpr double kMinShare = 1e-6;  // share of the uniform probability
constexpr int kMaxSteps = 10'000;   // a guard: a descent takes tens of steps

}  // namespace

double kl_from_uniform(std::span<const double> row) {
  const auto servers = static_cast<double>(row.size());
  double sum = 0;
  for (const double p : row) sum += p > 0 ? p * portable_log(p * servers) : 0.0;
  return sum;
}

void kl_gradient(std::span<const double> row, std::span<double> gradient) {
  const auto servers = static_cast<double>(row.size());
  for (std::size_t j = 0; j < row.size(); ++j)
    gradient[j] = 1 + portable_log(std::max(row[j] * servers, kMinShare));
}

void project_onto_simplex(std::span<double> row) {
  // Michelot, 1986: all entries move by the same amount. Entries that would be negative become 0, and the
  // others try again.
  double sum = -1;
  for (const double p : row) sum += p;
  std::size_t left = row.size();
  double shift = sum / static_cast<double>(left);
  for (std::size_t before = 0; before != left;) {
    before = left;
    sum = -1;
    left = 0;
    for (const double p : row) {
      if (p <= shift) continue;
      sum += p;
      ++left;
    }
    shift = sum / static_cast<double>(left);
  }
  for (double& p : row) p = std::max(p - shift, 0.0);
}

int Dispersion::disperse(std::span<double> row, double threshold) {
  HARNESS_CHECK(threshold > 0, "a row never reaches the uniform one exactly");
  gradient_.resize(row.size());
  next_.resize(row.size());
  double rate = 1 / static_cast<double>(row.size());  // Newton's rate if the row is nearly uniform
  double divergence = kl_from_uniform(row);
  int steps = 0;
  for (; divergence > threshold && steps < kMaxSteps; ++steps) {
    kl_gradient(row, gradient_);
    for (std::size_t j = 0; j < row.size(); ++j) next_[j] = row[j] - rate * gradient_[j];
    project_onto_simplex(next_);
    const double next = kl_from_uniform(next_);
    if (next < divergence) {
      divergence = next;
      std::copy(next_.begin(), next_.end(), row.begin());
    } else {
      rate /= 2;
    }
  }
  return steps;
}

}  // namespace harness
