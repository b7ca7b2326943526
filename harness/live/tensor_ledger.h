// Rank 0's list of the tensors that the ranks keep, and for whom.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/live/messages.h"

namespace harness {

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

}  // namespace harness
