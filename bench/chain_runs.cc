#include "bench/chain_runs.h"

#include <algorithm>
#include <cmath>

#include "harness/core/check.h"
#include "harness/core/hash.h"
#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"
#include "harness/engine/run_spec.h"
#include "harness/record/run/arrival_variation.h"
#include "harness/sim/simulation.h"
#include "systems/naive/naive.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

constexpr double kRateRps = 100;  ///< rate of arrivals; only its ratio to the stages' times matters
constexpr double kWarmUp = 0.1;   ///< share of the load's length that is not measured
constexpr double kJitterFraction = 0.3;

/// The times at which visits reached each module.
class ArrivalTimes final : public RowSink {
 public:
  explicit ArrivalTimes(std::size_t modules) : by_module_(modules) {}
  void requests(std::span<const RequestRow>) override {}
  void visits(std::span<const VisitRow> rows) override {
    for (const VisitRow& row : rows) by_module_[row.module].push_back(row.arrived_ns);
  }
  /// Sets the rate and the CV of the visits that reached the module from `from_ns` on and before `to_ns`.
  void measure(ModuleId module, TimeNs from_ns, TimeNs to_ns, StageFeatures& stage) {
    std::vector<TimeNs>& times = by_module_[module];
    std::ranges::sort(times);
    GapTotals gaps;
    const auto end = std::ranges::lower_bound(times, to_ns);
    for (auto at = std::ranges::lower_bound(times, from_ns); at != end && at + 1 != end; ++at) {
      const TimeNs gap_ns = at[1] - at[0];
      ++gaps.count;
      gaps.sum_ns += gap_ns;
      gaps.squares_ns2 += static_cast<double>(gap_ns) * static_cast<double>(gap_ns);
    }
    stage.rate_rps = static_cast<double>(gaps.count) / ns_to_s(to_ns - from_ns);
    stage.arrival_cv = variation_of(gaps);
  }

 private:
  std::vector<std::vector<TimeNs>> by_module_;
};

double service_cv(Jitter jitter) {
  switch (jitter) {
    case Jitter::kOff:
      return 0;
    case Jitter::kUniform:
      return kJitterFraction / std::sqrt(3.0);
    case Jitter::kExponential:
      return 1;
  }
  return 0;
}

ChainRun draw(const ChainRuns& runs, std::size_t index) {
  RandomStream random(runs.seed, "quart.weights." + runs.name, index);
  ChainRun run;
  run.input_cv = 0.1 * portable_exp(portable_log(80) * random.uniform());
  run.jitter = static_cast<Jitter>(index % 3);
  run.service_cv = service_cv(run.jitter);
  const bool alike = random.below(2) == 0;
  run.stages.resize(runs.stages > 0 ? static_cast<std::size_t>(runs.stages) : 2 + random.below(9));
  for (StageFeatures& stage : run.stages) {
    const double load = 0.2 + 0.75 * random.uniform();
    stage.replicas = 1 + static_cast<int>(random.below(8));
    stage.service_s = load * stage.replicas / kRateRps;
    if (alike) stage = run.stages.front();
  }
  return run;
}

RunSpec spec_of(const ChainRuns& runs, const ChainRun& run, std::size_t index) {
  RunSpec spec;
  spec.pipeline = chain_pipeline(run.stages.size());
  spec.workers = 0;
  for (const StageFeatures& stage : run.stages) {
    Profile profile;
    profile.latency_ns = {s_to_ns(stage.service_s)};
    spec.profiles.push_back(std::move(profile));
    spec.module_overrides.push_back({1, stage.replicas});
    spec.workers += stage.replicas;
  }
  spec.slo_ns = s_to_ns(1e6);  // without effect: the naive system drops nothing
  spec.seed = mix64(runs.seed ^ mix64(hash_text(runs.name) + index));
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.jitter = run.jitter;
  spec.world.jitter_fraction = kJitterFraction;
  spec.system = make_naive();
  TraceSpec trace;
  trace.name = trace.shape = "gamma";
  trace.cv = run.input_cv;
  trace.duration_s = runs.requests / kRateRps;
  spec.arrivals = make_arrivals(trace, kRateRps, spec.seed);
  return spec;
}

}  // namespace

Pipeline chain_pipeline(std::size_t stages) {
  Pipeline pipeline;
  pipeline.name = "chain";
  std::vector<std::vector<std::string>> pres(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    Module module;
    module.name = "stage-" + std::to_string(i);
    if (i > 0) pres[i] = {pipeline.modules.back().name};
    pipeline.modules.push_back(std::move(module));
  }
  const std::string wrong = link_modules(pipeline, pres, std::vector<std::vector<std::string>>(stages));
  HARNESS_CHECK(wrong.empty(), "the chain is no pipeline");
  return pipeline;
}

std::vector<ChainRun> simulate_chains(const ChainRuns& runs) {
  std::vector<ChainRun> result;
  for (std::size_t index = 0; index < runs.count; ++index) {
    ChainRun run = draw(runs, index);
    const RunSpec spec = spec_of(runs, run, index);
    ArrivalTimes times(run.stages.size());
    simulate(spec, &times);
    const TimeNs to_ns = spec.arrivals->duration_ns();
    const auto from_ns = static_cast<TimeNs>(kWarmUp * static_cast<double>(to_ns));
    bool known = true;
    for (ModuleId m = 0; m < run.stages.size(); ++m) {
      times.measure(m, from_ns, to_ns, run.stages[m]);
      known = known && run.stages[m].arrival_cv > 0;
    }
    if (known) result.push_back(std::move(run));
  }
  return result;
}

}  // namespace harness
