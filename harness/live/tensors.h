// What visits bring to their modules: tensors of the declared size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "harness/gpu/tensor_store.h"

namespace harness {

/// A few tensors of random bytes for each module, which the requests take in turn. A network with random
/// weights leaves nothing behind that a picture could be made of, so what stands for its output is random as
/// well, and as large as the declarations say. Made when first asked for, and the same on all ranks. One
/// thread.
class Tensors {
 public:
  Tensors(const Pipeline& pipeline, std::uint64_t seed);

  /// What the client sends with a request: Module::input_bytes bytes of the module that it enters by.
  std::span<const std::byte> input(ModuleId entry, RequestId request);
  /// What a visit of the module leaves behind: as many bytes as the largest input of the modules that follow,
  /// each of which takes as many of them, from the front, as it declares. Shared, not copied: a device has it
  /// in its memory when a batch has ended, and no copy of the host's belongs to that.
  StoredTensor output(ModuleId module, RequestId request);
  /// 0: the modules that follow take no tensor.
  std::size_t output_bytes(ModuleId module) const { return outputs_[module].bytes; }

  /// Requests that are so many apart have the same tensors.
  static constexpr std::size_t kEach = 8;

 private:
  struct Tensor {
    std::size_t bytes = 0;
    std::shared_ptr<std::byte[]> block;  ///< kEach of them
  };
  StoredTensor of(Tensor& tensor, const char* name, ModuleId module, RequestId request) const;

  std::uint64_t seed_;
  std::vector<Tensor> inputs_;   ///< by module; entries' alone are used
  std::vector<Tensor> outputs_;  ///< by module
};

}  // namespace harness
