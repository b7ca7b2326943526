// A thread of a device that does what it is given, one after another.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace harness {

/// Used by one thread, which never waits for the work except by asking to.
class WorkThread {
 public:
  WorkThread();
  /// Waits for what has begun; the rest is dropped.
  ~WorkThread();
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// `task` must not throw.
  void post(std::function<void()> task);
  /// The same, and waits until it is done; what it throws is thrown here.
  void post_and_wait(const std::function<void()>& task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace harness
