// The traffic envelope by which InferLine's Tuner compares loads (section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// A traffic envelope: for windows of T_s, 2 T_s, 4 T_s, ... the largest number of queries seen in any window
/// of that length. A window is half open: queries exactly its length apart are not in the same window. Adding
/// a query takes less than 100 ns.
class TrafficEnvelope {
 public:
  /// The windows double in length from `shortest_ns` > 0 up to `longest_ns`; there is at least one.
  TrafficEnvelope(TimeNs shortest_ns, TimeNs longest_ns);

  /// Adds a query, which was not sent before the one added last.
  void add(TimeNs sent_ns);
  std::span<const TimeNs> windows() const { return windows_; }
  /// Returns, by window length, the most queries in a window that ends with a query added since the last
  /// reset().
  std::span<const std::uint32_t> most() const { return most_; }
  void reset() { most_.assign(most_.size(), 0); }

 private:
  void forget();

  std::vector<TimeNs> windows_;
  std::vector<std::uint32_t> most_;
  std::vector<TimeNs> sent_;        ///< queries that a window may still hold, and some before them
  std::vector<std::size_t> first_;  ///< index in `sent_` of the first query of the window, by window length
};

}  // namespace harness
