// A flat array whose slots are reused, the last freed first, so that they stay in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/engine/accounting/prefetch.h"

namespace harness {

/// A table of records in slots 0, 1, ...; the caller initialises a slot's contents.
template <class Record>
class SlotTable {
 public:
  /// Returns a free slot. Also fetches the slot that comes next into the cache.
  std::uint32_t allocate() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    if (!free_.empty()) prefetch_object(&records_[free_.back()]);
    return slot;
  }
  void release(std::uint32_t slot) { free_.push_back(slot); }
  /// Makes the slot exist, for a table whose slots are given out elsewhere.
  void extend_to(std::uint32_t slot) {
    if (slot >= records_.size()) records_.resize(slot + 1);
  }

  /// Hints that the slot, which may have any number, will be written.
  void prefetch(std::uint32_t slot) const {
    if (slot < records_.size()) prefetch_object(&records_[slot]);
  }
  Record& operator[](std::uint32_t slot) { return records_[slot]; }
  const Record& operator[](std::uint32_t slot) const { return records_[slot]; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(records_.size()); }
  std::uint32_t live() const { return static_cast<std::uint32_t>(records_.size() - free_.size()); }

 private:
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace harness
