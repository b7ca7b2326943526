// The events of a runtime, the next one first (ties in order of insertion).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/event.h"

namespace harness {

/// A four-ary heap of events: it is flatter than a binary heap and takes one cache line or two a level. The
/// place of an event that has been popped stays open until a push takes it, as happens to most places, or
/// until the heap's first event is needed. For a caller that looks ahead the next few events are taken out of
/// the heap, in order.
class EventQueue {
 public:
  bool empty() const { return begin_ == end_ && heap_.size() == (open_ ? 1U : 0U); }
  std::size_t size() const { return heap_.size() - (open_ ? 1 : 0) + (end_ - begin_); }
  const Event& top() {
    if (begin_ != end_) return next_[begin_];
    close();
    return heap_.front();
  }

  static constexpr std::size_t kAhead = 4;
  static constexpr std::size_t kTaken = 16;
  /// Returns the next kAhead events, in order; valid until the next push or pop. The queue must hold at least
  /// kTaken.
  std::span<const Event, kAhead> look_ahead() {
    if (end_ - begin_ < kAhead) take_next();
    return std::span<const Event, kAhead>(&next_[begin_], kAhead);
  }

  void push(TimeNs at_ns, std::uint32_t kind, std::uint32_t index) {
    Event event{at_ns, pushed_++, kind, index};
    if (at_ns < last_taken_ns_) [[unlikely]]
      event = put_among_next(event);
    if (open_) {
      open_ = false;
      sift_down(event);
    } else {
      sift_up(event);
    }
  }

  Event pop() {
    if (begin_ != end_) {
      if (begin_ + 1 == end_) last_taken_ns_ = kNothing;
      return next_[begin_++];
    }
    close();
    open_ = true;
    return heap_.front();
  }

 private:
  static constexpr std::size_t kArity = 4;
  static constexpr TimeNs kNothing = std::numeric_limits<TimeNs>::min();

  void take_next() {
    std::copy(next_.begin() + begin_, next_.begin() + end_, next_.begin());
    end_ -= std::exchange(begin_, 0);
    while (end_ < kTaken) {
      close();
      next_[end_++] = heap_.front();
      open_ = true;
    }
    last_taken_ns_ = next_[end_ - 1].at_ns;
  }

  /// Puts the event where it belongs among the next ones; returns the last of them, for the heap.
  Event put_among_next(const Event& event) {
    const Event last = next_[end_ - 1];
    std::size_t hole = end_ - 1;
    for (; hole > begin_ && event.before(next_[hole - 1]); --hole) next_[hole] = next_[hole - 1];
    next_[hole] = event;
    last_taken_ns_ = next_[end_ - 1].at_ns;
    return last;
  }

  void sift_up(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (!event.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  /// Fills the open place with the last event.
  void close() {
    if (!open_) return;
    open_ = false;
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
  }

  void sift_down(const Event& event) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first_child = hole * kArity + 1;
      if (first_child >= size) break;
      const std::size_t least =
          first_child + kArity <= size ? least_of_four(first_child) : least_from(first_child);
      if (!heap_[least].before(event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }
  std::size_t least_of_four(std::size_t first) const {
    const std::size_t one = first + (heap_[first + 1].before(heap_[first]) ? 1 : 0);
    const std::size_t other = first + (heap_[first + 3].before(heap_[first + 2]) ? 3 : 2);
    return heap_[other].before(heap_[one]) ? other : one;
  }
  std::size_t least_from(std::size_t first) const {
    std::size_t least = first;
    for (std::size_t child = first + 1; child < heap_.size(); ++child)
      least = heap_[child].before(heap_[least]) ? child : least;
    return least;
  }

  std::vector<Event> heap_;
  bool open_ = false;  ///< true if the first event of the heap has been popped
  std::uint64_t pushed_ = 0;
  std::array<Event, kTaken> next_;  ///< events from begin_ to end_ - 1 come before all in the heap
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  TimeNs last_taken_ns_ = kNothing;  ///< time of the last of these; kNothing: there are no such events
};

}  // namespace harness
