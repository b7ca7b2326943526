// A rank's clock compared with rank 0's, by round trips: offset, drift, and how wrong they can be.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Estimates rank 0's clock minus this rank's. A round trip is sent at t0, stamped t1 by rank 0, and back at
/// t2. t1 was some time between t0 and t2, so the offset is t1 - (t0+t2)/2 within half the round trip,
/// however long each of the two ways took. Round trips come in bursts; the shortest of each burst counts
/// (Cristian, 1989). Over the last bursts the offset follows a line: its drift is the middle of the slopes
/// that all of them allow. Under Limits no error exceeds bound_ns(); bursts that contradict the limits
/// (a clock was stepped) are forgotten, oldest first. It reads no clock: callers pass the times. Any thread
/// may use it, one at a time.
class ClockOffset {
 public:
  /// Assumptions about the monotonic clocks of two machines, and the rate at which a conversion is put right.
  struct Limits {
    double drift_ppm = 200;  ///< largest difference of their rates: two oscillators within 100 ppm
    double wander_ppm = 1;   ///< largest deviation of that difference from a constant over kBursts bursts and
                             ///< until the next
    double slew_ppm = 1'000;  ///< rate at which a new estimate takes effect; duration errors are within this
  };

  static constexpr std::size_t kBursts = 8;  ///< number of bursts kept

  /// Returns rank 0's own offset, which has nothing to convert and no error.
  static ClockOffset of_rank0();

  /// Adds a round trip to the burst under way. t0 <= t2 are on this rank's clock, t1 is on rank 0's.
  void add(TimeNs t0, TimeNs t1, TimeNs t2);
  /// Ends the burst at `now` (not before any time asked for so far, nor before a t2) and renews the estimate.
  /// Returns false if the burst had no round trip; then nothing changes.
  bool end_burst(TimeNs now);

  /// True once a burst has ended. Everything below needs that.
  bool known() const { return known_; }
  /// Converts this rank's time to rank 0's. The result never falls while `local_ns` does not, even across new
  /// estimates: they take effect from the end of their burst on, by slewing. Takes about 5 ns.
  TimeNs to_rank0(TimeNs local_ns) const;
  /// Returns the first local time whose to_rank0() is at least `rank0_ns`.
  TimeNs to_local(TimeNs rank0_ns) const;
  /// Returns the largest possible error of to_rank0(local_ns). It grows between bursts, so it is largest just
  /// before one ends.
  TimeNs bound_ns(TimeNs local_ns) const;
  /// Returns to_rank0(local_ns) - local_ns.
  TimeNs offset_ns(TimeNs local_ns) const { return to_rank0(local_ns) - local_ns; }
  /// Returns by how much faster rank 0's clock is estimated to run.
  double drift_ppm() const { return line_.drift * 1e6; }
  /// Returns the number of bursts that were forgotten because others contradicted them.
  int contradictions() const { return contradictions_; }

 private:
  /// The best round trip of a burst.
  struct Burst {
    TimeNs at_ns = 0;      ///< local time of the middle of the round trip
    TimeNs offset_ns = 0;  ///< offset at that time
    double error_ns = 0;
  };
  /// An estimate, in effect from a local time on.
  struct Line {
    TimeNs from_ns = std::numeric_limits<TimeNs>::min();
    TimeNs least_ns = std::numeric_limits<TimeNs>::min();  ///< result of the line before it at from_ns
    TimeNs at_ns = 0;                                      ///< local time at which `offset_ns` holds, within
                                                           ///< error_ns
    TimeNs offset_ns = 0;
    double drift = 0;
    double error_ns = 0;
    double error_growth = 0;  ///< error in ns per ns away from at_ns
    double behind_ns = 0;     ///< least_ns minus the result of this line at from_ns; put right by slewing
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

  Limits limits_;
  std::vector<Burst> bursts_;  ///< oldest first
  Burst best_;                 ///< best round trip of the burst under way
  bool any_ = false;           ///< true if the burst under way has a round trip
  bool known_ = false;
  Line line_;
  Line before_;
  int contradictions_ = 0;
};

/// Returns the time from burst `index` (from 0) to the next: 0.1 s, then doubling up to `period_ns`. One
/// burst says nothing about drift, and two bursts close together say little.
TimeNs burst_gap_ns(int index, TimeNs period_ns);

}  // namespace harness
