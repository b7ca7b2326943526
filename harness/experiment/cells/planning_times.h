// What systems are told of the load before a run that plan by a sample of it.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/core/error.h"
#include "harness/serving/context.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/stream_arrivals.h"

namespace harness {

/// The load of a cell.
struct PlanningLoad {
  TraceSpec trace;
  std::shared_ptr<const StreamPopulation> population;  ///< of streams; null: one load
  double target_rps = 0;
  std::uint64_t seed = 1;
};

/// The sample of a load (make_sample; of streams the same population by another seed) and, with `foresight`,
/// what the run will send. Throws InputError as make_sample, and at `duration` where there are too many
/// requests to keep.
PlanningTimes planning_times(const PlanningLoad& load, bool foresight, const InputPlace& duration);

}  // namespace harness
