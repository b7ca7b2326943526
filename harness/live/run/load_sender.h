// The load of a live run, open loop: requests leave at their scheduled times, whatever the system does.
#pragma once

#include <memory>

#include "harness/core/arrivals.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {

/// A request that is to be sent now.
struct DueRequest {
  RequestId request = 0;
  TimeNs scheduled_ns = 0;
  TimeNs lateness_ns = 0;  ///< from then until it was taken
  StreamId stream = 0;
};

/// Says which requests are due, and keeps how late each was taken. A request that is late makes no other one
/// wait, and none is left out (no coordinated omission). All times are of the run: 0 when the load starts.
/// Pure: fed with `now`; how to wait is the caller's. One thread.
class LoadSender {
 public:
  /// Reads `source` in small chunks, so that no request waits long for the times of others to be drawn.
  explicit LoadSender(std::unique_ptr<ArrivalSource> source);

  /// When the next request is due; kNever after the last.
  TimeNs next_due_ns() const { return arrivals_.next_ns(); }
  bool done() const { return arrivals_.next_ns() == kNever; }

  /// Takes the next request if it is due at `now`, else returns false. To be called until it does, with the
  /// clock read anew each time: sending a request takes time, by which those behind it are later.
  bool take(TimeNs now, DueRequest& due) {
    const TimeNs scheduled_ns = arrivals_.next_ns();
    if (scheduled_ns > now || scheduled_ns == kNever) return false;
    due = {sent_++, scheduled_ns, now - scheduled_ns, arrivals_.next_stream()};
    lateness_.add(due.lateness_ns);
    if (due.lateness_ns > most_late_ns_) most_late_ns_ = due.lateness_ns;
    arrivals_.advance();
    return true;
  }

  std::uint64_t sent() const { return sent_; }
  /// Lateness of all requests taken.
  const LatencyHistogram& lateness() const { return lateness_; }
  /// The largest of them, exact; 0 when none was taken.
  TimeNs most_late_ns() const { return most_late_ns_; }

 private:
  ArrivalCursor arrivals_;
  LatencyHistogram lateness_;
  TimeNs most_late_ns_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace harness
