// FLEX's decisions, as values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// One decision. `kind` says which fields count.
struct FlexDecision {
  enum class Kind : std::uint8_t {
    kStart,    ///< free `worker` runs a batch of `module`, with the visits that `first` and `count` name
    kPreempt,  ///< running batch of `worker` is to stop as soon as it can
    kDrop      ///< queued `visit` can no longer make its deadline
  };
  Kind kind = Kind::kStart;
  ModuleId module = 0;
  WorkerId worker = 0;
  VisitId visit = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The decisions of one or several events, to be carried out in order. Allocates nothing when reused.
class FlexDecisions {
 public:
  std::span<const FlexDecision> list() const { return list_; }
  /// Returns the visits of a batch that starts, in order of deadline.
  std::span<const VisitId> visits(const FlexDecision& start) const {
    return std::span(visits_).subspan(start.first, start.count);
  }
  void clear() {
    list_.clear();
    visits_.clear();
  }

  /// Adds a start. `visits` is any range of values with an `id`.
  template <class Visits>
  void start(WorkerId worker, ModuleId module, const Visits& visits) {
    const auto first = static_cast<std::uint32_t>(visits_.size());
    for (const auto& visit : visits) visits_.push_back(visit.id);
    list_.push_back({FlexDecision::Kind::kStart, module, worker, 0, first,
                     static_cast<std::uint32_t>(visits_.size()) - first});
  }
  void preempt(WorkerId worker) { list_.push_back({FlexDecision::Kind::kPreempt, 0, worker, 0, 0, 0}); }
  void drop(VisitId visit) { list_.push_back({FlexDecision::Kind::kDrop, 0, 0, visit, 0, 0}); }

 private:
  std::vector<FlexDecision> list_;
  std::vector<VisitId> visits_;
};

}  // namespace harness
