// How fast the devices of a live run were, relative to their profile, for a simulation on devices as fast.
#pragma once

#include <span>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// A batch that a device ran, and what its profile says of it.
struct MeasuredBatch {
  WorkerId worker = 0;
  TimeNs started_ns = 0;  ///< when the device turned to it
  TimeNs ended_ns = 0;    ///< after that
  TimeNs profile_ns = 1;  ///< at least 1
  ModuleId module = 0;
  int size = 1;

  /// The time that it took over the profile's.
  double slowdown() const {
    return static_cast<double>(ended_ns - started_ns) / static_cast<double>(profile_ns);
  }
};

/// The batches of a run that took any time and ended with a visit done, by worker and time. A batch begins no
/// earlier than the one before it ended: the clocks of two hosts are not known exactly. `profiles`, by
/// module, have each visit's module and batch size.
std::vector<MeasuredBatch> measured_batches(std::span<const VisitRow> visits,
                                            const std::vector<Profile>& profiles);

/// Each worker's slowdown over time: that of the batch that ran then; between two batches that of the nearer
/// one, before the first and after the last theirs. A worker without batches has that of all together, and
/// where there are none at all the profile holds.
class MeasuredSlowdown {
 public:
  /// Batches by worker and time, as of measured_batches(); those of one worker do not overlap.
  explicit MeasuredSlowdown(const std::vector<MeasuredBatch>& batches);

  /// How long a batch that takes `profile_ns` by the profile takes on `worker` from `now` on, when it
  /// proceeds at every moment by the slowdown of that moment; at least 1.
  TimeNs duration_ns(WorkerId worker, TimeNs now, TimeNs profile_ns) const;

 private:
  /// Until then (kNever: for ever) the worker has this slowdown.
  struct Piece {
    TimeNs until_ns = kNever;
    double slowdown = 1;
  };

  std::span<const Piece> pieces_of(WorkerId worker) const;

  std::vector<Piece> pieces_;       ///< by worker, then by time
  std::vector<std::size_t> first_;  ///< by worker: its pieces; and the end
  Piece usual_;                     ///< of workers without batches
};

}  // namespace harness
