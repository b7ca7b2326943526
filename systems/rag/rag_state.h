// The messages of `rag`'s parts: the state that a module publishes, and a queue's report.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "systems/rag/rag_measured.h"

namespace harness {

/// A module's published state.
struct RagState {
  static constexpr std::size_t kSize = 4;
  RagMeasured own;
  double downstream_ns = 0;

  std::array<double, kSize> values() const {
    return {own.queueing_ns, own.exec_ns, own.slowdown, downstream_ns};
  }
  static RagState of(std::span<const double> values);
};

/// The sums over one queue's visits since its last report.
struct RagReport {
  static constexpr std::size_t kSize = 5;
  double started = 0;
  double queueing_ns = 0;  ///< time in the queue of the started visits
  double done = 0;
  double exec_ns = 0;  ///< time of the visits done; without the prefill if a visit ends at its first token
  /// Time that those visits would have taken alone; only for shared services that end at the last token.
  double alone_ns = 0;

  std::array<double, kSize> values() const { return {started, queueing_ns, done, exec_ns, alone_ns}; }
  static RagReport of(std::span<const double> values);
};

}  // namespace harness
