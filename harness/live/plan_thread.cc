#include "harness/live/plan_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>

namespace harness {

PlanThread::PlanThread(std::function<void()> wake) : wake_(std::move(wake)) {
  // Of this thread alone (Linux). Where it is refused, plans compete with the loops as they did.
  thread_.post([] { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10); });
}

void PlanThread::post(std::function<Plan()> compute) {
  const auto work = std::make_shared<std::packaged_task<Plan()>>(std::move(compute));
  plans_.push_back(work->get_future());
  thread_.post([this, work] {
    (*work)();
    wake_();
  });
}

std::optional<Plan> PlanThread::take() {
  if (plans_.empty() || plans_.front().wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return std::nullopt;
  std::future<Plan> plan = std::move(plans_.front());
  plans_.pop_front();
  return plan.get();
}

}  // namespace harness
