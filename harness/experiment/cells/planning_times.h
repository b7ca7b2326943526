// The load as systems know it before a run if they plan by a sample of it.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/core/input_error.h"
#include "harness/serving/planning_times.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/stream_arrivals.h"

namespace harness {

/// The load of a cell.
struct PlanningLoad {
  TraceSpec trace;
  std::shared_ptr<const StreamPopulation> population;  ///< population of the streams; null: a single load
  double target_rps = 0;
  std::uint64_t seed = 1;
};

/// Returns the sample of a load (make_sample(), or for streams the same population with another seed) and,
/// with `foresight`, the requests that the run will send. Throws InputError as make_sample() does, and at
/// `duration` if there are too many requests to keep.
PlanningTimes planning_times(const PlanningLoad& load, bool foresight, const InputPlace& duration);

}  // namespace harness
