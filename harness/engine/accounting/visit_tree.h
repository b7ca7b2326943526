// Data of a request's visits that only task trees need, in which tasks have variants and visits cause several
// others (Loki): how many visits there are, which are under way, and the accuracy along their paths.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/core/fan_out.h"
#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// The visits of task trees. It is kept beside the tables of visits and requests, by their slots.
/// Single-threaded.
class VisitTree {
 public:
  VisitTree(const Pipeline& pipeline, std::uint64_t seed)
      : pipeline_(pipeline), fan_out_(pipeline, seed), caused_(pipeline.modules.size()) {
    for (std::size_t m = 0; m < caused_.size(); ++m) caused_[m].resize(pipeline.modules[m].subs.size(), 0);
  }

  /// Adds the first visit of a new request.
  void add_first(std::uint32_t request_slot, VisitId visit, RequestId request);
  /// Adds child number `child`, at the sub of index `sub`, of a visit that `served_by` has served.
  void add_child(std::uint32_t request_slot, VisitId visit, VisitId parent, std::size_t sub,
                 std::uint32_t child, ModuleId served_by);
  /// Removes a visit that has left its request.
  void remove(std::uint32_t request_slot, VisitId visit);

  /// Returns the number of visits that the sub of index `sub` is sent by a visit that `served_by` has served,
  /// and counts them.
  std::uint32_t children(VisitId visit, std::size_t sub, ModuleId served_by) {
    const std::uint32_t count = fan_out_.children(served_by, sub, nodes_[visit].key);
    caused_[served_by][sub] += count;
    return count;
  }

  /// Ends a path with the visit, which `served_by` has served; returns the path's accuracy.
  double on_leaf(std::uint32_t request_slot, VisitId visit, ModuleId served_by) {
    Root& root = roots_[request_slot];
    const double accuracy = nodes_[visit].accuracy * pipeline_.modules[served_by].accuracy;
    root.accuracy += accuracy;
    ++root.leaves;
    return accuracy;
  }
  /// True if a path of the request has been served.
  bool has_served(std::uint32_t request_slot) const { return roots_[request_slot].leaves > 0; }
  /// Returns the mean end-to-end accuracy of the request's paths that have ended (Loki, section 2.1); NaN if
  /// no path has.
  double accuracy(std::uint32_t request_slot) const {
    const Root& root = roots_[request_slot];
    return root.leaves == 0 ? NAN : root.accuracy / root.leaves;
  }

  /// Returns the request's visits under way, in no particular order; valid until a visit is added or removed,
  /// or the next call.
  const std::vector<VisitId>& live(std::uint32_t request_slot);

  /// Returns by module and entry of its subs the number of visits caused so far. It includes visits that were
  /// not made because their request had ended.
  const std::vector<std::vector<std::uint64_t>>& caused() const { return caused_; }

 private:
  struct Node {
    std::uint64_t key = 0;   ///< key of the visit, for FanOut
    double accuracy = 1;     ///< accuracy of the path before it
    VisitId before = kNone;  ///< neighbour in the list of the request's visits; so is `after`
    VisitId after = kNone;
  };
  struct Root {
    VisitId newest = kNone;
    std::uint32_t leaves = 0;
    double accuracy = 0;  ///< sum of the accuracies of the paths that have ended
  };

  void link(std::uint32_t request_slot, VisitId visit, std::uint64_t key, double accuracy);

  const Pipeline& pipeline_;
  FanOut fan_out_;
  std::vector<std::vector<std::uint64_t>> caused_;
  std::vector<Node> nodes_;  ///< node of each visit
  std::vector<Root> roots_;  ///< root of each request slot
  std::vector<VisitId> live_;
};

}  // namespace harness
