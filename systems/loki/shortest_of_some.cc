#include "systems/loki/shortest_of_some.h"

#include <algorithm>

namespace harness {

void ShortestOfSome::clear() {
  index_.clear();
  queues_.clear();
}

void ShortestOfSome::add(std::uint32_t index, const QueueView& queue) {
  index_.push_back(index);
  queues_.push_back(queue);
}

void ShortestOfSome::choose(TimeNs now, std::span<const Visit> visits, std::span<std::uint32_t> out) {
  if (queues_.empty()) {
    std::fill(out.begin(), out.end(), kNone);
    return;
  }
  least_outstanding_->route(now, visits, queues_, out);
  for (std::uint32_t& chosen : out) chosen = index_[chosen];
}

}  // namespace harness
