#include "harness/gpu/torch/zoo/layer_functions.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <utility>

namespace harness {

at::Tensor activation_of(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kSilu:
      return at::silu(x);
    case Activation::kSigmoid:
      return at::sigmoid(x);
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kQuickGelu:  // used by CLIP: x sigmoid(1.702 x)
      return at::mul(x, at::sigmoid(at::mul(x, 1.702)));
    case Activation::kTanh:
      return at::tanh(x);
  }
  return x;
}

at::Tensor activated(at::Tensor fresh, Activation activation) {
  if (activation == Activation::kRelu) return at::relu_(fresh);
  if (activation == Activation::kSilu) return at::silu_(fresh);
  return activation_of(fresh, activation);
}

at::Tensor attend(const at::Tensor& qkv, int heads) {
  const std::int64_t batch = qkv.size(0), tokens = qkv.size(1), width = qkv.size(2) / 3;
  const std::int64_t head_width = width / heads;
  const at::Tensor parts = qkv.view({batch, tokens, 3, heads, head_width}).permute({2, 0, 3, 1, 4});
  const at::Tensor queries = at::mul(parts.select(0, 0), 1 / std::sqrt(static_cast<double>(head_width)));
  const at::Tensor weights = at::softmax(at::matmul(queries, parts.select(0, 1).transpose(2, 3)), -1);
  return at::matmul(weights, parts.select(0, 2)).transpose(1, 2).reshape({batch, tokens, width});
}

at::Tensor split_mean(const at::Tensor& x, int radix) {
  const at::Tensor sum = x.view({x.size(0), radix, x.size(1) / radix, x.size(2), x.size(3)}).sum(1);
  return at::adaptive_avg_pool2d(sum, {1, 1});
}

at::Tensor split_sum(const at::Tensor& x, const at::Tensor& logits, int radix) {
  const std::int64_t batch = x.size(0), channels = x.size(1) / radix;
  const at::Tensor shares = at::softmax(logits.view({batch, radix, channels, 1, 1}), 1);
  return at::mul(x.view({batch, radix, channels, x.size(2), x.size(3)}), shares).sum(1);
}

at::Tensor tokens_of(const at::Tensor& image, int vocabulary) {
  const at::Tensor bytes = at::flatten(at::round(image), 2).clamp(0, 255).to(at::kLong);
  const at::Tensor number = bytes.select(1, 0) + bytes.select(1, 1) * 256 + bytes.select(1, 2) * 65536;
  return at::remainder(number, vocabulary);
}

}  // namespace harness
