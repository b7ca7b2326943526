// Tensors in double precision for tests.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace harness {

/// Returns normally distributed numbers, the same for the same seed.
inline at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t seed) {
  at::manual_seed(seed);
  return at::randn(shape, at::kDouble);
}

/// Returns the value of a tensor with a single element.
inline double value(const at::Tensor& tensor) { return tensor.item<double>(); }

}  // namespace harness
