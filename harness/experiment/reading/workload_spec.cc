#include "harness/experiment/reading/workload_spec.h"

namespace harness {

void WorkloadSpec::list(ParamList& params) {
  params
      .text_axis("pipelines", pipelines, "names of `harness list pipelines`, or paths ending in .toml",
                 "axis: what is served")
      .needed("at least one of pipelines");
  params
      .text_axis("traces", traces, "names of [trace.NAME] tables, or bare shapes",
                 "axis: request rate over time")
      .needed("at least one of traces");
  params.number_axis("loads", loads, 1e-6, 1e3,
                     "axis: offered rate, relative to the capacity that the initial plan has without the "
                     "systems' own settings");
  params
      .number_axis("rates_rps", rates_rps, 0, 1e9,
                   "axis, instead of loads: offered rate in requests/s; 0 replays a recorded trace as it "
                   "is (each time, or each bin), and streams at the rates of their classes")
      .by_default("(loads)");
  params
      .number_axis("rates_rps_per_worker", rates_rps, 1e-6, 1e6,
                   "axis, instead of loads: offered rate in requests/s for each worker of the cluster, so "
                   "that the load follows a sweep of cluster.workers")
      .by_default("(loads)");
  params.axis<std::uint64_t>(
      "seeds", seeds, "integers from 0 to 2^53", "axis: all randomness follows from it",
      [](const ParamValue& value, const InputPlace&) -> std::optional<std::uint64_t> {
        const double* seed = std::get_if<double>(&value);
        if (seed == nullptr || !(*seed >= 0 && *seed <= static_cast<double>(kLargestSeed)))
          return std::nullopt;
        const auto integer = static_cast<std::uint64_t>(*seed);
        return static_cast<double>(integer) == *seed ? std::optional(integer) : std::nullopt;
      },
      [](std::uint64_t seed) { return std::to_string(seed); });
  params.number_axis("slo_ms", slo_ms, 1e-3, 1e7, "axis: end-to-end latency objective")
      .by_default("the pipeline's");
  params
      .number_axis("slo_factors", slo_factors, 1, 1e6,
                   "axis, instead of slo_ms: latency objective as a multiple of the shortest service "
                   "time: the longest path of batches of one, each model on its fastest kind of device; "
                   "of pipelines with one entry and no tasks")
      .by_default("(slo_ms)");
  params
      .other("duration_s", "a number from 0 to 1e+09", "duration_s of every trace that does not set its own")
      .by_default("60");
}

}  // namespace harness
