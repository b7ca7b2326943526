#include "harness/live/tensors/tensors.h"

#include <algorithm>
#include <cstring>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// Returns `bytes` rounded up to whole words, so that each tensor of a block begins with a word.
std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return (bytes + kWord - 1) / kWord * kWord;
}

}  // namespace

std::size_t output_bytes(const Pipeline& pipeline, ModuleId module) {
  std::size_t bytes = 0;
  for (const ModuleId sub : pipeline.modules[module].subs)
    bytes = std::max<std::size_t>(bytes, pipeline.modules[sub].input_bytes);
  return bytes;
}

Tensors::Tensors(const Pipeline& pipeline, std::uint64_t seed)
    : seed_(seed), inputs_(pipeline.modules.size()), outputs_(pipeline.modules.size()) {
  for (std::size_t m = 0; m < outputs_.size(); ++m) {
    inputs_[m].bytes = pipeline.modules[m].input_bytes;
    outputs_[m].bytes = harness::output_bytes(pipeline, static_cast<ModuleId>(m));
  }
}

StoredTensor Tensors::input(ModuleId entry, RequestId request) {
  return slice_of(inputs_[entry], "tensor.input", entry, request);
}

StoredTensor Tensors::output(ModuleId module, RequestId request) {
  return slice_of(outputs_[module], "tensor.output", module, request);
}

StoredTensor Tensors::slice_of(TensorSet& set, const char* name, ModuleId module, RequestId request) const {
  const std::size_t stride = rounded(set.bytes);
  if (set.block == nullptr) {
    set.block.reset(new std::byte[kTensorsPerModule * stride]);
    RandomStream random(seed_, name, module);
    for (std::size_t at = 0; at < kTensorsPerModule * stride; at += sizeof(std::uint64_t)) {
      const std::uint64_t bits = random.bits();
      std::memcpy(set.block.get() + at, &bits, sizeof bits);
    }
  }
  return {set.block.get() + request % kTensorsPerModule * stride, set.bytes, set.block};
}

}  // namespace harness
