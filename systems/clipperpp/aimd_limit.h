// A limit of the batch size that adapts to the latencies of batches (Clipper, NSDI'17).
#pragma once

#include <algorithm>

#include "harness/core/types.h"

namespace harness {

/// Additive increase, multiplicative back-off of the batch size (Clipper, NSDI'17), from 1.
class AimdLimit {
 public:
  AimdLimit(int step, double backoff) : step_(step), backoff_(backoff) {}

  void set_most(int most) {
    most_ = most;
    size_ = std::min(size_, static_cast<double>(most));
  }
  /// Takes the latency of a batch of `visits`, of which `budget_ns` is allowed. A batch that was not full
  /// says nothing about larger ones, so only full ones raise the size.
  void on_batch(int visits, TimeNs latency_ns, TimeNs budget_ns) {
    if (latency_ns > budget_ns) {
      size_ = std::max(1.0, size_ * (1.0 - backoff_));
    } else if (visits >= limit()) {
      size_ = std::min(size_ + step_, static_cast<double>(most_));
    }
  }
  int limit() const { return static_cast<int>(size_); }

 private:
  int step_;
  double backoff_;
  double size_ = 1;
  int most_ = 1;
};

}  // namespace harness
