// How the callbacks and decisions of a queue domain become the bytes of a ReplayLog, and back.
//
// Whole numbers are written as the difference to what they usually are: times to the callback's, visits and
// requests to the one before.
#pragma once

#include <vector>

#include "harness/engine/replay_call.h"
#include "harness/record/replay_log.h"

namespace harness {

/// What the callbacks and decisions so far say about the next ones. The same on both sides.
struct ReplayContext {
  TimeNs now = 0;
  RequestId request = 0;
  TimeNs slo_ns = 0;
  WorkerId worker = 0;
  VisitId visit = 0;
};

/// Appends to a log, which must be empty at first and outlive the writer.
class ReplayWriter {
 public:
  explicit ReplayWriter(ReplayLog& log);
  /// Appends a callback with its decisions: those of `out` from the `first` on.
  void write(ReplayCall& call, const Decisions& out, std::size_t first);

 private:
  ReplayLog* log_;
  ReplayContext context_;
};

/// Whether both are the same callback with the same arguments, to the bit.
bool same_call(const ReplayCall& a, const ReplayCall& b);

/// Reads a log, which outlives the reader.
class ReplayReader {
 public:
  explicit ReplayReader(const ReplayLog& log);
  /// The next callback and its decisions (`out` is cleared first); false at the end, and when the log is
  /// damaged.
  bool next(ReplayCall& call, Decisions& out);
  /// Whether the bytes were something else than the log's number of callbacks.
  bool damaged() const { return damaged_; }

 private:
  const ReplayLog* log_;
  std::size_t at_ = 0;
  std::uint64_t callbacks_ = 0;
  bool damaged_ = false;
  ReplayContext context_;
};

}  // namespace harness
