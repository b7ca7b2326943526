// The cost of FLEX's decisions: a group of GPUs and 20 models under overload in virtual time. One iteration
// is one arrival and all batches that end or are preempted until the next, so the figures are upper bounds of
// the cost of an arrival.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/counted_allocations.h"
#include "harness/core/random_stream.h"
#include "systems/shepherd/flex.h"
#include "systems/shepherd/flex_decision.h"
#include "systems/shepherd/flex_model.h"
#include "systems/shepherd/flex_params.h"

namespace harness {
namespace {

/// Returns profiles of 20 models between ResNet18 and ResNeSt200 (SHEPHERD, Table 4).
std::vector<Profile> make_profiles() {
  std::vector<Profile> profiles(20);
  for (std::size_t m = 0; m < profiles.size(); ++m) {
    const double alpha_ms = 0.22 + 0.16 * static_cast<double>(m);
    const double beta_ms = 3.74 + 2.2 * static_cast<double>(m);
    for (int b = 1; b <= 128; ++b) profiles[m].latency_ns.push_back(ms_to_ns(alpha_ms * b + beta_ms));
  }
  return profiles;
}

/// The group, its visits and its clock. Preemptions take effect at once.
class Group {
 public:
  Group(int gpus, TimeNs gap_ns, TimeNs slo_spread_ns, int burst, const FlexParams& params)
      : profiles_(make_profiles()),
        gap_ns_(gap_ns),
        slo_spread_ns_(slo_spread_ns),
        burst_(burst),
        random_(1, "flex_bench"),
        gpus_(static_cast<std::size_t>(gpus)),
        flex_(params, models(profiles_)) {
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      flex_.on_worker_added(0, static_cast<WorkerId>(gpu), decisions_);
      carry_out();
    }
    for (int i = 0; i < 200'000; ++i) step();
  }

  void step() {
    if (++in_burst_ >= burst_) {
      in_burst_ = 0;
      module_ = static_cast<ModuleId>(random_.below(profiles_.size()));
      arrival_ns_ += gap_ns_ * burst_;
    }
    while (next_end_ns_ <= arrival_ns_) end_first();
    now_ = arrival_ns_;
    Visit visit;
    visit.id = take_id();
    visit.module = module_;
    visit.deadline_ns = now_ + 250 * kNsPerMs;
    if (slo_spread_ns_ > 0)
      visit.deadline_ns -= static_cast<TimeNs>(random_.below(static_cast<std::uint64_t>(slo_spread_ns_)));
    visits_[visit.id] = visit;
    flex_.on_arrival(now_, visit, decisions_);
    carry_out();
  }
  std::size_t queued() const { return flex_.queued(); }
  std::int64_t preempted() const { return preempted_; }

 private:
  struct Gpu {
    std::vector<Visit> visits;
    TimeNs end_ns = kNever;
  };

  static std::vector<FlexModel> models(const std::vector<Profile>& profiles) {
    std::vector<FlexModel> models;
    for (std::size_t m = 0; m < profiles.size(); ++m)
      models.push_back({static_cast<ModuleId>(m), &profiles[m], 128});
    return models;
  }
  VisitId take_id() {
    if (free_.empty()) {
      visits_.emplace_back();
      return static_cast<VisitId>(visits_.size() - 1);
    }
    const VisitId id = free_.back();
    free_.pop_back();
    return id;
  }
  void note_next_end() {
    next_end_ns_ = kNever;
    for (const Gpu& gpu : gpus_) next_end_ns_ = std::min(next_end_ns_, gpu.end_ns);
  }
  void end_first() {
    std::size_t first = 0;
    while (gpus_[first].end_ns != next_end_ns_) ++first;
    Gpu& gpu = gpus_[first];
    now_ = gpu.end_ns;
    for (const Visit& visit : gpu.visits) free_.push_back(visit.id);
    gpu.end_ns = kNever;
    flex_.on_completed(now_, static_cast<WorkerId>(first), decisions_);
    carry_out();
    note_next_end();
  }
  /// Carries out the decisions; FLEX adds to the list while it is read.
  void carry_out() {
    for (std::size_t i = 0; i < decisions_.list().size(); ++i) {
      const FlexDecision decision = decisions_.list()[i];
      Gpu& gpu = gpus_[decision.worker];
      switch (decision.kind) {
        case FlexDecision::Kind::kStart:
          gpu.visits.clear();
          for (const VisitId id : decisions_.visits(decision)) gpu.visits.push_back(visits_[id]);
          gpu.end_ns = now_ + profiles_[decision.module].latency(static_cast<int>(decision.count));
          note_next_end();
          break;
        case FlexDecision::Kind::kPreempt:
          ++preempted_;
          flex_.on_preempted(now_, decision.worker, gpu.visits, decisions_);
          break;
        case FlexDecision::Kind::kDrop:
          free_.push_back(decision.visit);
      }
    }
    decisions_.clear();
  }

  std::vector<Profile> profiles_;
  TimeNs gap_ns_;
  TimeNs slo_spread_ns_;
  int burst_;
  int in_burst_ = 0;
  ModuleId module_ = 0;
  RandomStream random_;
  TimeNs now_ = 0;
  TimeNs arrival_ns_ = 0;
  TimeNs next_end_ns_ = kNever;
  std::vector<Gpu> gpus_;
  std::vector<Visit> visits_;
  std::vector<VisitId> free_;
  std::int64_t preempted_ = 0;
  FlexDecisions decisions_;
  Flex flex_;
};

void run(benchmark::State& state, TimeNs slo_spread_ns, int burst, const FlexParams& params) {
  Group group(static_cast<int>(state.range(0)), state.range(1), slo_spread_ns, burst, params);
  std::int64_t queued = 0, steps = 0;
  const std::int64_t before = group.preempted(), allocated = allocations();
  for (auto _ : state) {
    group.step();
    queued += static_cast<std::int64_t>(group.queued());
    ++steps;
  }
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
  state.counters["queued"] = static_cast<double>(queued) / static_cast<double>(steps);
  state.counters["preempted_per_1k"] =
      1e3 * static_cast<double>(group.preempted() - before) / static_cast<double>(steps);
}

void equal_slos(benchmark::State& state) { run(state, 0, 1, {}); }
/// Uses SLOs from 125 to 250 ms within each model: deadlines are out of order.
void mixed_slos(benchmark::State& state) { run(state, 125 * kNsPerMs, 1, {}); }
/// Sends 300 visits of one model at a time: each burst preempts.
void bursts(benchmark::State& state) { run(state, 0, 300, {}); }
void without_preemption(benchmark::State& state) {
  FlexParams params;
  params.preempt = false;
  run(state, 0, 1, params);
}
void by_prefix(benchmark::State& state) {
  FlexParams params;
  params.batch = FlexBatch::kPrefix;
  run(state, 0, 1, params);
}

void loads(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"gpus", "gap_ns"});
  for (const std::int64_t gap_ns : {200'000, 100'000, 10'000}) bench->Args({12, gap_ns});
}

BENCHMARK(equal_slos)->Apply(loads)->Args({1, 100'000})->Args({100, 20'000});
BENCHMARK(mixed_slos)->Apply(loads);
BENCHMARK(bursts)->Apply(loads);
BENCHMARK(without_preemption)->Apply(loads);
BENCHMARK(by_prefix)->Apply(loads);

}  // namespace
}  // namespace harness
