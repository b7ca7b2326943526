// The coarse-grained plans that InferLine's evaluation compares with (section 6).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/inferline/estimator.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"
#include "systems/inferline/sample_paths.h"

namespace harness {

/// Plans the pipeline as one black box: all models run on their fastest hardware with one maximum batch size,
/// the largest with which the longest path meets the SLO (R). Its units, of one replica of each model, are as
/// many as `rate_rps` needs. Throws InputError as GreedyPlanner::initial does.
Configuration coarse_plan(const Pipeline& pipeline, const Hardware& hardware, const Estimator& estimator,
                          TimeNs slo_ns, double rate_rps);
/// Returns the queries/s that all replicas of the slowest model serve.
double throughput_rps(const Hardware& hardware, const Estimator& estimator,
                      const Configuration& configuration);
/// Returns the queries/s that one unit, a replica of each model, serves.
double unit_rps(const Hardware& hardware, const Estimator& estimator, const Configuration& configuration);
/// Returns the sample's process with all gaps `factor` times as long.
std::vector<TimeNs> stretched(std::span<const TimeNs> sample, double factor);
/// Returns the queries/s at which one unit just meets the SLO, if the sample's process is made slower or
/// faster (AutoScale: "one server carries r requests/s within the SLO"). The result is exact to 0.1 % of the
/// unit's throughput.
double unit_rate_within_slo_rps(const Pipeline& pipeline, const Hardware& hardware,
                                std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                                const Configuration& configuration, TimeNs slo_ns,
                                PathDraws draws = PathDraws::kRoute);
/// Returns the largest rate in any window of that length, in queries/s.
double peak_rate_rps(std::span<const TimeNs> sent_ns, TimeNs window_ns);

}  // namespace harness
