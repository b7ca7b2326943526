// The watch over ranks that hang. A rank that dies is noticed by mpirun, which ends the job; a rank that
// hangs (stopped, swapping, in an endless loop) is noticed by its silence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Follows when each other rank was last heard of. The ranks send something at least once a second. It reads
/// no clock: `now_ns` is the caller's time, which never steps back.
class Watchdog {
 public:
  /// Watches all of `ranks` but `self`, as if all had been heard of at `now_ns`. `limit_ns` 0: nobody is ever
  /// overdue.
  Watchdog(int ranks, int self, TimeNs limit_ns, TimeNs now_ns);

  void heard(int rank, TimeNs now_ns);
  /// Returns the ranks that have not been heard of for limit_ns, in order. Call it at least every kLookNs,
  /// after handling the messages that have arrived: a longer pause means that this rank itself was stopped,
  /// and is not added to any rank's silence.
  std::vector<int> overdue(TimeNs now_ns);
  /// Returns the time at which the first rank will be overdue if nothing is heard, or kNever.
  TimeNs next_ns() const;
  /// Returns the time for which a rank has been silent, without this rank's own pauses.
  TimeNs silent_ns(int rank, TimeNs now_ns) const;

  static constexpr TimeNs kLookNs = kNsPerS;

 private:
  int self_;
  TimeNs limit_ns_;
  TimeNs looked_ns_;
  std::vector<TimeNs> heard_ns_;  ///< time at which each rank was last heard of
};

/// Returns "rank 3 on HOST has not answered for 10 s".
std::string silence_text(int rank, std::string_view host, TimeNs silent_ns);

}  // namespace harness
