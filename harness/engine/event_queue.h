// The event queue of a runtime: what is due next, ties in order of insertion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// An event: when, what kind (the runtime's own enumeration) and which object it concerns.
struct Event {
  TimeNs at_ns = 0;
  std::uint64_t order = 0;  ///< number of events pushed before it
  std::uint32_t kind = 0;
  std::uint32_t index = 0;
};

/// A four-ary heap of events: flatter than a binary heap, one cache line or two a level.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Event& top() const { return heap_.front(); }

  /// The events that may come next, the very next first; a hint for prefetching.
  std::span<const Event> upcoming() const {
    return std::span(heap_).first(heap_.size() < kArity + 1 ? heap_.size() : kArity + 1);
  }

  void push(TimeNs at_ns, std::uint32_t kind, std::uint32_t index) {
    const Event event{at_ns, pushed_++, kind, index};
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kArity;
      if (!before(event, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return first;
  }

 private:
  static constexpr std::size_t kArity = 4;

  static bool before(const Event& a, const Event& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
  }

  void sift_down(const Event& event) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first_child = hole * kArity + 1;
      if (first_child >= size) break;
      const std::size_t end = first_child + kArity < size ? first_child + kArity : size;
      std::size_t least = first_child;
      for (std::size_t child = first_child + 1; child < end; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace harness
