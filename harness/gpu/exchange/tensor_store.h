// The tensors of a worker, by handle: a batch's outputs, kept until the next modules have taken them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "harness/gpu/exchange/stored_tensor.h"
#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// Counts the references to each tensor, and lets go of it with the last one. Using a handle that does not,
/// or no longer, stand for a tensor is a bug. The store is used by one thread: a tensor that a device still
/// reads must not be dropped before the batch has ended.
class TensorStore {
 public:
  /// Holds at most `budget_bytes`. `freed` is called with the size of each tensor that has left the store.
  explicit TensorStore(std::size_t budget_bytes = std::numeric_limits<std::size_t>::max(),
                       std::function<void(std::size_t bytes)> freed = {});
  TensorStore(const TensorStore&) = delete;
  TensorStore& operator=(const TensorStore&) = delete;

  /// Keeps the tensor with this number of references. If it exceeds the budget, keeps nothing and returns
  /// kNoTensor.
  TensorHandle put(StoredTensor tensor, std::uint32_t references = 1);
  /// Adds references, one for each further branch that will take the tensor.
  void share(TensorHandle handle, std::uint32_t more = 1);
  /// Returns the tensor, which stays while the caller keeps a reference.
  const StoredTensor& at(TensorHandle handle) const;
  /// Returns the tensor in exchange for a reference; its memory stays as long as the returned owner does.
  StoredTensor take(TensorHandle handle);
  /// Gives up a reference.
  void drop(TensorHandle handle);

  std::size_t tensors() const { return slots_.size() - free_slots_.size(); }
  std::size_t used_bytes() const { return used_bytes_; }

 private:
  struct Slot {
    StoredTensor tensor;
    std::uint32_t references = 0;
    std::uint32_t generation = 0;
  };
  std::uint32_t slot_of(TensorHandle handle) const;

  std::size_t budget_bytes_;
  std::function<void(std::size_t)> freed_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t used_bytes_ = 0;
};

}  // namespace harness
