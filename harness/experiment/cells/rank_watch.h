// Notices ranks of this host that stand still: stopped, frozen, without memory. What such a rank should do is
// never done, and the others would wait for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "harness/core/types.h"

namespace harness {

/// A thread that counts its beats up where the other ranks see them, and looks at theirs. A rank that
/// computes for long beats all the same.
class RankWatch {
 public:
  using Beat = std::atomic<std::uint32_t>;
  /// `beats`: one per rank of this host, in memory that they share; `self` is this rank's place. When one has
  /// not changed for `limit_ns`, calls `on_silent` once, in the thread, with its place and how long it is.
  /// `beats` outlive this.
  RankWatch(std::span<Beat> beats, std::size_t self, TimeNs limit_ns,
            std::function<void(std::size_t, TimeNs)> on_silent);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;
  /// While true, nobody's silence counts; this rank beats on.
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
