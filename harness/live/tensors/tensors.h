// The tensors of random bytes, of the declared sizes, for the inputs and outputs of visits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "harness/gpu/exchange/stored_tensor.h"

namespace harness {

/// Returns the size of the output of a visit of the module: the largest input of the modules that follow.
/// Each of these takes as many of the bytes, from the front, as it declares. 0: no module follows that takes
/// a tensor.
std::size_t output_bytes(const Pipeline& pipeline, ModuleId module);

/// A few tensors of random bytes for each module, which the requests take in turn: the clients' inputs, and
/// substitutes for outputs if nothing is computed (timers, services, devices that compute nothing). They are
/// made when first asked for, and are the same on all ranks. Used by one thread.
class Tensors {
 public:
  Tensors(const Pipeline& pipeline, std::uint64_t seed);

  /// Returns the client's input for a request: Module::input_bytes bytes for the module at which the request
  /// enters. The bytes are shared, not copied.
  StoredTensor input(ModuleId entry, RequestId request);
  /// Returns the substitute for the output of a visit of the module, of output_bytes(). The bytes are shared,
  /// not copied.
  StoredTensor output(ModuleId module, RequestId request);
  std::size_t output_bytes(ModuleId module) const { return outputs_[module].bytes; }

  /// The number of inputs, and of outputs, of each module; requests whose numbers differ by a multiple of it
  /// have the same tensor.
  static constexpr std::size_t kTensorsPerModule = 8;

 private:
  struct TensorSet {
    std::size_t bytes = 0;               ///< bytes of each tensor
    std::shared_ptr<std::byte[]> block;  ///< kTensorsPerModule tensors, each in whole words, or null
  };
  StoredTensor slice_of(TensorSet& set, const char* name, ModuleId module, RequestId request) const;

  std::uint64_t seed_;
  std::vector<TensorSet> inputs_;   ///< inputs of each module; bytes are made for entry modules only
  std::vector<TensorSet> outputs_;  ///< outputs of each module
};

}  // namespace harness
