// Rank 0's list of the tensors that the ranks keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/live/protocol/message.h"
#include "harness/live/protocol/message_writer.h"
#include "harness/live/tensors/tensor_key.h"

namespace harness {

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

}  // namespace harness
