// The times of a device's own clock on the host's.
#pragma once

#include <array>
#include <limits>
#include <optional>

#include "harness/core/types.h"

namespace harness {

/// A device tells how long after one of its moments another one was, never when either was. So a moment, a
/// reference, is made between two readings of the host's clock, which bound when it was; other moments are
/// told from it. References are renewed, because the two clocks drift apart and a device's count of
/// milliseconds loses digits as it grows; a batch keeps the one that it began with.
class DeviceClock {
 public:
  /// The current one, those of kMaxOutstanding batches, and one to be made.
  static constexpr int kReferences = 4;
  /// A reference is renewed when it is older.
  static constexpr TimeNs kRenewNs = 200 * kNsPerMs;
  /// An older one tells no times, unless of a batch that takes as long: what it says of the next is no error.
  static constexpr double kIdleMs = 1000;

  /// When a reference was made: not before and not after.
  struct Bracket {
    TimeNs before_ns = 0;
    TimeNs after_ns = 0;
    TimeNs middle_ns() const { return before_ns + (after_ns - before_ns) / 2; }
    TimeNs error_ns() const { return (after_ns - before_ns + 1) / 2; }
  };

  bool is_due(TimeNs now_ns) const { return now_ns >= due_ns_; }
  /// A reference could not be made: tries again later.
  void postpone(TimeNs now_ns) { due_ns_ = now_ns + kRenewNs; }
  /// The number of a reference that nobody uses; one is to be made under it.
  int spare() const;
  /// It was made, `since_ms` after the current one by the device's clock (nothing: there is no current one),
  /// and is the current one from now on.
  void renew(const Bracket& bracket, std::optional<double> since_ms);

  /// The number of the current reference; -1: there is none.
  int current() const { return current_; }
  /// The current reference, kept until it is released as often.
  int acquire();
  void release(int reference);

  /// The host's time `since_ms` after a reference that was acquired.
  TimeNs host_ns(int reference, double since_ms) const;

  /// The largest error of a time told so far: at each renewal what the reference before it said of the new
  /// one, against its bracket. Before the second reference: half the first bracket.
  TimeNs error_ns() const { return error_ns_; }

 private:
  struct Reference {
    Bracket bracket;
    int users = 0;
  };
  std::array<Reference, kReferences> references_;
  int current_ = -1;
  TimeNs due_ns_ = std::numeric_limits<TimeNs>::min();
  TimeNs error_ns_ = 0;
};

/// When a batch ran.
struct DeviceSpan {
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
};

/// `told` by a device's clock, moved by no more than that clock's error to where a batch can have run: not
/// before `earliest_ns` (its submission, the end of the batch before), not after `latest_ns` (it is known to
/// have ended), and not backwards.
DeviceSpan possible_span(const DeviceSpan& told, TimeNs earliest_ns, TimeNs latest_ns);

}  // namespace harness
