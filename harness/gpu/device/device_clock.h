// Converts times of a device's own clock to the host's clock.
#pragma once

#include <array>
#include <limits>
#include <optional>

#include "harness/core/types.h"

namespace harness {

/// Converts moments of a device to the host's time. A device tells only the time between two of its moments,
/// not when either was. So a moment, called a reference, is made between two readings of the host's clock,
/// which bound its time; other moments are measured from it. References are renewed, because the two clocks
/// drift apart and a device's count of milliseconds loses digits as it grows; a batch keeps the reference
/// that it began with.
class DeviceClock {
 public:
  /// The number of references: the current one, one for each of kMaxOutstanding batches, and one to be made.
  static constexpr int kReferences = 4;
  /// The age beyond which a reference is renewed.
  static constexpr TimeNs kRenewNs = 200 * kNsPerMs;
  /// The age from which a reference's deviation at its renewal is not counted as an error: such an old
  /// reference has told no times, unless for a batch that takes as long.
  static constexpr double kIdleMs = 1000;

  /// The host's times between which a reference was made.
  struct Bracket {
    TimeNs before_ns = 0;
    TimeNs after_ns = 0;
    TimeNs middle_ns() const { return before_ns + (after_ns - before_ns) / 2; }
    TimeNs error_ns() const { return (after_ns - before_ns + 1) / 2; }
  };

  bool is_due(TimeNs now_ns) const { return now_ns >= due_ns_; }
  /// Called if a reference could not be made: puts the next try off.
  void postpone(TimeNs now_ns) { due_ns_ = now_ns + kRenewNs; }
  /// Returns the number of a reference that nobody uses, under which the next one is to be made.
  int spare() const;
  /// Makes the reference spare() the current one. It was made within `bracket`, `since_ms` after the current
  /// one by the device's clock (nullopt: there is no current one).
  void renew(const Bracket& bracket, std::optional<double> since_ms);

  /// Returns the number of the current reference; -1 if there is no reference yet.
  int current() const { return current_; }
  /// Returns the current reference, which is kept until it has been released as often as acquired.
  int acquire();
  void release(int reference);

  /// Returns the host's time `since_ms` after a reference that was acquired.
  TimeNs host_ns(int reference, double since_ms) const;

  /// Returns the largest error of a time told so far. Each renewal compares what the previous reference says
  /// about the new one with the new one's bracket. Before the second reference the error is half the first
  /// bracket.
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

/// The start and the end of a batch's run.
struct DeviceSpan {
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
};

/// Returns `told`, a span by a device's clock, moved to where a batch can have run: not before `earliest_ns`
/// (its submission, the end of the previous batch), not after `latest_ns` (it is known to have ended), and
/// not backwards. The times move by no more than that clock's error.
DeviceSpan possible_span(const DeviceSpan& told, TimeNs earliest_ns, TimeNs latest_ns);

}  // namespace harness
