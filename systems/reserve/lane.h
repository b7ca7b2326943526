// The batches of one module in a timetable.
#pragma once

#include <array>
#include <cstddef>

#include "harness/core/types.h"
#include "systems/reserve/batch_shape.h"

namespace harness {

/// The batches of one module, in the order of their starts. Requests reserve in the order in which they are
/// sent and get ready in nearly that order, so only the newest batch can have room for the next.
class Lane {
 public:
  struct Place {
    TimeNs ready_ns = 0;
    TimeNs start_ns = 0;
    bool opens = false;  ///< the visit opens a new batch
  };

  void set(const BatchShape& shape, int workers);
  /// Finds the place of a visit that is ready at `ready_ns`.
  Place find(TimeNs ready_ns) const;
  /// Reserves a place. `share` is the mean number of visits that a request makes here.
  void reserve(const Place& place, double share);
  /// Returns the start of one more visit that came at `at_ns`, counting only reservations of visits that were
  /// to come by then; kNever if that is no longer known.
  TimeNs start_at(TimeNs at_ns) const;

  const BatchShape& shape() const { return shape_; }
  TimeNs spacing_ns() const { return spacing_ns_; }

 private:
  static constexpr TimeNs kLongAgo = -(TimeNs{1} << 60);
  static constexpr std::size_t kKept = 1024;  // a second of batches a millisecond apart

  struct Batch {
    TimeNs first_ready_ns = kLongAgo;
    TimeNs start_ns = kLongAgo;
    double taken = 0;  ///< number of visits in it, as a sum of shares
  };

  /// Returns the batch that is `back` before the newest.
  const Batch& batch(std::size_t back) const { return batches_[(newest_ - back) % kKept]; }
  bool has_room(const Batch& batch) const {
    constexpr double kRounding = 1e-9;  // of sums of shares
    return batch.taken + kRounding < shape_.size;
  }
  /// Returns the least start of the batch after that one. By then a worker is free.
  TimeNs next_start_ns(std::size_t back) const { return batch(back).start_ns + spacing_ns_; }

  BatchShape shape_;
  TimeNs spacing_ns_ = 0;
  std::array<Batch, kKept> batches_;  ///< ring of the newest batches
  std::size_t newest_ = 0;
};

}  // namespace harness
