#include "harness/live/tensors.h"

#include <algorithm>
#include <cstring>

#include "harness/core/random.h"

namespace harness {

Tensors::Tensors(const Pipeline& pipeline, std::uint64_t seed) {
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    RandomStream random(seed, "tensor", m);
    std::vector<std::vector<std::byte>>& own = tensors_.emplace_back(kEach);
    for (std::vector<std::byte>& tensor : own) {
      tensor.resize(pipeline.modules[m].input_bytes);
      for (std::size_t at = 0; at < tensor.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bits = random.bits();
        std::memcpy(tensor.data() + at, &bits, std::min(sizeof bits, tensor.size() - at));
      }
    }
  }
}

}  // namespace harness
