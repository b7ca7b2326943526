// The order in which a device that runs enqueued work by itself gets the work of the outstanding batches.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "harness/gpu/device/device.h"

namespace harness {

/// The batches outstanding on a device, cut into segments at their exit points: a batch without exit points
/// is one segment. All segments run in the order of submission, and at most kMaxAhead are on the device, the
/// running one among them: with fewer the device would wait for the host between two segments, with more a
/// preempted batch would run on for longer.
///
/// A batch is named by its slot, 0..kMaxOutstanding - 1.
class SegmentQueue {
 public:
  static constexpr int kMaxAhead = 2;

  struct Segment {
    int slot = 0;
    int index = 0;  ///< index in the batch, from 0
    bool operator==(const Segment&) const = default;
  };
  /// The earliest batch, if its work is over.
  struct Finished {
    int slot = 0;
    int enqueued = 0;   ///< number of segments that ran
    bool whole = true;  ///< true if these are all segments of the batch
  };

  /// Adds a submitted batch of at least one segment; the slot must have no batch yet.
  void add(int slot, int segments);
  bool empty() const { return count_ == 0; }
  /// True if the slot's batch has been added and not removed.
  bool has(int slot) const;

  /// Returns the segment that the device may be given now, if there is one.
  std::optional<Segment> next() const;
  /// Records that the device was given next().
  void enqueued();
  /// Returns the earliest segment on the device, if there is one.
  std::optional<Segment> running() const;
  /// Records that the device is done with running().
  void passed();
  /// Keeps further segments of this batch from being enqueued. Does nothing if all are enqueued, or if the
  /// slot has no batch.
  void stop(int slot);

  std::optional<Finished> finished() const;
  /// Removes the earliest batch, which is finished.
  void remove();
  /// Removes all batches, because the device is lost, and returns their slots in order.
  std::vector<int> drop_all();

 private:
  struct Batch {
    int slot = 0;
    int segments = 1;
    int enqueued = 0;
    int passed = 0;
    bool stopped = false;
    bool is_enqueued() const { return stopped || enqueued == segments; }
  };
  /// Return an index in batches_; count_ if there is no such batch.
  std::size_t first_waiting() const;
  std::size_t first_running() const;

  std::array<Batch, Device::kMaxOutstanding> batches_;  ///< batches in the order of submission
  std::size_t count_ = 0;
  int ahead_ = 0;  ///< number of segments that are enqueued and have not passed
};

}  // namespace harness
