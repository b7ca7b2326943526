// The workers that may get a batch, the one that is free first in front.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// A binary heap by (time, id) with the place of each worker. Worker ids are small: an array is kept for
/// them. O(log n); allocates when a worker is new only.
class AvailableWorkers {
 public:
  bool empty() const { return heap_.empty(); }
  WorkerId first() const { return heap_.front().second; }
  TimeNs first_ns() const { return heap_.front().first; }

  /// The worker, here already or not, is free at `free_ns`.
  void set(WorkerId worker, TimeNs free_ns) {
    erase(worker);
    if (worker >= places_.size()) places_.resize(worker + std::size_t{1}, kNowhere);
    places_[worker] = heap_.size();
    heap_.emplace_back(free_ns, worker);
    rise(heap_.size() - 1);
  }

  /// Takes the worker out, if it is here.
  void erase(WorkerId worker) {
    if (worker >= places_.size() || places_[worker] == kNowhere) return;
    const std::size_t at = places_[worker];
    if (at + 1 < heap_.size()) swap(at, heap_.size() - 1);
    places_[worker] = kNowhere;
    heap_.pop_back();
    if (at == heap_.size()) return;
    rise(at);
    sink(at);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  void swap(std::size_t one, std::size_t other) {
    std::swap(heap_[one], heap_[other]);
    places_[heap_[one].second] = one;
    places_[heap_[other].second] = other;
  }
  void rise(std::size_t at) {
    while (at > 0 && heap_[at] < heap_[(at - 1) / 2]) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }
  void sink(std::size_t at) {
    for (;;) {
      std::size_t least = at;
      for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
        if (child < heap_.size() && heap_[child] < heap_[least]) least = child;
      }
      if (least == at) return;
      swap(at, least);
      at = least;
    }
  }

  std::vector<std::pair<TimeNs, WorkerId>> heap_;
  std::vector<std::size_t> places_;  ///< by worker
};

}  // namespace harness
