#include "harness/gpu/torch/zoo/layer_functions.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/gpu/torch/zoo/test_tensors.h"

namespace harness {
namespace {

TEST(LayerFunctions, ActivationsFollowTheirFormulas) {
  const at::Tensor x = random_tensor({50}, 1);
  const auto expect = [&](Activation activation, const std::function<double(double)>& formula) {
    const at::Tensor apart = activation_of(x, activation), in_place = activated(x.clone(), activation);
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      EXPECT_NEAR(value(apart[i]), formula(value(x[i])), 1e-12);
      EXPECT_EQ(value(in_place[i]), value(apart[i]));
    }
  };
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  expect(Activation::kNone, [](double v) { return v; });
  expect(Activation::kRelu, [](double v) { return std::max(v, 0.0); });
  expect(Activation::kSigmoid, sigmoid);
  expect(Activation::kSilu, [&](double v) { return v * sigmoid(v); });
  expect(Activation::kQuickGelu, [&](double v) { return v * sigmoid(1.702 * v); });
  expect(Activation::kGelu, [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); });
  expect(Activation::kTanh, [](double v) { return std::tanh(v); });
}

TEST(LayerFunctions, AttentionIsTheSoftmaxOfScaledProducts) {
  constexpr std::int64_t kBatch = 2, kTokens = 5, kWidth = 12, kHeads = 3, kHeadWidth = 4;
  const at::Tensor qkv = random_tensor({kBatch, kTokens, 3 * kWidth}, 2);
  const at::Tensor result = attend(qkv, kHeads);
  const auto q = qkv.accessor<double, 3>();
  for (std::int64_t b = 0; b < kBatch; ++b)
    for (std::int64_t h = 0; h < kHeads; ++h)
      for (std::int64_t t = 0; t < kTokens; ++t) {
        std::vector<double> weights(kTokens);
        double total = 0;
        for (std::int64_t u = 0; u < kTokens; ++u) {
          double product = 0;
          for (std::int64_t d = 0; d < kHeadWidth; ++d)
            product += q[b][t][h * kHeadWidth + d] * q[b][u][kWidth + h * kHeadWidth + d];
          total += weights[static_cast<std::size_t>(u)] = std::exp(product / 2);  // sqrt(4)
        }
        for (std::int64_t d = 0; d < kHeadWidth; ++d) {
          double expected = 0;
          for (std::int64_t u = 0; u < kTokens; ++u)
            expected +=
                weights[static_cast<std::size_t>(u)] / total * q[b][u][2 * kWidth + h * kHeadWidth + d];
          EXPECT_NEAR(value(result[b][t][h * kHeadWidth + d]), expected, 1e-12);
        }
      }
}

TEST(LayerFunctions, SplitAttentionWeighsTheSplits) {
  constexpr std::int64_t kChannels = 3, kSide = 4;
  const at::Tensor x = random_tensor({2, 2 * kChannels, kSide, kSide}, 3);
  const at::Tensor logits = random_tensor({2, 2 * kChannels, 1, 1}, 4);
  const at::Tensor mean = split_mean(x, 2), sum = split_sum(x, logits, 2);
  ASSERT_EQ(mean.sizes(), at::IntArrayRef({2, kChannels, 1, 1}));
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t c = 0; c < kChannels; ++c) {
      const at::Tensor first = x[b][c], second = x[b][kChannels + c];
      EXPECT_NEAR(value(mean[b][c][0][0]), (value(first.sum()) + value(second.sum())) / (kSide * kSide),
                  1e-12);
      // The softmax of two numbers.
      const double share =
          1 / (1 + std::exp(value(logits[b][kChannels + c][0][0]) - value(logits[b][c][0][0])));
      EXPECT_TRUE(at::allclose(sum[b][c], first * share + second * (1 - share), 0, 1e-12));
    }
}

TEST(LayerFunctions, TokensAreThePixelsBytes) {
  at::Tensor image = at::zeros({1, 3, 1, 4});
  const float pixels[4][3] = {{7, 0, 0}, {0, 1, 0}, {0, 0, 1}, {255, 255, 255}};
  for (int pixel = 0; pixel < 4; ++pixel)
    for (int channel = 0; channel < 3; ++channel) image[0][channel][0][pixel] = pixels[pixel][channel];
  const at::Tensor tokens = tokens_of(image, 30522);
  EXPECT_EQ(tokens[0][0].item<std::int64_t>(), 7);
  EXPECT_EQ(tokens[0][1].item<std::int64_t>(), 256);
  EXPECT_EQ(tokens[0][2].item<std::int64_t>(), 65536 - 2 * 30522);
  EXPECT_EQ(tokens[0][3].item<std::int64_t>(), 16777215 % 30522);
}

}  // namespace
}  // namespace harness
