#include "harness/core/drop_reason.h"

#include <gtest/gtest.h>

#include <utility>

namespace harness {
namespace {

TEST(DropReasons, HaveTheirNames) {
  using enum DropReason;
  const std::pair<DropReason, const char*> names[kDropReasons] = {
      {kExpired, "expired"},
      {kOverBudget, "over_budget"},
      {kEstimatedLate, "estimated_late"},
      {kEarlyDrop, "early_drop"},
      {kNoWorker, "no_worker"},
      {kOverload, "overload"},
      {kWorkerLost, "worker_lost"},
      {kSchedulerQueueFull, "scheduler_queue_full"},
      {kMessageLost, "message_lost"},
      {kServerTimeout, "server_timeout"},
      {kServerGone, "server_gone"},
      {kServerRefused, "server_refused"},
      {kServerError, "server_error"},
      {kBadAnswer, "bad_answer"}};
  for (const auto& [reason, name] : names) EXPECT_STREQ(name_of(reason), name);
}

}  // namespace
}  // namespace harness
