// Visits in order of deadline.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/types.h"

namespace harness {

/// Returns the index of the first visit that is due at `deadline_ns` or later. `visits` is a contiguous range
/// in deadline order.
template <class Visits>
std::size_t first_due_from(const Visits& visits, TimeNs deadline_ns) {
  if (std::size(visits) == 0) return 0;
  const auto* base = std::data(visits);
  for (std::size_t count = std::size(visits); count > 1;) {
    const std::size_t half = count / 2;
    base = base[half - 1].deadline_ns < deadline_ns ? base + half : base;
    count -= half;
  }
  return static_cast<std::size_t>(base - std::data(visits)) + (base->deadline_ns < deadline_ns ? 1 : 0);
}

/// Visits in order of deadline; visits with equal deadlines are in order of insertion. `Queued` is a small
/// value with `deadline_ns` and `id`. The queue is a sorted array with room at both ends: a batch is found by
/// binary search, and visits that leave at the front cost nothing. An insertion costs a binary search and a
/// shift of the shorter side: next to nothing for deadlines that come nearly in order, at most half of the
/// visits for one in the middle.
template <class Queued>
class DeadlineQueue {
 public:
  bool empty() const { return begin_ == visits_.size(); }
  std::size_t size() const { return visits_.size() - begin_; }
  const Queued& front() const { return visits_[begin_]; }
  std::span<const Queued> visits() const { return std::span(visits_).subspan(begin_); }

  void insert(const Queued& visit) {
    if (empty() || visits_.back().deadline_ns <= visit.deadline_ns) {
      make_room();
      visits_.push_back(visit);
      return;
    }
    std::size_t at = begin_ + first_due_from(visits(), visit.deadline_ns + 1);
    if (begin_ > 0 && at - begin_ < visits_.size() - at) {
      std::copy(place(begin_), place(at), place(begin_ - 1));
      --begin_;
      visits_[at - 1] = visit;
    } else {
      at -= make_room();
      visits_.insert(place(at), visit);
    }
  }

  /// Removes `visit`, which must be in the queue.
  void erase(const Queued& visit) {
    std::size_t at = first_due_from(visits(), visit.deadline_ns);
    while (begin_ + at < visits_.size() && visits_[begin_ + at].id != visit.id) ++at;
    HARNESS_CHECK(begin_ + at < visits_.size(), "a visit is not in its queue");
    erase(at, 1);
  }

  /// Removes `count` visits from position `first` on.
  void erase(std::size_t first, std::size_t count) {
    const std::size_t at = begin_ + first;
    if (first < visits_.size() - at - count) {
      std::copy_backward(place(begin_), place(at), place(at + count));
      begin_ += count;
    } else {
      visits_.erase(place(at), place(at + count));
    }
    if (empty()) {
      visits_.clear();
      begin_ = 0;
    }
  }

 private:
  typename std::vector<Queued>::iterator place(std::size_t index) {
    return visits_.begin() + static_cast<std::ptrdiff_t>(index);
  }
  /// Gives back the space that is used up at the front if the array would grow otherwise and that space is at
  /// least half of it, so that nothing is allocated in steady state. Returns the number of places by which
  /// the visits have moved to the front.
  std::size_t make_room() {
    if (visits_.size() < visits_.capacity() || begin_ < visits_.size() / 2 || begin_ == 0) return 0;
    const std::size_t moved = begin_;
    visits_.erase(visits_.begin(), place(begin_));
    begin_ = 0;
    return moved;
  }

  std::vector<Queued> visits_;  ///< queued visits, from begin_ on
  std::size_t begin_ = 0;
};

}  // namespace harness
