// What links cost, as measured: the simulator's link model for the same machines.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/types.h"
#include "harness/record/latency_histogram.h"

namespace harness {

/// One way of a message, over the messages measured. The median is the simulator's serving.state_delay_ms,
/// and through hop_delay_ms() its world.network_delay_ms. What a simulation with them leaves out is the
/// spread.
struct LinkDelay {
  std::uint64_t messages = 0;
  TimeNs low_ns = 0;     ///< 5 % need at most this
  TimeNs median_ns = 0;  ///< 0 when nothing was measured
  TimeNs high_ns = 0;    ///< 95 %
  TimeNs most_ns = 0;
  TimeNs bound_ns = 0;  ///< how far each can be from the truth because two clocks took part
};

/// world.network_delay_ms that costs a request of a chain of `modules` (>= 1) as much as the live cluster's
/// links do: the first module is one message from the dispatcher, each later one two, through it; the
/// simulator charges every module the same.
double hop_delay_ms(const LinkDelay& delay, int modules);

/// "0.042 ms (5 % to 95 %: 0.031 to 0.12 ms; 1024 messages; clocks within 0.012 ms)".
std::string text_of(const LinkDelay& delay);

/// Collects what messages needed. Quantiles are within 0.8 % or 32 ns, whichever is more (LatencyHistogram).
/// One thread.
class LinkModel {
 public:
  /// A message and its answer, by one clock. Counts as two messages of half of it: exact in sum, but says
  /// nothing about which way was slow.
  void add_round_trip(TimeNs round_trip_ns);
  /// A message sent and received at these times, both of rank 0's clock, each within its bound. One that
  /// seems to come before it was sent counts as 0.
  void add_one_way(TimeNs sent_ns, TimeNs received_ns, TimeNs sent_bound_ns, TimeNs received_bound_ns);

  LinkDelay delay() const;

 private:
  void add(TimeNs way_ns, std::uint64_t messages);

  LatencyHistogram ways_;
  TimeNs most_ns_ = 0;
  TimeNs bound_ns_ = 0;
};

}  // namespace harness
