// The cost of Symphony's decisions on one core: nexuslb's stress test, identical models of 1.082 b + 5.204 ms
// under 100 ms with exponential gaps. A run in virtual time notes every call of the scheduler; the calls are
// then made again to a new scheduler, so that only the scheduler is measured. An item is a request:
// items_per_second is the rate that one core can schedule, and its inverse the cost of a request with its
// share of batches and timers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "bench/counted_allocations.h"
#include "harness/core/random_stream.h"
#include "systems/symphony/deferred_scheduler.h"

namespace harness {
namespace {

constexpr TimeNs kSloNs = 100 * kNsPerMs;
constexpr int kRequests = 2'000'000;

struct Call {
  enum class Kind : std::uint8_t { kArrival, kFree, kTimer };
  Kind kind = Kind::kTimer;
  ModuleId module = 0;
  std::uint32_t subject = 0;  ///< number of the visit or worker
  TimeNs now = 0;
};

void make(const Call& call, DeferredScheduler& scheduler, Decisions& out) {
  if (call.kind == Call::Kind::kFree) return scheduler.on_worker_free(call.now, call.subject, out);
  if (call.kind == Call::Kind::kTimer) return scheduler.on_timer(call.now, out);
  Visit visit;
  visit.id = call.subject;
  visit.module = call.module;
  visit.deadline_ns = call.now + kSloNs;
  scheduler.on_arrival(call.now, visit, out);
}

/// Models that are all the same.
class Models {
 public:
  explicit Models(std::int64_t count) {
    for (int b = 1; b <= 128; ++b) profile_.latency_ns.push_back(ms_to_ns(1.082 * b + 5.204));
    for (std::int64_t m = 0; m < count; ++m)
      list_.push_back({static_cast<ModuleId>(m), &profile_, 128, kSloNs});
  }
  DeferredScheduler scheduler() const { return {SymphonyParams{}, list_}; }
  ModuleId any(RandomStream& random) const { return static_cast<ModuleId>(random.below(list_.size())); }
  TimeNs latency(std::uint32_t batch) const { return profile_.latency(static_cast<int>(batch)); }

 private:
  Profile profile_;
  std::vector<SymphonyModel> list_;
};

/// The calls of a run, and the outcome of its requests.
struct Log {
  std::vector<Call> calls;
  std::int64_t batches = 0;
  std::int64_t dropped = 0;
};

/// The cluster and its clock.
class Run {
 public:
  Run(const Models& models, std::int64_t workers, double rps)
      : models_(models), scheduler_(models.scheduler()) {
    for (std::int64_t worker = 0; worker < workers; ++worker)
      call({Call::Kind::kFree, 0, static_cast<std::uint32_t>(worker), 0});
    batch_.resize(static_cast<std::size_t>(workers));
    RandomStream random(1, "symphony_bench");
    TimeNs arrival_ns = 0;
    for (int i = 0; i < kRequests; ++i) {
      arrival_ns += s_to_ns(random.exponential() / rps);
      run_until(arrival_ns);
      call({Call::Kind::kArrival, models.any(random), take_id(), arrival_ns});
    }
  }
  Log take() { return std::move(log_); }

 private:
  std::uint32_t take_id() {
    if (free_.empty()) return ids_++;
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void run_until(TimeNs until_ns) {
    for (;;) {
      const TimeNs end_ns = ends_.empty() ? kNever : ends_.top().first;
      if (std::min(end_ns, timer_ns_) > until_ns) return;
      if (timer_ns_ < end_ns) {
        call({Call::Kind::kTimer, 0, 0, std::exchange(timer_ns_, kNever)});
      } else {
        const std::uint32_t worker = ends_.top().second;
        ends_.pop();
        call({Call::Kind::kFree, 0, worker, end_ns});
      }
    }
  }
  void call(const Call& call) {
    log_.calls.push_back(call);
    make(call, scheduler_, out_);
    for (const Decision& decision : out_.list()) {
      if (decision.kind == Decision::Kind::kWakeAt) {
        timer_ns_ = std::min(timer_ns_, decision.at_ns);
      } else if (decision.kind == Decision::Kind::kJoin) {
        ++batch_[decision.worker_or_count];
        free_.push_back(decision.visit_or_first);
      } else if (decision.kind == Decision::Kind::kDrop) {
        ++log_.dropped;
        free_.push_back(decision.visit_or_first);
      } else {
        const std::uint32_t worker = decision.worker_or_count;
        ends_.emplace(call.now + models_.latency(std::exchange(batch_[worker], 0)), worker);
        ++log_.batches;
      }
    }
    out_.clear();
  }

  const Models& models_;
  DeferredScheduler scheduler_;
  Decisions out_;
  Log log_;
  TimeNs timer_ns_ = kNever;
  std::vector<std::uint32_t> batch_;  ///< number of visits that have joined, by worker
  std::priority_queue<std::pair<TimeNs, std::uint32_t>, std::vector<std::pair<TimeNs, std::uint32_t>>,
                      std::greater<>>
      ends_;
  std::vector<std::uint32_t> free_;
  std::uint32_t ids_ = 0;
};

void stress(benchmark::State& state) {
  const Models models(state.range(0));
  const Log log = Run(models, state.range(1), static_cast<double>(state.range(1) * state.range(2))).take();
  Decisions out;
  std::int64_t allocated = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto scheduler = std::make_unique<DeferredScheduler>(models.scheduler());
    state.ResumeTiming();
    for (std::size_t i = 0; i < log.calls.size(); ++i) {
      if (i == log.calls.size() / 2) allocated = allocations();
      make(log.calls[i], *scheduler, out);
      benchmark::DoNotOptimize(out.list().data());
      out.clear();
    }
    allocated = allocations() - allocated;
  }
  state.SetItemsProcessed(state.iterations() * kRequests);
  state.counters["allocations"] = static_cast<double>(allocated);  // allocations in the second half
  state.counters["calls"] = static_cast<double>(log.calls.size()) / kRequests;
  state.counters["batches"] = static_cast<double>(log.batches) / kRequests;
  state.counters["dropped"] = static_cast<double>(log.dropped) / kRequests;
}

/// Sets the sizes and rates: 600 requests/s per worker are served in time, 1,200 are an overload.
void clusters(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"models", "workers", "rps_each"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t rps : {600, 1'200}) {
    for (const auto& [models, workers] :
         {std::pair(1, 8), {20, 100}, {100, 1'000}, {500, 1'000}, {500, 4'000}})
      bench->Args({models, workers, rps});
  }
}

BENCHMARK(stress)->Apply(clusters);

}  // namespace
}  // namespace harness
