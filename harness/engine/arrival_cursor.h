// Where a runtime stands in the load.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/arrivals.h"

namespace harness {

/// The next sending times of a source, read in chunks.
class ArrivalCursor {
 public:
  static constexpr std::size_t kChunk = 4096;

  /// A large chunk is cheap for each time, a small one never takes long at once. `chunk` >= 1.
  explicit ArrivalCursor(std::unique_ptr<ArrivalSource> source, std::size_t chunk = kChunk)
      : source_(std::move(source)), chunk_(chunk), streams_(chunk) {
    refill();
  }

  /// The next sending time, or kNever after the last.
  TimeNs next_ns() const { return next_ns_; }
  /// Which stream sends it.
  StreamId next_stream() const { return streams_[position_]; }
  /// Not after the last.
  void advance() {
    if (++position_ == count_) {
      refill();
    } else {
      next_ns_ = chunk_[position_];
    }
  }

 private:
  void refill() {
    count_ = source_->next(chunk_, streams_);
    position_ = 0;
    next_ns_ = count_ == 0 ? kNever : chunk_[0];
  }

  std::unique_ptr<ArrivalSource> source_;
  std::vector<TimeNs> chunk_;
  std::vector<StreamId> streams_;
  std::size_t count_ = 0;
  std::size_t position_ = 0;
  TimeNs next_ns_ = kNever;
};

}  // namespace harness
