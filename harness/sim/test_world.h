// Small cells for tests: fixed sending times, pipelines of given latencies.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/engine/run_spec.h"
#include "harness/record/run/row_sink.h"
#include "harness/serving/test_params.h"
#include "systems/all_systems.h"

namespace harness::testing {

/// Replays a list of times.
class FixedArrivals final : public ArrivalSource {
 public:
  /// `streams` has the stream of each request; if it is empty all requests are of stream 0.
  FixedArrivals(std::vector<TimeNs> times, TimeNs duration_ns, std::vector<StreamId> streams = {})
      : times_(std::move(times)), duration_ns_(duration_ns), streams_(std::move(streams)) {
    streams_.resize(times_.size());
  }
  std::size_t next(std::span<TimeNs> out) override {
    const std::size_t count = std::min(out.size(), times_.size() - position_);
    std::copy_n(times_.begin() + static_cast<std::ptrdiff_t>(position_), count, out.begin());
    position_ += count;
    return count;
  }
  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    const std::size_t count = next(out);
    std::copy_n(streams_.begin() + static_cast<std::ptrdiff_t>(position_ - count), count, streams.begin());
    return count;
  }
  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<FixedArrivals>(times_, duration_ns_, streams_);
  }
  TimeNs duration_ns() const override { return duration_ns_; }
  double expected_requests() const override { return static_cast<double>(times_.size()); }

 private:
  std::vector<TimeNs> times_;
  TimeNs duration_ns_;
  std::vector<StreamId> streams_;
  std::size_t position_ = 0;
};

/// Returns arrivals of these requests, given as times and streams in any order.
inline std::unique_ptr<FixedArrivals> arrivals_of(std::vector<std::pair<TimeNs, StreamId>> requests,
                                                  TimeNs duration_ns) {
  std::ranges::stable_sort(requests, {}, &std::pair<TimeNs, StreamId>::first);
  std::vector<TimeNs> times;
  std::vector<StreamId> streams;
  for (const auto& [time, stream] : requests) {
    times.push_back(time);
    streams.push_back(stream);
  }
  return std::make_unique<FixedArrivals>(std::move(times), duration_ns, std::move(streams));
}

/// Converts times in ms.
inline std::vector<TimeNs> at_ms(const std::vector<double>& times_ms) {
  std::vector<TimeNs> times;
  for (const double time_ms : times_ms) times.push_back(ms_to_ns(time_ms));
  return times;
}

/// Returns the times of a Poisson process.
inline std::vector<TimeNs> poisson_times(double rate_rps, TimeNs duration_ns, std::uint64_t seed) {
  RandomStream random(seed, "test.poisson");
  std::vector<TimeNs> times;
  double at = 0;
  for (;;) {
    at += random.exponential() / rate_rps * 1e9;
    if (at >= static_cast<double>(duration_ns)) return times;
    times.push_back(static_cast<TimeNs>(at));
  }
}

/// Returns a profile in which a batch of b takes alpha x b + beta.
inline Profile linear_profile(const std::string& model, double alpha_ms, double beta_ms, int max_batch) {
  Profile profile;
  profile.model = model;
  for (int b = 1; b <= max_batch; ++b) profile.latency_ns.push_back(ms_to_ns(alpha_ms * b + beta_ms));
  return profile;
}

/// Returns a chain m0 -> m1 -> ... of `modules` modules.
inline Pipeline chain(std::size_t modules) {
  Pipeline pipeline;
  pipeline.name = "chain";
  std::vector<std::vector<std::string>> pres(modules);
  for (std::size_t i = 0; i < modules; ++i) {
    Module module;
    module.name = "m" + std::to_string(i);
    pipeline.modules.push_back(module);
    if (i > 0) pres[i] = {"m" + std::to_string(i - 1)};
  }
  link_modules(pipeline, pres, std::vector<std::vector<std::string>>(modules));
  return pipeline;
}

/// Returns m0 -> {m1, m2} -> m3.
inline Pipeline diamond() {
  Pipeline pipeline = chain(4);
  pipeline.name = "diamond";
  link_modules(pipeline, {{}, {"m0"}, {"m0"}, {"m1", "m2"}}, std::vector<std::vector<std::string>>(4));
  return pipeline;
}

/// Returns m0 -> one of {m1, m2} -> m3.
inline Pipeline diamond_of_one() {
  Pipeline pipeline = diamond();
  pipeline.name = "diamond_of_one";
  choose_one(pipeline, "m0", {}, {});
  return pipeline;
}

/// Returns a pipeline for every shape of choice: the diamond; branches of different length (m0 -> one of {m1,
/// m2 -> m3} -> m4); a choice nested in a split (m0 -> {m1, m4}, m1 -> one of {m2, m3}, all meet in m5); a
/// merge with a direct edge (m0 -> one of {m1, m2}, m1 -> m2); a choice that ends in different modules (m0 ->
/// one of {m1, m2, m3 -> m4}).
inline std::vector<Pipeline> dynamic_pipelines() {
  const auto make = [](const char* name, const std::vector<std::vector<std::string>>& pres,
                       const std::string& chooser) {
    Pipeline pipeline = chain(pres.size());
    pipeline.name = name;
    link_modules(pipeline, pres, std::vector<std::vector<std::string>>(pres.size()));
    choose_one(pipeline, chooser, {}, {});
    return pipeline;
  };
  std::vector<Pipeline> result = {diamond_of_one()};
  result.push_back(make("unequal_branches", {{}, {"m0"}, {"m0"}, {"m2"}, {"m1", "m3"}}, "m0"));
  result.push_back(make("one_in_all", {{}, {"m0"}, {"m1"}, {"m1"}, {"m0"}, {"m2", "m3", "m4"}}, "m1"));
  result.push_back(make("direct_edge", {{}, {"m0"}, {"m0", "m1"}}, "m0"));
  result.push_back(make("several_sinks", {{}, {"m0"}, {"m0"}, {"m0"}, {"m3"}}, "m0"));
  return result;
}

/// Returns a cell with fixed batch sizes and workers for each module.
inline RunSpec make_spec(const std::string& system, Pipeline pipeline, std::vector<Profile> profiles,
                         std::vector<ModuleOverride> overrides, TimeNs slo_ns, std::vector<TimeNs> times,
                         TimeNs duration_ns) {
  RunSpec spec;
  spec.pipeline = std::move(pipeline);
  spec.profiles = std::move(profiles);
  spec.slo_ns = slo_ns;
  spec.module_overrides = std::move(overrides);
  for (const ModuleOverride& module : spec.module_overrides) spec.workers += module.workers;
  --spec.workers;
  spec.system = find_system(system)->make();
  spec.arrivals = std::make_unique<FixedArrivals>(std::move(times), duration_ns);
  return spec;
}

/// Returns a fault of `gpus` GPUs from `first_gpu` on.
inline Fault fault_of(FaultKind kind, double at_ms, double for_ms, int first_gpu = 0, int gpus = 1) {
  Fault fault;
  fault.kind = kind;
  fault.at_ns = ms_to_ns(at_ms);
  fault.for_ns = ms_to_ns(for_ms);
  fault.first_gpu = first_gpu;
  fault.gpus = gpus;
  return fault;
}

/// Keeps the rows in memory.
class RowKeeper final : public RowSink {
 public:
  void requests(std::span<const RequestRow> rows) override {
    request_rows.insert(request_rows.end(), rows.begin(), rows.end());
  }
  void visits(std::span<const VisitRow> rows) override {
    visit_rows.insert(visit_rows.end(), rows.begin(), rows.end());
  }
  std::vector<RequestRow> request_rows;
  std::vector<VisitRow> visit_rows;
};

/// The facts of a visit: its module, its times, and how it ended. The request is left out, because of visits
/// that come at the same moment either may be the first.
using VisitFacts = std::tuple<std::uint16_t, TimeNs, TimeNs, TimeNs, TimeNs, int, int>;

inline std::vector<VisitFacts> facts_of(const RowKeeper& rows) {
  std::vector<VisitFacts> facts;
  for (const VisitRow& row : rows.visit_rows) {
    facts.emplace_back(row.module, row.arrived_ns, row.joined_ns, row.started_ns, row.ended_ns,
                       static_cast<int>(row.outcome), static_cast<int>(row.reason));
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

/// The systems of the shared libraries that harness-conformance tests, in addition to the project's own.
inline std::vector<SystemEntry>& added_systems() {
  static std::vector<SystemEntry> added;
  return added;
}

/// Returns every system, for tests that have it as parameter.
inline std::vector<const SystemEntry*> every_system() {
  std::vector<const SystemEntry*> result;
  for (const SystemEntry& entry : all_systems()) result.push_back(&entry);
  for (const SystemEntry& entry : added_systems()) result.push_back(&entry);
  return result;
}
inline const auto kSystemName = [](const auto& test) { return std::string(test.param->name); };

/// Sets a parameter of the cell's system. Throws std::out_of_range if the system has no such parameter or
/// refuses the value.
inline void set_param(RunSpec& spec, const std::string& name, const ParamValue& value) {
  set_params(*spec.system, {{name, value}});
}

/// Turns off the early dropping of Loki and its baselines, which drop by the budgets of their tasks whatever
/// the SLO is.
inline void without_early_dropping(RunSpec& spec) {
  ParamList list;
  spec.system->list(list);
  if (list.find("early_dropping") != nullptr) set_param(spec, "early_dropping", std::string("none"));
}

/// Limits batches to one for INFless and Symphony. If the SLO is far longer than all batches, they wait
/// longer for full batches than the watchdog of live runs waits.
inline void without_waiting_for_batches(RunSpec& spec, const std::string& system) {
  if (system != "infless" && system != "symphony") return;
  for (Profile& profile : spec.profiles) profile.latency_ns.resize(1);
}

}  // namespace harness::testing
