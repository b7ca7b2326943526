#include "bench/fit_attention.h"

#include <cmath>

#include "harness/core/random_stream.h"
#include "systems/quart/attention_features.h"
#include "systems/quart/attention_pass.h"

namespace harness {
namespace {

/// Views of the parts of the weights in one vector.
struct Parts {
  std::span<double> w, a, theta, f, bias;

  Parts(std::span<double> numbers, std::size_t hidden) {
    const auto next = [&](std::size_t count) {
      const std::span<double> part = numbers.first(count);
      numbers = numbers.subspan(count);
      return part;
    };
    w = next(hidden * kAttentionFeatures.size());
    a = next(2 * hidden);
    theta = next(1);
    f = next(hidden);
    bias = next(1);
  }
};

/// Adds the gradient of one sample, by the chain rule from f back to W. `d_log_cv` is the derivative of the
/// loss by log CV.
void add_gradient(const AttentionWeights& weights, const CvSample& sample, const AttentionPass& pass,
                  double d_log_cv, Parts& out) {
  const std::size_t hidden = weights.hidden();
  constexpr std::size_t kColumns = kAttentionFeatures.size();
  const std::span<const double> f = weights.f;
  const std::span<const double> a = weights.a;
  out.bias[0] += d_log_cv;
  for (std::size_t h = 0; h < hidden; ++h) out.f[h] += d_log_cv * pass.updated[h];

  // The derivative by share j is f . W x_j; the softmax takes away their mean.
  double mean = 0;
  const auto by_share = [&](std::size_t j) {
    double sum = 0;
    for (std::size_t h = 0; h < hidden; ++h) sum += f[h] * pass.others[j * hidden + h];
    return d_log_cv * sum;
  };
  for (std::size_t j = 0; j < sample.neighbours.size(); ++j) mean += pass.shares[j] * by_share(j);
  double d_own_score = 0;
  for (std::size_t j = 0; j < sample.neighbours.size(); ++j) {
    const AttentionNeighbour& neighbour = sample.neighbours[j];
    const double d_exponent = pass.shares[j] * (by_share(j) - mean);
    out.theta[0] += d_exponent * neighbour.cv;
    const double d_score = d_exponent * (pass.scores[j] > 0 ? 1 : kLeak);
    d_own_score += d_score;
    for (std::size_t h = 0; h < hidden; ++h) {
      out.a[hidden + h] += d_score * pass.others[j * hidden + h];
      const double d_other = d_log_cv * pass.shares[j] * f[h] + d_score * a[hidden + h];
      for (std::size_t c = 0; c < kColumns; ++c) out.w[h * kColumns + c] += d_other * neighbour.x[c];
    }
  }
  for (std::size_t h = 0; h < hidden; ++h) {
    out.a[h] += d_own_score * pass.own[h];
    const double d_own = d_own_score * a[h];
    for (std::size_t c = 0; c < kColumns; ++c) out.w[h * kColumns + c] += d_own * sample.itself[c];
  }
}

}  // namespace

std::vector<double> numbers_of(const AttentionWeights& weights) {
  std::vector<double> numbers = weights.w;
  numbers.insert(numbers.end(), weights.a.begin(), weights.a.end());
  numbers.push_back(weights.theta);
  numbers.insert(numbers.end(), weights.f.begin(), weights.f.end());
  numbers.push_back(weights.bias);
  return numbers;
}

void set_numbers(AttentionWeights& weights, std::span<const double> numbers) {
  std::vector<double> copy(numbers.begin(), numbers.end());
  const Parts parts(copy, weights.hidden());
  weights.w.assign(parts.w.begin(), parts.w.end());
  weights.a.assign(parts.a.begin(), parts.a.end());
  weights.theta = parts.theta[0];
  weights.f.assign(parts.f.begin(), parts.f.end());
  weights.bias = parts.bias[0];
}

double loss_and_gradient(const AttentionWeights& weights, std::span<const CvSample> samples,
                         std::vector<double>& gradient) {
  const std::size_t hidden = weights.hidden();
  gradient.assign(weights.w.size() + weights.a.size() + hidden + 2, 0);
  Parts parts(gradient, hidden);
  AttentionPass pass;
  double loss = 0;
  const auto count = static_cast<double>(samples.size());
  for (const CvSample& sample : samples) {
    pass.run(weights, sample.itself, sample.neighbours);
    const double error = pass.log_cv - sample.log_cv;
    loss += error * error / count;
    add_gradient(weights, sample, pass, 2 * error / count, parts);
  }
  return loss;
}

AttentionWeights first_weights(const FitOptions& options) {
  constexpr double kSpread = 0.3;
  const auto hidden = static_cast<std::size_t>(options.hidden);
  RandomStream random(options.seed, "quart.weights.first");
  const auto draw = [&](std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = kSpread * random.normal();
    return numbers;
  };
  AttentionWeights weights;
  weights.w = draw(hidden * kAttentionFeatures.size());
  weights.a = draw(2 * hidden);
  weights.f = draw(hidden);
  return weights;
}

AttentionWeights fit_attention(std::span<const CvSample> samples, const FitOptions& options) {
  constexpr double kFirstRate = 0.01;
  constexpr double kLastRate = 0.002;
  constexpr double kMean = 0.9;
  constexpr double kSquare = 0.999;
  AttentionWeights weights = first_weights(options);
  std::vector<double> numbers = numbers_of(weights);
  std::vector<double> gradient;
  std::vector<double> mean(numbers.size());
  std::vector<double> square(numbers.size());
  double mean_power = 1;
  double square_power = 1;
  for (int step = 0; step < options.steps; ++step) {
    loss_and_gradient(weights, samples, gradient);
    mean_power *= kMean;
    square_power *= kSquare;
    const double rate = step < options.steps * 3 / 5 ? kFirstRate : kLastRate;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      mean[i] = kMean * mean[i] + (1 - kMean) * gradient[i];
      square[i] = kSquare * square[i] + (1 - kSquare) * gradient[i] * gradient[i];
      numbers[i] -= rate * (mean[i] / (1 - mean_power)) / (std::sqrt(square[i] / (1 - square_power)) + 1e-8);
    }
    set_numbers(weights, numbers);
  }
  return weights;
}

}  // namespace harness
