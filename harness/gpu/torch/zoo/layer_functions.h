// The arithmetic of layers for which LibTorch has no single call. All are pure functions of tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include "harness/gpu/torch/zoo/network_builder.h"

namespace harness {

/// Returns the activation of `x`, in a tensor of its own.
at::Tensor activation_of(const at::Tensor& x, Activation activation);

/// Does the same for a tensor that nothing else refers to: it may be overwritten.
at::Tensor activated(at::Tensor fresh, Activation activation);

/// Computes scaled dot-product attention (Vaswani et al., NIPS'17). `qkv` is [batch, tokens, 3 * width]:
/// queries, keys, values side by side, each of `heads` equal parts; the result is [batch, tokens, width].
at::Tensor attend(const at::Tensor& qkv, int heads);

/// Computes split attention's gap (ResNeSt, Zhang et al., section 3.2): the mean over the image of the sum
/// over the `radix` splits of the channels; [b, radix * c, h, w] to [b, c, 1, 1].
at::Tensor split_mean(const at::Tensor& x, int radix);

/// Returns the sum over splits of x weighted by the softmax, over splits, of `logits` [b, radix * c, 1, 1].
at::Tensor split_sum(const at::Tensor& x, const at::Tensor& logits, int radix);

/// Returns token numbers from an image [b, 3, h, w] of values 0 to 255: [b, h * w], red + 256 green + 65536
/// blue, modulo the vocabulary.
at::Tensor tokens_of(const at::Tensor& image, int vocabulary);

}  // namespace harness
