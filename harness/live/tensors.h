// What visits bring to their modules: tensors of the declared size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// A few tensors of random bytes for each module, which the visits take in turn. A network with random
/// weights leaves nothing behind that a picture could be made of, so the input of a later module is random as
/// well, and as large as its declaration says.
class Tensors {
 public:
  Tensors(const Pipeline& pipeline, std::uint64_t seed);

  /// The one that a request brings to the module: Module::input_bytes bytes.
  std::span<const std::byte> of(ModuleId module, RequestId request) const {
    return tensors_[module][request % kEach];
  }

 private:
  static constexpr std::size_t kEach = 8;
  std::vector<std::vector<std::vector<std::byte>>> tensors_;  ///< by module
};

}  // namespace harness
