#include "harness/experiment/cells/planning_times.h"

#include "harness/core/random_stream.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

void read_times(const ArrivalSource& source, const PlanningLoad& load, const InputPlace& duration,
                std::vector<TimeNs>& times, std::vector<StreamId>& streams) {
  constexpr double kMaxRequests = 2e7;  // for each request a planner keeps more than its time
  if (source.expected_requests() > kMaxRequests)
    throw input_error(duration,
                      text_of(source.expected_requests()) + " requests of trace " + load.trace.name +
                          ", by which is planned",
                      "at most " + text_of(kMaxRequests));
  times.reserve(static_cast<std::size_t>(source.expected_requests()));
  for (ArrivalCursor cursor(source.restarted()); cursor.next_ns() != kNever; cursor.advance()) {
    times.push_back(cursor.next_ns());
    if (load.population) streams.push_back(cursor.next_stream());
  }
}

std::unique_ptr<ArrivalSource> sample_of(const PlanningLoad& load) {
  if (!load.population) return make_sample(load.trace, load.target_rps, load.seed);
  for (const ClassPopulation& one : load.population->classes()) {
    if (one.spec().process == StreamProcess::kRecorded)
      throw input_error(place_of_field(one.spec(), "process"),
                        "recorded requests with a system that plans by a sample: it would be the load itself",
                        "another process, or a system without a sample");
  }
  return make_stream_arrivals(load.population, RandomStream(load.seed, "planning sample").bits());
}

}  // namespace

PlanningTimes planning_times(const PlanningLoad& load, bool foresight, const InputPlace& duration) {
  PlanningTimes planning;
  const std::unique_ptr<ArrivalSource> sample = sample_of(load);
  read_times(*sample, load, duration, planning.sample, planning.sample_streams);
  planning.sample_ns = sample->duration_ns();
  if (foresight) {
    const std::unique_ptr<ArrivalSource> run = load.population
                                                   ? make_stream_arrivals(load.population, load.seed)
                                                   : make_arrivals(load.trace, load.target_rps, load.seed);
    read_times(*run, load, duration, planning.run, planning.run_streams);
    planning.run_ns = run->duration_ns();
  }
  return planning;
}

}  // namespace harness
