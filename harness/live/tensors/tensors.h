// The tensors that visits bring to their modules, of the declared size, and rank 0's list of the ranks that
// keep them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/live/protocol/messages.h"

namespace harness {

// Rank 0's list of the tensors that the ranks keep.

/// The list of the tensors that visits have left behind; a tensor is listed until no visit of the modules
/// that follow lives any more. Used by the loop's thread.
class TensorRegistry {
 public:
  struct Made {
    int rank = 0;  ///< rank that keeps the tensor
    ModuleId module = 0;
    VisitId visit = 0;  ///< visit that made the tensor; in a chain also the slot of the visit that needs it
    std::uint32_t request_slot = 0;
  };
  using Entry = std::pair<const TensorKey, Made>;

  explicit TensorRegistry(int ranks) : released_(static_cast<std::size_t>(ranks)) {}

  void add(const TensorKey& key, const Made& made) { made_.emplace(key, made); }
  bool has(const TensorKey& key) const { return made_.contains(key); }

  /// Returns the tensor for the request's visit at a module with these `pres`: the tensor of the first of
  /// them that has made one, so a merge takes the tensor of that branch. Returns null if none has.
  const Entry* source(RequestId request, const std::vector<ModuleId>& pres) const {
    for (const ModuleId pre : pres) {
      for (auto it = made_.lower_bound({request, 0}); it != made_.end() && it->first.request == request; ++it)
        if (it->second.module == pre) return &*it;
    }
    return nullptr;
  }

  /// Releases the tensors that visits of the request have left behind, except those for which needed(entry)
  /// is true.
  template <class Needed>
  void sweep(RequestId request, const Needed& needed) {
    for (auto it = made_.lower_bound({request, 0}); it != made_.end() && it->first.request == request;) {
      if (needed(*it)) {
        ++it;
      } else {
        let_go(it->second.rank, it->first);
        it = made_.erase(it);
      }
    }
  }
  /// Releases a tensor: the rank need not keep it. `is_lost`: the batch of its visit was lost, and may not
  /// have ended yet.
  void let_go(int rank, const TensorKey& key, bool is_lost = false) {
    released_[static_cast<std::size_t>(rank)].push_back(
        {key.request, key.index, static_cast<std::uint16_t>(is_lost), 0});
  }
  /// Releases all tensors.
  void clear() {
    for (const auto& [key, made] : made_) let_go(made.rank, key);
    made_.clear();
  }

  /// Tells the ranks which tensors they need not keep, with at most one message each.
  void send(MessageWriter& out) {
    for (std::size_t rank = 0; rank < released_.size(); ++rank) {
      if (released_[rank].empty()) continue;
      out.send(static_cast<int>(rank), MessageKind::kRelease, NoContents{},
               std::span<const ReleaseEntry>(released_[rank]));
      released_[rank].clear();
    }
  }

 private:
  std::map<TensorKey, Made> made_;
  std::vector<std::vector<ReleaseEntry>> released_;  ///< released tensors that each rank has not been told of
                                                     ///< yet
};

/// Returns the number of bytes that a visit of the module leaves behind: as many as the largest input of the
/// modules that follow. Each of these takes as many of the bytes, from the front, as it declares. 0: they
/// take no tensor.
std::size_t output_bytes(const Pipeline& pipeline, ModuleId module);

/// A few tensors of random bytes for each module, which the requests take in turn: the clients' inputs, and
/// substitutes for outputs if nothing is computed (timers, services, null devices). They are made when first
/// asked for, and are the same on all ranks. Used by one thread.
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

  /// The number of tensors of each module; requests whose numbers differ by a multiple of it have the same
  /// tensor.
  static constexpr std::size_t kEach = 8;

 private:
  struct Tensor {
    std::size_t bytes = 0;
    std::shared_ptr<std::byte[]> block;  ///< kEach tensors, each of whole words
  };
  StoredTensor of(Tensor& tensor, const char* name, ModuleId module, RequestId request) const;

  std::uint64_t seed_;
  std::vector<Tensor> inputs_;   ///< inputs of each module; only the entry modules' are used
  std::vector<Tensor> outputs_;  ///< outputs of each module
};

}  // namespace harness
