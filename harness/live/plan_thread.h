// Plans that are computed beside the loop of rank 0.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "harness/gpu/work_thread.h"
#include "harness/serving/plan.h"

namespace harness {

/// A thread that computes plans one after another: a planner may take longer than requests can wait. Used by
/// the loop's thread.
class PlanThread {
 public:
  /// `wake` is called in the thread when a plan is there.
  explicit PlanThread(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Computes a plan after those asked for before. What `compute` uses stays until this is gone.
  void post(std::function<Plan()> compute);
  /// The next plan in order, once it is there. Throws what its `compute` has thrown.
  std::optional<Plan> take();

 private:
  struct Result {
    Plan plan;
    std::exception_ptr error;
  };

  std::function<void()> wake_;
  std::mutex mutex_;
  std::deque<Result> results_;
  WorkThread thread_;  ///< last: it writes the above
};

}  // namespace harness
