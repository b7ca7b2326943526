#include "harness/ranks/watchdog.h"

#include <algorithm>

namespace harness {

Watchdog::Watchdog(int ranks, int self, TimeNs limit_ns, TimeNs now_ns)
    : self_(self),
      limit_ns_(limit_ns),
      looked_ns_(now_ns),
      heard_ns_(static_cast<std::size_t>(ranks), now_ns) {}

void Watchdog::heard(int rank, TimeNs now_ns) {
  TimeNs& heard_ns = heard_ns_[static_cast<std::size_t>(rank)];
  heard_ns = std::max(heard_ns, now_ns);
}

std::vector<int> Watchdog::overdue(TimeNs now_ns) {
  const TimeNs pause_ns = now_ns - looked_ns_;
  looked_ns_ = now_ns;
  if (pause_ns > kLookNs) {
    for (TimeNs& heard_ns : heard_ns_) heard_ns = std::min(now_ns, heard_ns + pause_ns);
  }
  std::vector<int> ranks;
  if (next_ns() > now_ns) return ranks;
  for (int rank = 0; rank < static_cast<int>(heard_ns_.size()); ++rank) {
    if (rank != self_ && silent_ns(rank, now_ns) >= limit_ns_) ranks.push_back(rank);
  }
  return ranks;
}

TimeNs Watchdog::next_ns() const {
  TimeNs first_ns = kNever;
  for (int rank = 0; rank < static_cast<int>(heard_ns_.size()) && limit_ns_ > 0; ++rank) {
    if (rank != self_) first_ns = std::min(first_ns, heard_ns_[static_cast<std::size_t>(rank)] + limit_ns_);
  }
  return first_ns;
}

TimeNs Watchdog::silent_ns(int rank, TimeNs now_ns) const {
  return now_ns - heard_ns_[static_cast<std::size_t>(rank)];
}

std::string silence_text(int rank, std::string_view host, TimeNs silent_ns) {
  const std::string where = host.empty() ? "" : " on " + std::string(host);
  return "rank " + std::to_string(rank) + where + " has not answered for " +
         std::to_string(silent_ns / kNsPerS) + " s";
}

}  // namespace harness
