// The kinds of events in the queue of a rank of a live run.
#pragma once

#include <cstdint>

namespace harness {

enum LiveEvent : std::uint32_t {
  // Events of the queues and workers; the index is a worker, a server or a queue.
  kLiveBatchDone,
  kLiveServer,
  kLiveBatchPreempted,
  kLiveTimer,
  kLiveColdStart,
  kLiveTensors,     ///< a batch of the worker may still wait for tensors: ask for them again
  kLiveQueueFault,  ///< the index is a change of ActiveFaults
  kLiveNotice,      ///< a message of HeldMessages is due; the index is its slot
  // Events of the dispatcher.
  kLiveStatePeriod,
  kLivePlanPeriod,
  kLivePlanReady,
  kLiveFault,
  kLiveOrder,
  kLiveAcknowledgement,
};

}  // namespace harness
