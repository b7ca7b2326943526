// A request that is under way, as the engine keeps it.
#pragma once

#include <cstdint>

#include "harness/core/drop_reason.h"
#include "harness/core/stream.h"
#include "harness/core/types.h"

namespace harness {

/// A live request: it has visits left, though its outcome may be final already (a dropped request whose other
/// branch runs).
struct alignas(64) RequestRecord {
  RequestId id = 0;
  TimeNs sent_ns = 0;
  TimeNs deadline_ns = 0;
  TimeNs gpu_ns = 0;  ///< GPU time of its visits that have ended
  std::uint32_t live_visits = 0;
  std::uint16_t next_index = 0;
  /// True if it is dropped or given up; its row is written when the last visit is gone.
  bool ended = false;
  bool given_up = false;  ///< true if it is unfinished
  DropReason reason = DropReason::kExpired;
  ModuleId module = 0;
  StreamId stream = 0;
  TimeNs end_ns = 0;
  TimeNs schedule_lag_ns = 0;
};

}  // namespace harness
