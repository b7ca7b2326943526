#include "harness/engine/accounting/visit_tree.h"

namespace harness {

void VisitTree::add_first(std::uint32_t request_slot, VisitId visit, RequestId request) {
  if (roots_.size() <= request_slot) roots_.resize(request_slot + 1);
  roots_[request_slot] = {};
  link(request_slot, visit, fan_out_.first_key(request), 1);
}

void VisitTree::add_child(std::uint32_t request_slot, VisitId visit, VisitId parent, std::size_t sub,
                          std::uint32_t child, ModuleId served_by) {
  const std::uint64_t key = FanOut::child_key(nodes_[parent].key, sub, child);
  link(request_slot, visit, key, nodes_[parent].accuracy * pipeline_.modules[served_by].accuracy);
}

void VisitTree::link(std::uint32_t request_slot, VisitId visit, std::uint64_t key, double accuracy) {
  if (nodes_.size() <= visit) nodes_.resize(visit + 1);
  Root& root = roots_[request_slot];
  nodes_[visit] = {key, accuracy, kNone, root.newest};
  if (root.newest != kNone) nodes_[root.newest].before = visit;
  root.newest = visit;
}

void VisitTree::remove(std::uint32_t request_slot, VisitId visit) {
  const Node& node = nodes_[visit];
  if (node.before != kNone) {
    nodes_[node.before].after = node.after;
  } else {
    roots_[request_slot].newest = node.after;
  }
  if (node.after != kNone) nodes_[node.after].before = node.before;
}

const std::vector<VisitId>& VisitTree::live(std::uint32_t request_slot) {
  live_.clear();
  for (VisitId visit = roots_[request_slot].newest; visit != kNone; visit = nodes_[visit].after)
    live_.push_back(visit);
  return live_;
}

}  // namespace harness
