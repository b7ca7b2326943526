#include "harness/live/plan_thread.h"

namespace harness {

void PlanThread::post(std::function<Plan()> compute) {
  thread_.post([this, compute = std::move(compute)] {
    Result result;
    try {
      result.plan = compute();
    } catch (...) {
      result.error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      results_.push_back(std::move(result));
    }
    wake_();
  });
}

std::optional<Plan> PlanThread::take() {
  const std::lock_guard lock(mutex_);
  if (results_.empty()) return std::nullopt;
  const Result result = std::move(results_.front());
  results_.pop_front();
  if (result.error) std::rethrow_exception(result.error);
  return result.plan;
}

}  // namespace harness
