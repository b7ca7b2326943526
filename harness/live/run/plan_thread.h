// The thread that computes plans beside the loop of rank 0.
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

/// A thread that computes plans one after another, since a planner may take longer than requests can wait. It
/// gives way to the loops of the ranks (nice 10), of which there may be more than processors. Used by the
/// loop's thread.
class PlanThread {
 public:
  /// Calls `wake` in the new thread each time a plan is there.
  explicit PlanThread(std::function<void()> wake);
  /// Waits for the plan whose computation has begun; the rest is dropped.
  ~PlanThread();
  PlanThread(const PlanThread&) = delete;
  PlanThread& operator=(const PlanThread&) = delete;

  /// Computes a plan after the plans that were asked for before. Everything that `compute` uses must outlive
  /// this object.
  void post(std::function<Plan()> compute);
  /// Returns the next plan in order if it is there. Throws what its `compute` has thrown.
  std::optional<Plan> take();

 private:
  void work();

  std::function<void()> wake_;
  std::deque<std::future<Plan>> plans_;  ///< plans that were asked for and not taken, in order
  std::mutex mutex_;                     ///< guards the next three members
  std::condition_variable changed_;
  std::deque<std::packaged_task<Plan()>> tasks_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace harness
