#include "harness/gpu/work_thread.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace harness {
namespace {

TEST(WorkThread, DoesOneAfterAnother) {
  WorkThread thread;
  std::vector<int> done;  // without a lock: only the thread uses it until the last task is done
  for (int i = 0; i < 1000; ++i) thread.post([&done, i] { done.push_back(i); });
  thread.post_and_wait([&done] { done.push_back(1000); });
  ASSERT_EQ(done.size(), 1001U);
  for (int i = 0; i <= 1000; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(WorkThread, ThrowsWhatTheTaskThrewAndCarriesOn) {
  WorkThread thread;
  EXPECT_THROW(thread.post_and_wait([] { throw std::out_of_range("no"); }), std::out_of_range);
  bool done = false;
  thread.post_and_wait([&done] { done = true; });
  EXPECT_TRUE(done);
}

TEST(WorkThread, DropsWhatHasNotBegunWhenItGoes) {
  std::mutex gate;
  std::unique_lock closed(gate);
  std::vector<int> done;
  {
    WorkThread thread;
    thread.post_and_wait([&done] { done.push_back(1); });
  }
  EXPECT_EQ(done, (std::vector<int>{1}));
  {
    WorkThread thread;
    for (int i = 2; i < 100; ++i) {
      thread.post([&done, &gate, i] {
        const std::lock_guard passed(gate);
        done.push_back(i);
      });
    }
    closed.unlock();
  }
  // However far it came, it came in order, and nothing runs now.
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<int>(i) + 1);
}

}  // namespace
}  // namespace harness
