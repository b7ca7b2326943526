// Notices ranks that hang. A rank that dies is noticed by mpirun, which ends the job; one that hangs
// (stopped, swapping, in an endless loop) is noticed by its silence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Follows when each other rank was last heard of. The ranks send something at least once a second. Pure
/// logic: `now_ns` is the caller's clock and never steps back.
class Watchdog {
 public:
  /// Watches all of `ranks` but `self`, as if heard of at `now_ns`. `limit_ns` 0: nobody is ever overdue.
  Watchdog(int ranks, int self, TimeNs limit_ns, TimeNs now_ns);

  void heard(int rank, TimeNs now_ns);
  /// The ranks not heard of for limit_ns, in order. Call it at least every kLookNs, after the messages that
  /// have arrived: a longer pause means that this rank itself stood still, and counts for nobody.
  std::vector<int> overdue(TimeNs now_ns);
  /// When the first rank will be overdue if nothing is heard, or kNever.
  TimeNs next_ns() const;
  /// How long a rank has been silent while this one looked.
  TimeNs silent_ns(int rank, TimeNs now_ns) const;

  static constexpr TimeNs kLookNs = kNsPerS;

 private:
  int self_;
  TimeNs limit_ns_;
  TimeNs looked_ns_;
  std::vector<TimeNs> heard_ns_;  ///< by rank
};

/// "rank 3 on HOST has not answered for 10 s".
std::string silence_text(int rank, std::string_view host, TimeNs silent_ns);

}  // namespace harness
