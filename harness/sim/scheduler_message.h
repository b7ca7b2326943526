// A message for the scheduler of a queue, as schedulers that take time get it.
#pragma once

#include <cstdint>

namespace harness {

/// A message for the scheduler of a queue. The meaning of `index` depends on the kind.
struct SchedulerMessage {
  enum class Kind : std::uint32_t {
    kArrival,         ///< arrival of a visit; index: the visit
    kBatchDone,       ///< end of a batch; index: the worker
    kBatchPreempted,  ///< stop of a batch; index: the worker
    kCancellation,    ///< cancellation of a visit; index: the runtime's slot of the message
    kPublication,     ///< a module's state; index: the runtime's slot of the message
    kTimer,           ///< a timer that is due; index: the queue
  };
  Kind kind = Kind::kArrival;
  std::uint32_t index = 0;
};

}  // namespace harness
