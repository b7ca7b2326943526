#include "harness/gpu/work_thread.h"

#include <future>
#include <memory>
#include <utility>

namespace harness {

WorkThread::WorkThread() : thread_([this] { work(); }) {}

WorkThread::~WorkThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void WorkThread::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void WorkThread::post_and_wait(const std::function<void()>& task) {
  // The thread may still hold it when the result is here.
  const auto work = std::make_shared<std::packaged_task<void()>>(task);
  post([work] { (*work)(); });
  work->get_future().get();
}

void WorkThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (closing_) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace harness
