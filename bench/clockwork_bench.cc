// The cost of Clockwork's decisions: all workers and 13 models before one scheduler, in virtual time. One
// iteration is one arrival and all batches that start and end until the next, so the figures are the whole
// cost of an arrival.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/counted_allocations.h"
#include "harness/core/random_stream.h"
#include "systems/clockwork/central_scheduler.h"

namespace harness {
namespace {

/// The first 13 models of SHEPHERD, Table 4: alpha and beta, ms.
constexpr double kModels[][2] = {{0.22, 3.74},  {0.38, 5.78},  {0.75, 7.96},  {1.25, 13.57}, {1.77, 18.98},
                                 {1.18, 15.39}, {1.91, 29.21}, {3.35, 45.43}, {4.37, 74.20}, {0.69, 19.96},
                                 {1.74, 23.10}, {0.83, 27.47}, {1.12, 32.33}};

std::vector<Profile> make_profiles() {
  std::vector<Profile> profiles;
  for (const auto& [alpha_ms, beta_ms] : kModels) {
    profiles.emplace_back();
    for (int b = 1; b <= 128; ++b) profiles.back().latency_ns.push_back(ms_to_ns(alpha_ms * b + beta_ms));
  }
  return profiles;
}

/// The cluster, its visits and its clock.
class Cluster {
 public:
  /// Makes the cluster; `rps` is arrivals/s per worker, Poisson over all of them.
  Cluster(int workers, double rps, const ClockworkParams& params)
      : profiles_(make_profiles()),
        gap_s_(1 / (rps * workers)),
        random_(1, "clockwork_bench"),
        workers_(static_cast<std::size_t>(workers)),
        central_(params, models(profiles_, params.max_batch), true) {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      central_.on_worker_added(static_cast<WorkerId>(worker));
      central_.on_worker_free(0, static_cast<WorkerId>(worker), out_);
      carry_out();
    }
    for (int i = 0; i < 200'000; ++i) step();
  }

  void step() {
    arrival_ns_ += s_to_ns(random_.exponential() * gap_s_);
    run_until(arrival_ns_);
    now_ = arrival_ns_;
    Visit visit;
    visit.id = take_id();
    visit.module = static_cast<ModuleId>(random_.below(profiles_.size()));
    visit.deadline_ns = now_ + 250 * kNsPerMs;
    module_of_[visit.id] = visit.module;
    central_.on_arrival(now_, visit, out_);
    carry_out();
  }
  std::size_t queued() const { return central_.queued(); }
  std::int64_t batches() const { return batches_; }
  std::int64_t served() const { return served_; }

 private:
  struct Worker {
    std::vector<BatchVisit> running;
    std::vector<BatchVisit> forming;
    ModuleId module = 0;
    TimeNs started_ns = 0;
  };

  static std::vector<ClockworkModel> models(const std::vector<Profile>& profiles, int max_batch) {
    std::vector<ClockworkModel> models;
    for (const Profile& profile : profiles)
      models.push_back({static_cast<ModuleId>(models.size()), &profile, max_batch});
    return models;
  }
  VisitId take_id() {
    if (free_.empty()) {
      module_of_.push_back(0);
      return static_cast<VisitId>(module_of_.size() - 1);
    }
    const VisitId id = free_.back();
    free_.pop_back();
    return id;
  }

  void run_until(TimeNs end_ns) {
    for (;;) {
      const TimeNs end_of_batch_ns = ends_.empty() ? kNever : ends_.top().first;
      if (end_of_batch_ns > end_ns && timer_ns_ > end_ns) return;
      if (timer_ns_ < end_of_batch_ns) {
        now_ = timer_ns_;
        timer_ns_ = kNever;
        central_.on_timer(now_, out_);
      } else {
        now_ = end_of_batch_ns;
        const WorkerId worker = ends_.top().second;
        ends_.pop();
        end(worker);
      }
      carry_out();
    }
  }
  BatchView view(WorkerId id) const {
    const Worker& worker = workers_[id];
    return {id, worker.module, worker.started_ns, 0, worker.running};
  }
  void end(WorkerId id) {
    Worker& worker = workers_[id];
    BatchView batch = view(id);
    batch.ended_ns = now_;
    central_.on_batch_done(batch);
    served_ += static_cast<std::int64_t>(worker.running.size());
    for (const BatchVisit& visit : worker.running) free_.push_back(visit.id);
    worker.running.clear();
    if (worker.forming.empty()) {
      central_.on_worker_free(now_, id, out_);
    } else {
      start(id);
    }
  }
  void start(WorkerId id) {
    Worker& worker = workers_[id];
    worker.running.swap(worker.forming);
    worker.module = module_of_[worker.running.front().id];
    worker.started_ns = now_;
    ++batches_;
    ends_.emplace(now_ + profiles_[worker.module].latency(static_cast<int>(worker.running.size())), id);
    central_.on_batch_started(now_, view(id), out_);
  }
  /// Carries out the decisions; a start adds to the list while it is read.
  void carry_out() {
    for (std::size_t i = 0; i < out_.list().size(); ++i) {
      const Decision decision = out_.list()[i];
      if (decision.kind == Decision::Kind::kDrop) {
        free_.push_back(decision.visit_or_first);
      } else if (decision.kind == Decision::Kind::kJoin) {
        workers_[decision.worker_or_count].forming.push_back({decision.visit_or_first, 0, 0});
      } else if (decision.kind == Decision::Kind::kWakeAt) {
        timer_ns_ = std::min(timer_ns_, decision.at_ns);
      } else if (workers_[decision.worker_or_count].running.empty()) {
        start(decision.worker_or_count);
      }
    }
    out_.clear();
  }

  std::vector<Profile> profiles_;
  double gap_s_;
  RandomStream random_;
  TimeNs now_ = 0;
  TimeNs arrival_ns_ = 0;
  TimeNs timer_ns_ = kNever;
  std::vector<Worker> workers_;
  std::priority_queue<std::pair<TimeNs, WorkerId>, std::vector<std::pair<TimeNs, WorkerId>>, std::greater<>>
      ends_;
  std::vector<ModuleId> module_of_;  ///< module of each visit
  std::vector<VisitId> free_;
  std::int64_t batches_ = 0;
  std::int64_t served_ = 0;
  Decisions out_;
  CentralScheduler central_;
};

/// Returns the cluster of a case. A case is run several times, each with more iterations: one cluster, filled
/// once, serves them all.
Cluster& cluster_of(const benchmark::State& state, const ClockworkParams& params) {
  const auto rules = [](const ClockworkParams& of) { return std::tuple(of.max_batch, of.sizes, of.stale); };
  const auto key = std::tuple(state.range(0), state.range(1), rules(params));
  static auto held_key = std::tuple(std::int64_t{0}, std::int64_t{0}, rules(params));
  static std::unique_ptr<Cluster> held;
  if (held == nullptr || key != held_key) {
    held_key = key;
    held = std::make_unique<Cluster>(static_cast<int>(state.range(0)), static_cast<double>(state.range(1)),
                                     params);
  }
  return *held;
}

void run(benchmark::State& state, const ClockworkParams& params) {
  Cluster& cluster = cluster_of(state, params);
  std::int64_t steps = 0, queued = 0;
  const std::int64_t batches = cluster.batches(), served = cluster.served(), allocated = allocations();
  for (auto _ : state) {
    cluster.step();
    queued += static_cast<std::int64_t>(cluster.queued());
    ++steps;
  }
  const auto share = [steps](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(steps);
  };
  state.counters["allocations"] = static_cast<double>(allocations() - allocated);
  state.counters["queued"] = share(queued);
  state.counters["batches"] = share(cluster.batches() - batches);
  state.counters["served"] = share(cluster.served() - served);
}

void arrival(benchmark::State& state) { run(state, {}); }
void refreshed(benchmark::State& state) {
  ClockworkParams params;
  params.stale = ClockworkStale::kRefresh;
  run(state, params);
}
void batches_of_128_of_all_sizes(benchmark::State& state) {
  ClockworkParams params;
  params.max_batch = 128;
  params.sizes = ClockworkSizes::kAll;
  run(state, params);
}

/// Sets the sizes and rates: 250 requests/s per worker are served in time, 2,000 are an overload.
void clusters(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"workers", "rps_each"});
  for (const std::int64_t rps : {250, 2'000}) {
    for (const std::int64_t workers : {12, 100, 200, 400}) bench->Args({workers, rps});
  }
}

BENCHMARK(arrival)->Apply(clusters);
BENCHMARK(refreshed)->Apply(clusters);
BENCHMARK(batches_of_128_of_all_sizes)->Apply(clusters);

}  // namespace
}  // namespace harness
