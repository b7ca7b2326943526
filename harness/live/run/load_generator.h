// The load generator of a live run. It is an open loop: requests are sent at their scheduled times, whatever
// the system does.
#pragma once

#include <memory>
#include <utility>

#include "harness/core/arrival_source.h"
#include "harness/core/stream.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {

/// Tells which requests are to be sent, and keeps the schedule lag of each. A late request makes no other one
/// wait, and no request is left out (no coordinated omission). All times are of the run: 0 when the load
/// starts. It reads no clock and does not wait: the caller does, and passes `now`. Used by one thread.
class LoadGenerator {
 public:
  /// A request that is to be sent now.
  struct DueRequest {
    RequestId request = 0;
    TimeNs scheduled_ns = 0;
    TimeNs schedule_lag_ns = 0;  ///< time from scheduled_ns until the request was taken
    StreamId stream = 0;
  };

  /// Reads `source` in small chunks, so that no request waits long while the times of others are drawn.
  explicit LoadGenerator(std::unique_ptr<ArrivalSource> source) : arrivals_(std::move(source), kChunk) {}

  /// Returns the time at which the next request is to be sent; kNever after the last.
  TimeNs next_send_ns() const { return arrivals_.next_ns(); }
  bool done() const { return arrivals_.next_ns() == kNever; }

  /// Takes the next request if it is to be sent at `now`, else returns false. Call it until it returns false,
  /// and read the clock again each time: sending a request takes time, by which the requests behind it are
  /// later.
  bool take(TimeNs now, DueRequest& request) {
    const TimeNs scheduled_ns = arrivals_.next_ns();
    if (scheduled_ns > now || scheduled_ns == kNever) return false;
    request = {sent_++, scheduled_ns, now - scheduled_ns, arrivals_.next_stream()};
    schedule_lag_.add(request.schedule_lag_ns);
    if (request.schedule_lag_ns > max_schedule_lag_ns_) max_schedule_lag_ns_ = request.schedule_lag_ns;
    arrivals_.advance();
    return true;
  }

  std::uint64_t sent() const { return sent_; }
  /// Returns the schedule lags of all requests taken.
  const LatencyHistogram& schedule_lag() const { return schedule_lag_; }
  /// Returns the largest schedule lag, exactly; 0 if no request was taken.
  TimeNs max_schedule_lag_ns() const { return max_schedule_lag_ns_; }

 private:
  static constexpr std::size_t kChunk = 64;  ///< number of requests drawn at once, in about a microsecond

  ArrivalCursor arrivals_;
  LatencyHistogram schedule_lag_;
  TimeNs max_schedule_lag_ns_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace harness
