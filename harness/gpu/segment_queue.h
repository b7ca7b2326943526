// Which work of the outstanding batches a device gets next, where it runs what was enqueued by itself.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "harness/gpu/device.h"

namespace harness {

/// The batches outstanding on a device, cut into segments at their exit points: a batch without exit points
/// is one. All segments run in one order, that of submission, and at most kMostAhead stand on the device, the
/// running one among them: with fewer the device would wait for the host between two, with more a preempted
/// batch would run on for longer (design, section 6).
///
/// A batch is named by its slot, 0..kMostOutstanding - 1.
class SegmentQueue {
 public:
  static constexpr int kMostAhead = 2;

  struct Segment {
    int slot = 0;
    int index = 0;  ///< from 0
    bool operator==(const Segment&) const = default;
  };
  /// The earliest batch, whose work is over.
  struct Finished {
    int slot = 0;
    int enqueued = 0;   ///< segments that ran
    bool whole = true;  ///< these are all that it has
  };

  /// A batch was submitted; the slot has none. At least one segment.
  void add(int slot, int segments);
  bool empty() const { return count_ == 0; }
  /// Whether the slot's batch has been added and not removed.
  bool has(int slot) const;

  /// The segment that the device may be given now.
  std::optional<Segment> next() const;
  /// It was given next().
  void enqueued();
  /// The earliest segment that stands on the device.
  std::optional<Segment> running() const;
  /// It is done with running().
  void passed();
  /// Nothing further of this batch is to be enqueued. Does nothing when all of it is, or when it is not here.
  void stop(int slot);

  std::optional<Finished> finished() const;
  /// Takes away the earliest batch, which is finished.
  void remove();
  /// Takes away all, whose slots it returns in order: the device is lost.
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
  /// Places in batches_; count_: there is none.
  std::size_t first_waiting() const;
  std::size_t first_running() const;

  std::array<Batch, Device::kMostOutstanding> batches_;  ///< in the order of submission
  std::size_t count_ = 0;
  int ahead_ = 0;  ///< enqueued and not passed
};

}  // namespace harness
