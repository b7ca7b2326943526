#include "harness/live/run/plan_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace harness {

PlanThread::PlanThread(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { work(); }) {}

PlanThread::~PlanThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void PlanThread::post(std::function<Plan()> compute) {
  std::packaged_task<Plan()> task(std::move(compute));
  plans_.push_back(task.get_future());
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

std::optional<Plan> PlanThread::take() {
  if (plans_.empty() || plans_.front().wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return std::nullopt;
  std::future<Plan> plan = std::move(plans_.front());
  plans_.pop_front();
  return plan.get();
}

void PlanThread::work() {
  // The priority is this thread's alone (Linux). If it is refused, plans compete with the loops.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (closing_) return;
    std::packaged_task<Plan()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    wake_();
    lock.lock();
  }
}

}  // namespace harness
