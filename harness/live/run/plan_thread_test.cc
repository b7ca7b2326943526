#include "harness/live/run/plan_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace harness {
namespace {

Plan numbered(int number) {
  Plan plan;
  plan.modules.resize(1);
  plan.modules[0].workers = number;
  return plan;
}

/// Waits for the next plan; returns its number.
int next_number(PlanThread& thread) {
  while (true) {
    if (const auto plan = thread.take()) return plan->modules[0].workers;
    std::this_thread::yield();
  }
}

TEST(PlanThread, ComputesOneAfterAnother) {
  PlanThread thread([] {});
  std::vector<int> done;  // without a lock: only the thread uses it until the last plan is there
  for (int i = 0; i < 1000; ++i) {
    thread.post([&done, i] {
      done.push_back(i);
      return numbered(i);
    });
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(next_number(thread), i);
  ASSERT_EQ(done.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
  EXPECT_FALSE(thread.take().has_value());
}

TEST(PlanThread, WakesWhenAPlanIsThere) {
  std::promise<void> woken;
  PlanThread thread([&woken] { woken.set_value(); });
  thread.post([] { return numbered(1); });
  woken.get_future().wait();
  EXPECT_TRUE(thread.take().has_value());
}

TEST(PlanThread, ThrowsWhatThePlannerThrewAndCarriesOn) {
  PlanThread thread([] {});
  thread.post([]() -> Plan { throw std::out_of_range("no"); });
  thread.post([] { return numbered(2); });
  EXPECT_THROW(next_number(thread), std::out_of_range);
  EXPECT_EQ(next_number(thread), 2);
}

TEST(PlanThread, DropsWhatHasNotBegunWhenItGoes) {
  std::mutex gate;
  std::unique_lock closed(gate);
  std::vector<int> done;
  {
    PlanThread thread([] {});
    for (int i = 0; i < 100; ++i) {
      thread.post([&done, &gate, i] {
        const std::lock_guard passed(gate);
        done.push_back(i);
        return Plan{};
      });
    }
    closed.unlock();
  }
  // However far it came, it came in order, and nothing runs now.
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<int>(i));
}

}  // namespace
}  // namespace harness
