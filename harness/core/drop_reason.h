// The reasons for which requests are dropped.
#pragma once

#include <cstdint>

namespace harness {

/// Reason for which a request was dropped. The names are what results show.
enum class DropReason : std::uint8_t {
  kExpired,        ///< its deadline had passed
  kOverBudget,     ///< it had used up the latency budget of this module
  kEstimatedLate,  ///< the system estimated that it would end late
  kEarlyDrop,      ///< Nexus: before the first window that can finish in time
  kNoWorker,       ///< the router found no queue to take it
  kOverload,       ///< refused on arrival: this module or a later one is overloaded
  kWorkerLost,     ///< its batch ran on a worker that stopped
  /// It was lost on its way to a queue, or the notice of its end was lost on the way back.
  kMessageLost,
  kSchedulerQueueFull,  ///< rejected on arrival: it would have waited too long in its scheduler's queue
  kServerTimeout,       ///< a running server gave no answer in time
  kServerGone,          ///< there was no connection to the server, or it ended before the answer
  kServerRefused,       ///< the server refused it: too many requests, or unavailable (429, 503)
  kServerError,         ///< the server answered with another status than 2xx
  kBadAnswer,           ///< the answer of the server is no answer of the model
  kCount
};
inline constexpr int kDropReasons = static_cast<int>(DropReason::kCount);
constexpr const char* name_of(DropReason reason) {
  constexpr const char* kNames[] = {"expired",        "over_budget",  "estimated_late",
                                    "early_drop",     "no_worker",    "overload",
                                    "worker_lost",    "message_lost", "scheduler_queue_full",
                                    "server_timeout", "server_gone",  "server_refused",
                                    "server_error",   "bad_answer"};
  return kNames[static_cast<int>(reason)];
}

}  // namespace harness
