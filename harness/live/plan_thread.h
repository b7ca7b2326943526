// Plans that are computed beside the loop of rank 0.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <optional>

#include "harness/gpu/work_thread.h"
#include "harness/serving/plan.h"

namespace harness {

/// A thread that computes plans one after another: a planner may take longer than requests can wait. It gives
/// way to the loops of the ranks (nice 10), which may be more than the processors. Used by the loop's thread.
class PlanThread {
 public:
  /// `wake` is called in the thread when a plan is there.
  explicit PlanThread(std::function<void()> wake);

  /// Computes a plan after those asked for before. What `compute` uses stays until this is gone.
  void post(std::function<Plan()> compute);
  /// The next plan in order, once it is there. Throws what its `compute` has thrown.
  std::optional<Plan> take();

 private:
  std::function<void()> wake_;
  std::deque<std::future<Plan>> plans_;  ///< in order
  WorkThread thread_;                    ///< last: it uses `wake_`
};

}  // namespace harness
