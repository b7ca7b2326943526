// The name of a tensor in a live run, and the place that makes or needs it.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The name of a tensor that a visit leaves behind, wherever it is kept. `index` is the index of the visit in
/// its request.
struct TensorKey {
  RequestId request = 0;
  std::uint16_t index = 0;

  friend bool operator==(const TensorKey& a, const TensorKey& b) {
    return a.request == b.request && a.index == b.index;
  }
  friend bool operator<(const TensorKey& a, const TensorKey& b) {
    return a.request != b.request ? a.request < b.request : a.index < b.index;
  }
};

/// TensorKey::index of the tensor that the request's client has sent.
inline constexpr std::uint16_t kClientTensor = 0xffff;

/// The module and the GPU that make or need a tensor.
struct TensorPlace {
  ModuleId module = 0;
  std::uint32_t gpu = kNone;  ///< kNone: not known yet
};

}  // namespace harness
