#include "harness/ranks/rank_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "harness/machine/steady_clock.h"
#include "harness/ranks/watchdog.h"

namespace harness {

RankWatch::RankWatch(std::span<Beat> beats, std::size_t self, TimeNs limit_ns,
                     std::function<void(std::size_t, TimeNs)> on_silent)
    : beats_(beats), self_(self), limit_ns_(limit_ns), on_silent_(std::move(on_silent)), thread_([this] {
        watch();
      }) {}

RankWatch::~RankWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RankWatch::watch() {
  const std::chrono::nanoseconds between(std::min(Watchdog::kLookNs / 2, limit_ns_ / 4));
  Watchdog watchdog(static_cast<int>(beats_.size()), static_cast<int>(self_), limit_ns_, steady_ns());
  std::vector<std::uint32_t> seen(beats_.size(), 0);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between, [this] { return over_; })) {
    beats_[self_].fetch_add(1, std::memory_order_relaxed);
    const TimeNs now_ns = steady_ns();
    for (std::size_t rank = 0; rank < beats_.size(); ++rank) {
      const std::uint32_t beat = beats_[rank].load(std::memory_order_relaxed);
      if (std::exchange(seen[rank], beat) != beat || ignores_) watchdog.heard(static_cast<int>(rank), now_ns);
    }
    const std::vector<int> silent = watchdog.overdue(now_ns);
    if (silent.empty()) continue;
    on_silent_(static_cast<std::size_t>(silent.front()), watchdog.silent_ns(silent.front(), now_ns));
    return;
  }
}

}  // namespace harness
