// A first-in first-out queue of visits that allocates nothing in steady state.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// A ring buffer whose size is a power of two; it grows by doubling and never shrinks. `Entry` is a plain
/// value with a member `id` (a VisitId). Position 0 is the front.
template <class Entry>
class VisitRing {
 public:
  std::size_t size() const { return back_ - front_; }
  bool empty() const { return back_ == front_; }

  const Entry& operator[](std::size_t at) const { return slots_[(front_ + at) & mask_]; }
  const Entry& front() const { return (*this)[0]; }

  /// Appends at the back.
  void push(const Entry& entry) {
    if (empty()) front_ = back_ = 0;  // a queue that is mostly empty stays in one cache line
    if (size() == slots_.size()) grow();
    slots_[back_++ & mask_] = entry;
  }

  /// Puts the entry before the front.
  void push_front(const Entry& entry) {
    if (size() == slots_.size()) grow();
    slots_[--front_ & mask_] = entry;
  }

  /// Inserts before position `at` (at most size()); the entries from there on move back by one.
  void insert(std::size_t at, const Entry& entry) {
    push(entry);
    for (std::size_t i = size() - 1; i > at; --i) slot(i) = slot(i - 1);
    slot(at) = entry;
  }

  /// Removes the front; the ring must not be empty.
  void pop_front() { ++front_; }
  /// Removes the first `count` entries (at most size()).
  void pop_front(std::size_t count) { front_ += count; }

  /// Removes the visit wherever it is (linear); returns false if it is not here. Keeps the order.
  bool erase(VisitId id) {
    for (std::size_t i = 0; i < size(); ++i) {
      if ((*this)[i].id != id) continue;
      for (std::size_t j = i; j > 0; --j) slot(j) = slot(j - 1);
      pop_front();
      return true;
    }
    return false;
  }

  /// Removes every entry for which `gone(entry)` is true, in order from the front (called once for each).
  /// Keeps the order.
  template <class Predicate>
  void erase_if(Predicate gone) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!gone((*this)[i])) slot(kept++) = slot(i);
    }
    back_ = front_ + kept;
  }

 private:
  static constexpr std::size_t kFirstSize = 16;

  Entry& slot(std::size_t at) { return slots_[(front_ + at) & mask_]; }

  void grow() {
    std::vector<Entry> larger(slots_.empty() ? kFirstSize : 2 * slots_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = (*this)[i];
    slots_.swap(larger);
    mask_ = slots_.size() - 1;
    front_ = 0;
    back_ = count;
  }

  std::vector<Entry> slots_;
  std::size_t mask_ = 0;
  std::size_t front_ = 0;  ///< index of the front; its low bits are the slot
  std::size_t back_ = 0;
};

}  // namespace harness
