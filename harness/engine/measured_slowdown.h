// The speed of a live run's devices relative to their profile, for a simulation on devices as fast.
#pragma once

#include <span>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/record/run/visit_row.h"

namespace harness {

struct MeasuredBatch;

/// Each worker's slowdown over time. While a batch ran it is the batch's; between two batches it is the
/// nearer one's; before the first and after the last batch it is theirs. A worker without batches has the
/// slowdown of all batches together; if there are no batches at all, the profile holds.
class MeasuredSlowdown {
 public:
  /// `batches` are by worker and time, as measured_batches() returns them; batches of one worker do not
  /// overlap.
  explicit MeasuredSlowdown(const std::vector<MeasuredBatch>& batches);

  /// Returns the time that a batch of `profile_ns` by the profile takes on `worker` from `now` on if it
  /// proceeds at every moment by the slowdown of that moment; at least 1.
  TimeNs duration_ns(WorkerId worker, TimeNs now, TimeNs profile_ns) const;

 private:
  /// A time with one slowdown. The worker has it until `until_ns` (kNever: for ever).
  struct Piece {
    TimeNs until_ns = kNever;
    double slowdown = 1;
  };

  std::span<const Piece> pieces_of(WorkerId worker) const;

  std::vector<Piece> pieces_;       ///< pieces of all workers, by worker, then by time
  std::vector<std::size_t> first_;  ///< index of each worker's first piece; and the end
  Piece usual_;                     ///< slowdown of workers without batches
};

/// A batch that a device ran, and its time by the profile.
struct MeasuredBatch {
  WorkerId worker = 0;
  TimeNs started_ns = 0;  ///< time at which the device turned to it
  TimeNs ended_ns = 0;    ///< end of the batch, after started_ns
  TimeNs profile_ns = 1;  ///< time by the profile, at least 1
  ModuleId module = 0;
  int size = 1;

  /// Returns the time that it took, divided by its time by the profile.
  double slowdown() const {
    return static_cast<double>(ended_ns - started_ns) / static_cast<double>(profile_ns);
  }
};

/// Returns the batches of a run that took any time and ended with a visit done, by worker and time. A batch
/// begins no earlier than the end of the one before it, because the clocks of two hosts are not known
/// exactly. `profiles`, one per module, must have each visit's module and batch size.
std::vector<MeasuredBatch> measured_batches(std::span<const VisitRow> visits,
                                            const std::vector<Profile>& profiles);

}  // namespace harness
