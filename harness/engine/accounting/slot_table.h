// Live requests and live visits in flat arrays; slots are reused, the last freed first, so that they stay in
// the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/arrivals.h"
#include "harness/record/run/run_record.h"
#include "harness/serving/visit.h"

namespace harness {

// Fetching ahead: with thousands of workers the data that an event touches is outside the near caches.

inline constexpr std::size_t kCacheLine = 64;

/// Asks for the cache lines of `count` objects from `first` on, to be written. Any pointer will do, also
/// null. It has no effect on the run; without it the simulator loses 9 to 14 % of its speed at 4,096 workers.
template <class Object>
void prefetch_span(const Object* first, std::size_t count) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  for (std::size_t at = 0; at < count * sizeof(Object); at += kCacheLine)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + at), 1);
}

/// Does the same for one object.
template <class Object>
void prefetch_object(const Object* object) {
  prefetch_span(object, 1);
}

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

/// The place of a live visit. kWaiting: it waits before a merge for other branches that have not come yet;
/// its queue is chosen already.
enum class VisitState : std::uint8_t { kWaiting, kTravelling, kQueued, kForming };

/// A live visit; `visit.id` is its slot.
struct alignas(64) VisitRecord {
  Visit visit;
  /// GPU time of the batches that have run with it; in a chain also at earlier modules.
  TimeNs gpu_ns = 0;
  std::uint32_t request_slot = 0;
  QueueId queue = kNone;
  std::uint16_t index = 0;   ///< index of the visit in its request
  std::uint16_t parent = 0;  ///< index of the visit that caused it
  VisitState state = VisitState::kTravelling;
  /// True if its request ended elsewhere: it ends when it arrives, when its forming batch is lost, or when
  /// its running one is preempted.
  bool cancelled = false;
  bool live = false;     ///< true while its request has it
  bool counted = false;  ///< true if its arrival at this module is counted (a rerouted visit arrives again)
};

/// A live request: it has visits left, though its outcome may be final already (a dropped request whose other
/// branch runs).
struct alignas(64) RequestRecord {
  RequestId id = 0;
  TimeNs sent_ns = 0;
  TimeNs deadline_ns = 0;
  TimeNs gpu_ns = 0;  ///< GPU time of its visits that have ended
  std::uint32_t live_visits = 0;
  std::uint16_t next_index = 0;
  /// True if it is dropped or given up; its row is written when the last visit is gone.
  bool ended = false;
  bool given_up = false;  ///< true if it is unfinished
  DropReason reason = DropReason::kExpired;
  ModuleId module = 0;
  StreamId stream = 0;
  TimeNs end_ns = 0;
  TimeNs schedule_lag_ns = 0;
};

}  // namespace harness
