// Notices ranks of this host that have come to a halt: stopped, frozen, without memory. Such a rank never
// does its work, and the others would wait for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

#include "harness/core/types.h"

namespace harness {

/// A thread that counts up this rank's beats in memory that the other ranks see, and looks at their beats. A
/// rank that computes for long beats all the same.
class RankWatch {
 public:
  using Beat = std::atomic<std::uint32_t>;
  /// `beats` has one counter per rank of this host, in memory that they share; `self` is this rank's index.
  /// If a counter has not changed for `limit_ns`, calls `on_silent` once, in the thread, with its index and
  /// the time since its last change. `beats` must outlive this.
  RankWatch(std::span<Beat> beats, std::size_t self, TimeNs limit_ns,
            std::function<void(std::size_t, TimeNs)> on_silent);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;
  /// Switches the watch off (true) or on. While it is off, the silence of other ranks does not count; this
  /// rank goes on beating.
  void ignore(bool ignores) { ignores_ = ignores; }

 private:
  void watch();

  std::span<Beat> beats_;
  std::size_t self_;
  TimeNs limit_ns_;
  std::function<void(std::size_t, TimeNs)> on_silent_;
  std::atomic<bool> ignores_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace harness
