// What planners may be told of the load before the run.
#pragma once

#include <vector>

#include "harness/core/stream.h"
#include "harness/core/types.h"

namespace harness {

/// Sending times that planners are told before the run, in order and from 0 on. Each list belongs to a trace,
/// whose length is the `*_ns` after it.
struct PlanningTimes {
  /// Times of a trace that is like the one that is served, but not that one itself (InferLine, sections 4 and
  /// 6: the sample query trace).
  std::vector<TimeNs> sample;
  /// Stream of each entry of `sample`, if the trace has streams; else empty.
  std::vector<StreamId> sample_streams;
  TimeNs sample_ns = 0;
  /// Times of the run, for planners with perfect knowledge, to compare others with (InferLine, section 7.2).
  /// Empty if the system does not ask.
  std::vector<TimeNs> run;
  std::vector<StreamId> run_streams;  ///< stream of each entry of `run`, likewise
  TimeNs run_ns = 0;
};

}  // namespace harness
