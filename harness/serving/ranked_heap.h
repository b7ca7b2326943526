// A heap of a few things with small ids, such as workers or models, with the least key in front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace harness {

/// A binary heap by (key, id) with the place of each id. Its operations take O(log n). It keeps an array over
/// the ids, so it allocates only when an id is new.
template <class Key>
class RankedHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::uint32_t first() const { return heap_.front().second; }
  const Key& first_key() const { return heap_.front().first; }

  /// Gives the id, which may be here already or not, that key.
  void set(std::uint32_t id, const Key& key) {
    if (id >= places_.size()) places_.resize(id + std::size_t{1}, kNowhere);
    std::size_t& place = places_[id];
    if (place == kNowhere) {
      place = heap_.size();
      heap_.emplace_back(key, id);
    } else {
      heap_[place].first = key;
    }
    settle(place);
  }

  /// Removes the id, if it is here.
  void erase(std::uint32_t id) {
    if (id >= places_.size() || places_[id] == kNowhere) return;
    const std::size_t at = places_[id];
    if (at + 1 < heap_.size()) swap(at, heap_.size() - 1);
    places_[id] = kNowhere;
    heap_.pop_back();
    if (at < heap_.size()) settle(at);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  void swap(std::size_t one, std::size_t other) {
    std::swap(heap_[one], heap_[other]);
    places_[heap_[one].second] = one;
    places_[heap_[other].second] = other;
  }
  /// Moves the entry at that place, which may be too far down or up, to where it belongs.
  void settle(std::size_t at) {
    while (at > 0 && heap_[at] < heap_[(at - 1) / 2]) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
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

  std::vector<std::pair<Key, std::uint32_t>> heap_;
  std::vector<std::size_t> places_;  ///< place of each id in heap_, or kNowhere
};

}  // namespace harness
