// The row that a run leaves for each visit of a request to a module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"

namespace harness {

/// The way in which a visit ended. A visit is cancelled if its request is dropped at another module while it
/// is queued.
enum class VisitOutcome : std::uint8_t { kDone, kDropped, kCancelled, kUnfinished };
inline constexpr std::array<const char*, 4> kVisitOutcomeNames = {"done", "dropped", "cancelled",
                                                                  "unfinished"};
inline const char* name_of(VisitOutcome outcome) {
  return kVisitOutcomeNames[static_cast<std::size_t>(outcome)];
}

/// One finished visit; written in order of ending.
struct VisitRow {
  std::uint64_t request = 0;
  TimeNs arrived_ns = 0;
  TimeNs joined_ns = 0;   ///< time at which it joined its batch; 0 if it never ran
  TimeNs started_ns = 0;  ///< time at which its batch started; 0 if it never ran
  TimeNs ended_ns = 0;    ///< end of the batch, or time of the drop or cancellation
  std::uint32_t worker = kNone;
  std::uint16_t visit = 0;   ///< index of the visit in its request
  std::uint16_t parent = 0;  ///< visit that caused it (at a merge the last to come); itself for the first
  std::uint16_t module = 0;
  std::uint16_t batch = 0;  ///< size of the batch it ran in; 0 if it never ran
  VisitOutcome outcome = VisitOutcome::kUnfinished;
  DropReason reason = DropReason::kExpired;

  /// True if its batch started; only then do joined_ns, started_ns and worker have values.
  bool ran() const { return batch > 0; }
  /// Returns the time at which it stopped waiting at its module: the start of its batch, or its own end if it
  /// never ran.
  TimeNs left_queue_ns() const { return ran() ? started_ns : ended_ns; }

  bool operator==(const VisitRow&) const = default;
};

}  // namespace harness
