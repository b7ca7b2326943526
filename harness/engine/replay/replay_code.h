// The code that turns the callbacks and decisions of a queue into the bytes of a ReplayLog, and back.
//
// Whole numbers are written as the difference to what they usually are: times to the callback's, visits and
// requests to the one before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/engine/replay/replay_call.h"
#include "harness/record/run/replay_log.h"
#include "harness/serving/decision.h"

namespace harness {

/// The state of the code: values of the callbacks and decisions so far from which the next ones are
/// predicted. Writer and reader have the same.
struct ReplayCode {
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
  /// Appends a callback with its decisions, which are those in `out` from the `first` on.
  void write(ReplayCall& call, const Decisions& out, std::size_t first);

 private:
  ReplayLog* log_;
  ReplayCode state_;
};

/// True if both are the same callback with the same arguments, to the bit.
bool same_call(const ReplayCall& a, const ReplayCall& b);

/// The first byte of a log; logs of other versions cannot be read.
inline constexpr std::byte kReplayVersion{5};

/// Reads a log, which outlives the reader.
class ReplayReader {
 public:
  explicit ReplayReader(const ReplayLog& log);
  /// Reads the next callback and its decisions (`out` is cleared first); returns false at the end, and if the
  /// log is damaged.
  bool next(ReplayCall& call, Decisions& out);
  /// True if the bytes were something else than the log's number of callbacks.
  bool damaged() const { return damaged_; }

 private:
  const ReplayLog* log_;
  std::size_t at_ = 0;
  std::uint64_t callbacks_ = 0;
  bool damaged_ = false;
  ReplayCode state_;
};

}  // namespace harness
