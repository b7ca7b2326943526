// The streams of a trace of shape streams.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/stream.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/class_population.h"

namespace harness {

/// All classes of a trace. Immutable once made; shared by the sources of its requests.
///
/// Rates depend only on the classes and their `population`, not on a seed. If target_rps is 0, the expected
/// requests of the run are `rps` x duration for each class; else all rates are multiplied so that their sum
/// is target_rps x duration.
class StreamPopulation {
 public:
  /// Reads the trace's file if it has one. Throws InputError for a target rate with bursts or recorded
  /// requests, which cannot be scaled; for recorded requests of a module without a class; for a class without
  /// requests in the run; for too many minutes; and as the file's reader does.
  StreamPopulation(const TraceSpec& spec, double target_rps);
  StreamPopulation(const StreamPopulation&) = delete;  // classes refer to what the file has
  StreamPopulation& operator=(const StreamPopulation&) = delete;

  const std::vector<ClassPopulation>& classes() const { return classes_; }
  TimeNs duration_ns() const { return duration_ns_; }
  double expected_requests() const;
  /// Returns one line if recorded requests come after the run, else nothing.
  std::vector<std::string> remarks() const;
  std::size_t streams() const;
  /// Returns the mean rate over the run of each stream, class after class.
  std::vector<double> mean_rps() const;

 private:
  TimeNs duration_ns_;
  FunctionMinutes functions_;
  std::map<std::string, std::vector<TimeNs>> times_;  ///< recorded requests by module
  std::vector<ClassPopulation> classes_;
};

/// Returns the streams in a pipeline, each with its entry, SLO and mean rate. A class without a module goes
/// to the entries in turn; its SLOs change when all entries have had a stream. Throws InputError if a class
/// names a module that is no entry.
std::vector<Stream> streams_of(const StreamPopulation& population, const Pipeline& pipeline, TimeNs slo_ns);

}  // namespace harness
