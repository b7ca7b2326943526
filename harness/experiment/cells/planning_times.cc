#include "harness/experiment/cells/planning_times.h"

namespace harness {
namespace {

std::vector<TimeNs> times_of(const ArrivalSource& source, const std::string& trace,
                             const InputPlace& duration) {
  constexpr double kMaxRequests = 2e7;  // a planner keeps more of each
  if (source.expected_requests() > kMaxRequests)
    throw input_error(
        duration,
        text_of(source.expected_requests()) + " requests of trace " + trace + ", by which is planned",
        "at most " + text_of(kMaxRequests));
  std::vector<TimeNs> times;
  times.reserve(static_cast<std::size_t>(source.expected_requests()));
  for (ArrivalCursor cursor(source.restarted()); cursor.next_ns() != kNever; cursor.advance())
    times.push_back(cursor.next_ns());
  return times;
}

}  // namespace

PlanningTimes planning_times(const PlanningLoad& load, bool foresight, const InputPlace& duration) {
  PlanningTimes planning;
  const std::unique_ptr<ArrivalSource> sample = make_sample(load.trace, load.target_rps, load.seed);
  planning.sample = times_of(*sample, load.trace.name, duration);
  planning.sample_ns = sample->duration_ns();
  if (foresight) {
    const std::unique_ptr<ArrivalSource> run = make_arrivals(load.trace, load.target_rps, load.seed);
    planning.run = times_of(*run, load.trace.name, duration);
    planning.run_ns = run->duration_ns();
  }
  return planning;
}

}  // namespace harness
