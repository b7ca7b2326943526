// A double-ended priority queue for keys that arrive nearly in order (PARD section 4.3, the DEPQ).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Visits by a key (PARD: the due time, which orders them by remaining latency budget). The smallest and the
/// largest are taken in O(1); equal keys are in the order of insertion.
///
/// It is a sorted list of sorted chunks instead of the paper's min-max heap. Inserting a key that is among
/// the largest few costs a short shift at the end of the last chunk. Any other key costs two binary searches
/// and a shift within one chunk, so the worst order costs O(log n) an insertion, and n / kChunkSize moves of
/// a pointer once per kChunkSize / 2 insertions. Allocates nothing in steady state.
class DoubleEndedQueue {
 public:
  struct Entry {
    TimeNs key = 0;
    VisitId id = 0;
  };

  DoubleEndedQueue() {
    places_.push_back({0, take_chunk()});
    note_ends();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Return the smallest and the largest entry; the queue must not be empty.
  const Entry& min() const { return front_->entries[front_->begin]; }
  const Entry& max() const { return back_->entries[back_->end - 1]; }

  void put(TimeNs key, VisitId id) {
    Chunk* chunk = key >= back_low_ ? back_ : places_[find_place(key)].chunk;
    std::uint32_t position = find_position(*chunk, key);
    if (chunk->end == kChunkSize && (chunk->begin == 0 || position == chunk->end)) {
      chunk = make_room(find_place(key), key);
      position = find_position(*chunk, key);
    }
    insert(*chunk, position, {key, id});
    ++size_;
  }

  Entry pop_min() {
    const Entry entry = front_->entries[front_->begin++];
    --size_;
    if (front_->begin == front_->end) empty_place(first_);
    return entry;
  }

  Entry pop_max() {
    const Entry entry = back_->entries[--back_->end];
    --size_;
    if (back_->begin == back_->end) empty_place(places_.size() - 1);
    return entry;
  }

  /// Removes a visit from any place (linear time). Returns false if it is not queued.
  bool erase(VisitId id) {
    for (std::size_t at = first_; at < places_.size(); ++at) {
      Chunk& chunk = *places_[at].chunk;
      Entry* const end = chunk.entries + chunk.end;
      Entry* const found =
          std::find_if(chunk.entries + chunk.begin, end, [id](const Entry& entry) { return entry.id == id; });
      if (found == end) continue;
      std::copy(found + 1, end, found);
      --chunk.end;
      --size_;
      if (chunk.begin == chunk.end) empty_place(at);
      return true;
    }
    return false;
  }

  void clear() {
    while (!empty()) pop_max();
  }

  /// Calls visit(entry) for each, from the smallest to the largest.
  template <class Function>
  void for_each(Function visit) const {
    for (std::size_t at = first_; at < places_.size(); ++at) {
      const Chunk& chunk = *places_[at].chunk;
      std::for_each(chunk.entries + chunk.begin, chunk.entries + chunk.end, visit);
    }
  }

 private:
  static constexpr std::uint32_t kChunkSize = 32;
  static constexpr std::uint32_t kShortShift = 6;

  /// A chunk, whose entries begin..end - 1 count, in order of key. It is never empty, except for the one
  /// chunk of an empty queue.
  struct Chunk {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    Entry entries[kChunkSize];
  };
  /// A chunk in the list. Its keys are at least `low`, and the keys of earlier chunks at most `low`; the
  /// first chunk's `low` does not count.
  struct Place {
    TimeNs low = 0;
    Chunk* chunk = nullptr;
  };

  /// Returns the index of the last chunk whose `low` is at most `key`, or else of the first chunk.
  std::size_t find_place(TimeNs key) const {
    const Place* base = places_.data() + first_;
    for (std::size_t count = places_.size() - first_; count > 1;) {
      const std::size_t half = count / 2;
      base = base[half].low <= key ? base + half : base;
      count -= half;
    }
    return static_cast<std::size_t>(base - places_.data());
  }

  /// Returns the position at which `key` is inserted: after all entries that are not larger.
  static std::uint32_t find_position(const Chunk& chunk, TimeNs key) {
    std::uint32_t position = chunk.end;
    for (std::uint32_t step = 0; step < kShortShift; ++step, --position) {
      if (position == chunk.begin || chunk.entries[position - 1].key <= key) return position;
    }
    const Entry* base = chunk.entries + chunk.begin;
    std::uint32_t count = position - chunk.begin;
    while (count > 1) {
      const std::uint32_t half = count / 2;
      base = base[half - 1].key <= key ? base + half : base;
      count -= half;
    }
    if (count == 1 && base->key <= key) ++base;
    return static_cast<std::uint32_t>(base - chunk.entries);
  }

  /// Inserts by shifting the smaller side by one. The chunk has room at its end or before its beginning.
  static void insert(Chunk& chunk, std::uint32_t position, const Entry& entry) {
    Entry* const at = chunk.entries + position;
    const bool left =
        chunk.begin > 0 && (chunk.end == kChunkSize || position - chunk.begin < chunk.end - position);
    if (left) {
      std::copy(chunk.entries + chunk.begin, at, chunk.entries + chunk.begin - 1);
      --chunk.begin;
      at[-1] = entry;
    } else {
      std::copy_backward(at, chunk.entries + chunk.end, chunk.entries + chunk.end + 1);
      ++chunk.end;
      *at = entry;
    }
  }

  /// Makes room in the full chunk at `at` for `key`. Returns the chunk to which the key then belongs.
  Chunk* make_room(std::size_t at, TimeNs key) {
    Chunk& chunk = *places_[at].chunk;
    if (chunk.begin >= kChunkSize / 2) {
      std::copy(chunk.entries + chunk.begin, chunk.entries + chunk.end, chunk.entries);
      chunk.end -= chunk.begin;
      chunk.begin = 0;
      return &chunk;
    }
    Chunk* const upper = take_chunk();
    const bool append = &chunk == back_ && chunk.entries[chunk.end - 1].key <= key;
    const std::uint32_t middle = append ? chunk.end : chunk.begin + (chunk.end - chunk.begin) / 2;
    const TimeNs low = append ? key : chunk.entries[middle].key;
    std::copy(chunk.entries + middle, chunk.entries + chunk.end, upper->entries);
    upper->end = chunk.end - middle;
    chunk.end = middle;
    if (first_ > 0 && places_.size() == places_.capacity()) {
      places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first_));
      at -= first_;
      first_ = 0;
    }
    places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(at) + 1, {low, upper});
    note_ends();
    return low <= key ? upper : &chunk;
  }

  /// Takes a chunk that has become empty out of the list, unless it is the only one.
  void empty_place(std::size_t at) {
    if (front_ == back_) {  // most often: a queue of one visit
      front_->begin = front_->end = 0;
    } else {
      remove_place(at);
    }
  }

  /// Takes one of several chunks out of the list.
  void remove_place(std::size_t at) {
    Chunk* const chunk = places_[at].chunk;
    chunk->begin = chunk->end = 0;
    free_.push_back(chunk);
    if (at == first_) {
      ++first_;
    } else {
      places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    note_ends();
  }

  void note_ends() {
    front_ = places_[first_].chunk;
    back_ = places_.back().chunk;
    back_low_ = front_ == back_ ? std::numeric_limits<TimeNs>::min() : places_.back().low;
  }

  Chunk* take_chunk() {
    if (free_.empty()) {
      pool_.push_back(std::make_unique<Chunk>());
      free_.reserve(pool_.capacity());
      return pool_.back().get();
    }
    Chunk* const chunk = free_.back();
    free_.pop_back();
    return chunk;
  }

  std::size_t size_ = 0;
  // The ends of the list are stored here so that the common operations touch no more than one chunk.
  Chunk* front_ = nullptr;
  Chunk* back_ = nullptr;
  TimeNs back_low_ = 0;        ///< least key that belongs into the last chunk
  std::size_t first_ = 0;      ///< index of the first place in use
  std::vector<Place> places_;  ///< in order of key
  std::vector<std::unique_ptr<Chunk>> pool_;
  std::vector<Chunk*> free_;
};

}  // namespace harness
