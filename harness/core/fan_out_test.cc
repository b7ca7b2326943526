#include "harness/core/fan_out.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "harness/core/test_task_tree.h"

namespace harness {
namespace {

/// Returns the mean and the variance of the children over many requests.
std::pair<double, double> moments(const Pipeline& pipeline, ModuleId module, std::size_t sub) {
  const FanOut fan_out(pipeline, 7);
  constexpr int kRequests = 200'000;
  double sum = 0;
  double squares = 0;
  for (RequestId request = 0; request < kRequests; ++request) {
    const double children = fan_out.children(module, sub, fan_out.first_key(request));
    sum += children;
    squares += children * children;
  }
  const double mean = sum / kRequests;
  return {mean, squares / kRequests - mean * mean};
}

TEST(FanOut, IsPoisson) {
  const Pipeline pipeline = traffic();
  for (const ModuleId module : std::vector<ModuleId>{0, 1}) {
    for (const std::size_t sub : {0U, 1U}) {
      const double expected = pipeline.modules[module].fan_out[sub];
      const auto [mean, variance] = moments(pipeline, module, sub);
      EXPECT_NEAR(mean, expected, 5 * std::sqrt(expected / 200'000));
      EXPECT_NEAR(variance, expected, 0.03 * expected);
    }
  }
}

TEST(FanOut, CanStrayByRoundingOnly) {
  Pipeline pipeline = traffic();
  pipeline.fixed_fan_out = true;
  const FanOut fan_out(pipeline, 7);
  for (RequestId request = 0; request < 1000; ++request) {
    const std::uint32_t children = fan_out.children(0, 1, fan_out.first_key(request));
    EXPECT_TRUE(children == 12 || children == 13) << children;
    EXPECT_EQ(fan_out.children(1, 1, fan_out.first_key(request)), 2U);
  }
  const auto [mean, variance] = moments(pipeline, 0, 1);
  EXPECT_NEAR(mean, 12.25, 0.005);
  EXPECT_NEAR(variance, 0.25 * 0.75, 0.005);
}

TEST(FanOut, OfABetterVariantIsNeverSmaller) {
  const Pipeline pipeline = traffic();
  const FanOut fan_out(pipeline, 3);
  for (RequestId request = 0; request < 10'000; ++request) {
    for (const std::size_t sub : {0U, 1U}) {
      const std::uint64_t key = fan_out.first_key(request);
      EXPECT_GE(fan_out.children(0, sub, key), fan_out.children(1, sub, key));
    }
  }
}

TEST(FanOut, OfSiblingsAndBranchesIsIndependent) {
  const Pipeline pipeline = traffic();
  const FanOut fan_out(pipeline, 3);
  double product = 0;
  double first_sum = 0;
  double second_sum = 0;
  constexpr int kRequests = 100'000;
  for (RequestId request = 0; request < kRequests; ++request) {
    const std::uint64_t root = fan_out.first_key(request);
    const double first = fan_out.children(4, 0, FanOut::child_key(root, 1, 0));
    const double second = fan_out.children(4, 0, FanOut::child_key(root, 1, 1));
    product += first * second;
    first_sum += first;
    second_sum += second;
  }
  const double covariance = product / kRequests - first_sum / kRequests * (second_sum / kRequests);
  EXPECT_NEAR(covariance, 0, 5 * 0.9 / std::sqrt(kRequests));
}

// Loki, Eq. 1: as many plates as cars times the plates of a car, on average; 2 * 0.9 and 12.25 * 1.
TEST(FanOut, MultipliesAlongAPath) {
  const Pipeline pipeline = traffic();
  const FanOut fan_out(pipeline, 5);
  const auto plates = [&](ModuleId detector, ModuleId classifier) {
    constexpr int kRequests = 50'000;
    double sum = 0;
    for (RequestId request = 0; request < kRequests; ++request) {
      const std::uint64_t root = fan_out.first_key(request);
      for (std::uint32_t car = 0; car < fan_out.children(detector, 1, root); ++car)
        sum += fan_out.children(classifier, 0, FanOut::child_key(root, 1, car));
    }
    return sum / kRequests;
  };
  // A compound Poisson sum has the variance cars * (plates + plates^2).
  EXPECT_NEAR(plates(1, 4), 1.8, 5 * std::sqrt(2 * (0.9 + 0.81) / 50'000));
  EXPECT_NEAR(plates(0, 3), 12.25, 5 * std::sqrt(12.25 * 2 / 50'000));
}

}  // namespace
}  // namespace harness
