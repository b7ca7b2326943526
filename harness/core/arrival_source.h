// The sources of requests. The load is an open loop: sending times do not depend on the system under test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/stream.h"
#include "harness/core/types.h"

namespace harness {

/// A finite, reproducible sequence of sending times in non-decreasing order, from 0 on. Deterministic: two
/// sources made from the same description and seed yield the same times. Single-threaded.
class ArrivalSource {
 public:
  virtual ~ArrivalSource() = default;

  /// Writes the next times into `out` (at most out.size()) and returns their number; 0 means the end. It
  /// never allocates more than a bounded working set, so that 100 million requests need no more memory than a
  /// thousand.
  virtual std::size_t next(std::span<TimeNs> out) = 0;
  /// Does the same and writes the stream of each request into `streams`, which is as long as `out`. By
  /// default all requests are of stream 0.
  virtual std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) {
    const std::size_t count = next(out);
    std::fill_n(streams.begin(), count, StreamId{0});
    return count;
  }

  /// Returns a fresh source that yields the same sequence from its beginning.
  virtual std::unique_ptr<ArrivalSource> restarted() const = 0;

  /// Returns the length of the workload: no request is sent at or after it.
  virtual TimeNs duration_ns() const = 0;

  /// Returns the expected number of requests (exact for recorded times), for progress and for ordering cells
  /// by cost.
  virtual double expected_requests() const = 0;
};

/// The next sending times of a source, read in chunks.
class ArrivalCursor {
 public:
  static constexpr std::size_t kChunk = 4096;

  /// Reads `chunk` times at once, at least 1. A large chunk is cheap per time; a small one never takes long.
  explicit ArrivalCursor(std::unique_ptr<ArrivalSource> source, std::size_t chunk = kChunk)
      : source_(std::move(source)), chunk_(chunk), streams_(chunk) {
    refill();
  }

  /// Returns the next sending time, or kNever after the last.
  TimeNs next_ns() const { return next_ns_; }
  /// Returns the stream that sends the next request.
  StreamId next_stream() const { return streams_[position_]; }
  /// Goes on to the next request; not to be called after the last.
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
