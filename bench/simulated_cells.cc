#include "bench/simulated_cells.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/serving/sizing_planner.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

/// Poisson arrivals of streams of equal rates.
class PoissonStreams final : public ArrivalSource {
 public:
  PoissonStreams(double rate_rps, std::size_t streams, TimeNs duration_ns)
      : rate_rps_(rate_rps), count_(streams), duration_ns_(duration_ns) {}
  std::size_t next(std::span<TimeNs> out) override {
    std::vector<StreamId> streams(out.size());
    return next(out, streams);
  }
  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      at_s_ += random_.exponential() / rate_rps_;
      out[i] = s_to_ns(at_s_);
      if (out[i] >= duration_ns_) return i;
      streams[i] = static_cast<StreamId>(random_.below(count_));
    }
    return out.size();
  }
  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<PoissonStreams>(rate_rps_, count_, duration_ns_);
  }
  TimeNs duration_ns() const override { return duration_ns_; }
  double expected_requests() const override { return rate_rps_ * ns_to_s(duration_ns_); }

 private:
  double rate_rps_;
  std::size_t count_;
  TimeNs duration_ns_;
  RandomStream random_{1, "simulation_bench"};
  double at_s_ = 0;
};

}  // namespace

RunSpec make_lv_cell(const char* system, int workers, double duration_s) {
  RunSpec spec;
  spec.pipeline = load_pipeline("lv");
  const ProfileSet set = load_profiles("shepherd-v100");
  for (const Module& module : spec.pipeline.modules)
    spec.profiles.push_back(scaled(set.profiles.at(module.model), 3));
  spec.slo_ns = spec.pipeline.slo_ns;
  spec.workers = workers;
  spec.system = find_system(system)->make();
  TraceSpec trace;
  trace.name = trace.shape = "tweet";
  trace.duration_s = duration_s * 64 / workers;
  const double capacity = capacity_rps(make_context(spec), initial_plan(spec, 1000));
  spec.arrivals = make_arrivals(trace, capacity, 1);
  return spec;
}

RunSpec make_chain_cell(const char* system, int modules, double requests) {
  constexpr int kWorkersEach = 8;
  RunSpec spec;
  spec.pipeline.name = "chain";
  const Profile profile = load_profiles("shepherd-v100").profiles.at("resnet50");
  for (int m = 0; m < modules; ++m) {
    Module module;
    module.name = "m" + std::to_string(m);
    module.model = "resnet50";
    if (m > 0) module.pres = {static_cast<ModuleId>(m - 1)};
    if (m + 1 < modules) module.subs = {static_cast<ModuleId>(m + 1)};
    spec.pipeline.modules.push_back(std::move(module));
    spec.profiles.push_back(profile);
  }
  spec.slo_ns = modules * 4 * profile.latency(profile.max_batch());
  spec.workers = modules * kWorkersEach;
  spec.system = find_system(system)->make();
  const double rate_rps = 0.9 * kWorkersEach * best_throughput_rps(profile, profile.max_batch());
  spec.arrivals = std::make_unique<PoissonStreams>(rate_rps, 1, s_to_ns(requests / rate_rps));
  return spec;
}

RunSpec make_group_cell(std::size_t streams, double load, double requests) {
  RunSpec spec;
  spec.pipeline.name = "shepherd13";
  const ProfileSet set = load_profiles("shepherd-v100");
  double gpu_s = 0;  // GPU time of a request, on average, at the best batch sizes
  for (const char* model :
       {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnest50", "resnest101", "resnest200",
        "resnest269", "densenet121", "densenet161", "densenet169", "densenet201"}) {
    Module module;
    module.name = module.model = model;
    spec.pipeline.modules.push_back(std::move(module));
    spec.profiles.push_back(set.profiles.at(model));
    gpu_s += 1 / best_throughput_rps(spec.profiles.back(), spec.profiles.back().max_batch()) / 13;
  }
  for (std::size_t s = 0; s < streams; ++s) {
    const auto entry = static_cast<ModuleId>(s % spec.profiles.size());
    spec.streams.push_back({entry, std::max(ms_to_ns(250), 3 * spec.profiles[entry].latency(1)), 0});
    spec.slo_ns = std::max(spec.slo_ns, spec.streams.back().slo_ns);
  }
  spec.workers = 12;
  spec.system = find_system("shepherd")->make();
  const double rate_rps = load * spec.workers / gpu_s;
  spec.arrivals = std::make_unique<PoissonStreams>(rate_rps, streams, s_to_ns(requests / rate_rps));
  return spec;
}

}  // namespace harness
