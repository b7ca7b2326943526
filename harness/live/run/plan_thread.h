// Plans that are computed beside the loop of rank 0.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/serving/plan.h"

namespace harness {

/// A thread that computes plans one after another: a planner may take longer than requests can wait. It gives
/// way to the loops of the ranks (nice 10), which may be more than the processors. Used by the loop's thread.
class PlanThread {
 public:
  /// `wake` is called in the thread when a plan is there.
  explicit PlanThread(std::function<void()> wake);
  /// Waits for the plan that has begun; the rest is dropped.
  ~PlanThread();
  PlanThread(const PlanThread&) = delete;
  PlanThread& operator=(const PlanThread&) = delete;

  /// Computes a plan after those asked for before. What `compute` uses stays until this is gone.
  void post(std::function<Plan()> compute);
  /// The next plan in order, once it is there. Throws what its `compute` has thrown.
  std::optional<Plan> take();

 private:
  void work();

  std::function<void()> wake_;
  std::deque<std::future<Plan>> plans_;  ///< in order
  std::mutex mutex_;                     ///< of the next three
  std::condition_variable changed_;
  std::deque<std::packaged_task<Plan()>> tasks_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace harness
