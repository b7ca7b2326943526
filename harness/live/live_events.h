// What is due on a rank of a live run: the kinds of events in its queue.
#pragma once

#include <cstdint>

namespace harness {

enum LiveEvent : std::uint32_t {
  // Of the queue domains and workers; the index is a worker, a server or a domain.
  kLiveBatchDone,
  kLiveServer,
  kLiveBatchPreempted,
  kLiveTimer,
  kLiveColdStart,
  kLiveTensors,      ///< a batch of the worker may still wait for tensors
  kLiveDomainFault,  ///< the index is a change of ActiveFaults
  kLiveNotice,       ///< of HeldMessages
  // Of the dispatcher.
  kLiveStatePeriod,
  kLivePlanPeriod,
  kLivePlanReady,
  kLiveFault,
  kLiveOrder,
  kLiveAcknowledgement,
};

}  // namespace harness
