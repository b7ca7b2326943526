// What visits bring to their modules: tensors of the declared size, and rank 0's list of where they are kept.
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

// Rank 0's list of the tensors that the ranks keep, and for whom.

/// What a visit has left behind, until no visit of the modules that follow lives any more. Used by the loop's
/// thread.
class TensorLedger {
 public:
  struct Made {
    int rank = 0;  ///< that keeps it
    ModuleId module = 0;
    VisitId visit = 0;  ///< that made it; in a chain the slot of the one that needs it, too
    std::uint32_t request_slot = 0;
  };
  using Entry = std::pair<const TensorKey, Made>;

  explicit TensorLedger(int ranks) : released_(static_cast<std::size_t>(ranks)) {}

  void add(const TensorKey& key, const Made& made) { made_.emplace(key, made); }
  bool has(const TensorKey& key) const { return made_.contains(key); }

  /// The tensor for the request's visit at a module with these `pres`, the first of them that has made one: a
  /// merge takes the tensor of that branch. Null: there is none.
  const Entry* source(RequestId request, const std::vector<ModuleId>& pres) const {
    for (const ModuleId pre : pres) {
      for (auto it = made_.lower_bound({request, 0}); it != made_.end() && it->first.request == request; ++it)
        if (it->second.module == pre) return &*it;
    }
    return nullptr;
  }

  /// Lets go of what visits of the request have left behind, unless needed(entry).
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
  /// The rank need not keep it. `is_lost`: its batch was lost, and may not have ended yet.
  void let_go(int rank, const TensorKey& key, bool is_lost = false) {
    released_[static_cast<std::size_t>(rank)].push_back(
        {key.request, key.index, static_cast<std::uint16_t>(is_lost), 0});
  }
  /// Lets go of everything.
  void clear() {
    for (const auto& [key, made] : made_) let_go(made.rank, key);
    made_.clear();
  }

  /// Tells the ranks what they need not keep, a message each at most.
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
  std::vector<std::vector<ReleaseEntry>> released_;  ///< by rank: not told yet
};

/// Bytes that a visit of the module leaves behind: as many as the largest input of the modules that follow,
/// each of which takes as many of them, from the front, as it declares. 0: they take no tensor.
std::size_t output_bytes(const Pipeline& pipeline, ModuleId module);

/// A few tensors of random bytes for each module, which the requests take in turn: what clients send, and
/// what stands for the outputs where nothing is computed (timers, services, null devices). Made when first
/// asked for, and the same on all ranks. One thread.
class Tensors {
 public:
  Tensors(const Pipeline& pipeline, std::uint64_t seed);

  /// What the client sends with a request: Module::input_bytes bytes of the module that it enters by.
  /// Shared, not copied.
  StoredTensor input(ModuleId entry, RequestId request);
  /// What stands for what a visit of the module leaves behind, of output_bytes(). Shared, not copied.
  StoredTensor output(ModuleId module, RequestId request);
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
