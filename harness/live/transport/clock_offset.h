// A rank's clock against rank 0's, from round trips: offset, drift, and how wrong they can be.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// What is taken for granted about the monotonic clocks of two machines, and how fast a conversion is put
/// right.
struct ClockLimits {
  double drift_ppm = 200;   ///< most that their rates differ: two oscillators within 100 ppm
  double wander_ppm = 1;    ///< most that this strays from a constant over kBursts bursts and until the next
  double slew_ppm = 1'000;  ///< how fast a new estimate takes effect; duration errors are within this
};

/// Estimates rank 0's clock minus this rank's. A round trip is sent at t0, stamped t1 by rank 0, and back at
/// t2; t1 was some time between t0 and t2, so the offset is t1 - (t0+t2)/2 within half the round trip,
/// whatever the two ways took. Round trips come in bursts, of which the smallest counts (Cristian, 1989).
/// Over the last bursts the offset follows a line: its drift is the middle of the slopes that all of them
/// allow. Under ClockLimits no error passes bound_ns(); bursts that contradict them (a clock was stepped) are
/// forgotten, oldest first. Pure: fed with times, any thread, one at a time.
class ClockOffset {
 public:
  static constexpr std::size_t kBursts = 8;  ///< kept

  explicit ClockOffset(const ClockLimits& limits = {}) : limits_(limits) {}
  /// Rank 0's own: nothing to convert, nothing to be wrong about.
  static ClockOffset of_rank0();

  /// A round trip of the burst under way. t0 <= t2 on this rank's clock, t1 on rank 0's.
  void add(TimeNs t0, TimeNs t1, TimeNs t2);
  /// Ends the burst at `now` (not before any time asked for so far, nor before a t2): the estimate is
  /// renewed. False if the burst had no round trip; then nothing changes.
  bool end_burst(TimeNs now);

  /// Whether a burst has ended. Everything below needs that.
  bool known() const { return known_; }
  /// This rank's time in rank 0's. Never falls while `local_ns` does not, also across new estimates: they
  /// take effect from the end of their burst on, by slewing. About 5 ns.
  TimeNs to_rank0(TimeNs local_ns) const;
  /// The first local time whose to_rank0() is at least `rank0_ns`.
  TimeNs to_local(TimeNs rank0_ns) const;
  /// How far to_rank0(local_ns) can be from the truth. Between bursts it grows, so it is largest just before
  /// one ends.
  TimeNs bound_ns(TimeNs local_ns) const;
  /// to_rank0(local_ns) - local_ns.
  TimeNs offset_ns(TimeNs local_ns) const { return to_rank0(local_ns) - local_ns; }
  /// By how much rank 0's clock is estimated to run faster.
  double drift_ppm() const { return line_.drift * 1e6; }
  /// Bursts that were forgotten because others contradicted them.
  int contradictions() const { return contradictions_; }

 private:
  /// The best round trip of a burst.
  struct Burst {
    TimeNs at_ns = 0;      ///< its middle, local
    TimeNs offset_ns = 0;  ///< there
    double error_ns = 0;
  };
  /// Estimate in effect from a local time on.
  struct Line {
    TimeNs from_ns = std::numeric_limits<TimeNs>::min();
    TimeNs least_ns = std::numeric_limits<TimeNs>::min();  ///< what the line before it gave at from_ns
    TimeNs at_ns = 0;                                      ///< where `offset_ns` holds, within error_ns
    TimeNs offset_ns = 0;
    double drift = 0;
    double error_ns = 0;
    double error_growth = 0;  ///< per ns away from at_ns
    double behind_ns = 0;     ///< least_ns, minus what this line gives at from_ns: put right by slewing
  };
  struct Interval {
    double low = 0;
    double high = 0;
    bool empty() const { return low > high; }
    void intersect(const Interval& other);
  };

  TimeNs convert(const Line& line, TimeNs local_ns) const;
  double still_behind_ns(const Line& line, TimeNs local_ns) const;
  double wander() const;
  Interval slopes() const;
  Interval offsets(const Interval& slopes) const;
  void renew(TimeNs now);

  ClockLimits limits_;
  std::vector<Burst> bursts_;  ///< oldest first
  Burst best_;                 ///< of the burst under way
  bool any_ = false;           ///< the burst under way has a round trip
  bool known_ = false;
  Line line_;
  Line before_;
  int contradictions_ = 0;
};

/// How long after burst `index` (from 0) the next begins: 0.1 s, doubling, until every `period_ns`. One burst
/// says nothing about drift, and two that are near each other little.
TimeNs burst_gap_ns(int index, TimeNs period_ns);

}  // namespace harness
