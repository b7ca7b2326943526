// The live runtime's generator and clocks. `schedule_lag/...` sends Poisson load in real time, with nothing
// else to do: it gives p50, p99 and max of its schedule lag in us, and the share of a core that it takes.
// Only numbers from an idle machine mean anything.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>

#include "harness/core/random_stream.h"
#include "harness/live/run/load_generator.h"
#include "harness/live/transport/clock_offset.h"
#include "harness/live/transport/wake_socket.h"
#include "harness/machine/pinned_thread.h"
#include "harness/machine/precise_wait.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

std::unique_ptr<ArrivalSource> poisson(double rate_rps, double duration_s) {
  TraceSpec trace;
  trace.name = trace.shape = "poisson";
  trace.duration_s = duration_s;
  return make_arrivals(trace, rate_rps, 1);
}

/// Measures the generator's cost for a request: its time is drawn, its schedule lag kept, and with
/// `read_clock` the clock is read too.
void generator_cost(benchmark::State& state, bool read_clock) {
  constexpr double kRateRps = 1e4;
  constexpr double kEndlessS = 1e6;
  LoadGenerator generator(poisson(kRateRps, kEndlessS));
  RandomStream random(1, "live_bench");
  const TimeNs began = steady_ns();
  LoadGenerator::DueRequest due;
  for (auto _ : state) {
    const auto late_ns = static_cast<TimeNs>(random.bits() & 0xffff);
    TimeNs now = generator.next_send_ns() + late_ns;
    if (read_clock) now += (steady_ns() - began) & 1;
    benchmark::DoNotOptimize(generator.take(now, due));
    benchmark::DoNotOptimize(due);
  }
  state.SetItemsProcessed(state.iterations());
}

/// The way in which the generator waits.
enum class Wait { kSleep, kSocket, kSpin, kSpinPinned };

/// Sends load in real time, as a loop with nothing else to do would, and returns the generator.
LoadGenerator send_in_real_time(double rate_rps, double duration_s, Wait wait) {
  std::optional<PinnedThread> pinned;
  if (wait == Wait::kSpinPinned) pinned.emplace(allowed_cores().back());
  std::optional<WakeSocket> socket;
  if (wait == Wait::kSocket) socket.emplace(0, random_token(), true);
  const WaitParams params{wait == Wait::kSpin || wait == Wait::kSpinPinned};
  set_timer_slack();
  LoadGenerator generator(poisson(rate_rps, duration_s));
  const TimeNs began = steady_ns() + 10 * kNsPerMs;
  LoadGenerator::DueRequest due;
  while (!generator.done()) {
    const TimeNs deadline = began + generator.next_send_ns();
    if (socket) {
      socket->sleep(deadline, kNsPerS);
    } else {
      precise_wait(deadline, params);
    }
    while (generator.take(steady_ns() - began, due)) benchmark::DoNotOptimize(due);
  }
  return generator;
}

void schedule_lag(benchmark::State& state, Wait wait) {
  const auto rate_rps = static_cast<double>(state.range(0));
  const auto duration_s = static_cast<double>(state.range(1));
  const auto us = [](TimeNs ns) { return static_cast<double>(ns) / static_cast<double>(kNsPerUs); };
  for (auto _ : state) {
    const LoadGenerator generator = send_in_real_time(rate_rps, duration_s, wait);
    state.counters["p50_us"] = us(generator.schedule_lag().quantile(0.5));
    state.counters["p99_us"] = us(generator.schedule_lag().quantile(0.99));
    state.counters["max_us"] = us(generator.max_schedule_lag_ns());
    state.counters["requests"] = static_cast<double>(generator.sent());
  }
}

/// Returns a rank's clock after 8 bursts.
ClockOffset measured_clock() {
  ClockOffset clock;
  for (int burst = 0; burst < 8; ++burst) {
    const TimeNs at = burst * 10 * kNsPerS;
    clock.add(at, at + 123'456'789 + burst * 50'000, at + 40'000);
    clock.end_burst(at + 50'000);
  }
  return clock;
}

void clock_to_rank0(benchmark::State& state) {
  const ClockOffset clock = measured_clock();
  TimeNs now = 71 * kNsPerS;
  for (auto _ : state) benchmark::DoNotOptimize(clock.to_rank0(now += 1'000));
}

void clock_to_local(benchmark::State& state) {
  const ClockOffset clock = measured_clock();
  TimeNs now = 72 * kNsPerS;
  for (auto _ : state) benchmark::DoNotOptimize(clock.to_local(now += 1'000));
}

void clock_end_burst(benchmark::State& state) {
  ClockOffset clock = measured_clock();
  TimeNs at = 70 * kNsPerS;
  for (auto _ : state) {
    at += 10 * kNsPerS;
    clock.add(at, at + 123'456'789 + at / 200'000, at + 40'000);
    benchmark::DoNotOptimize(clock.end_burst(at + 50'000));
  }
}

void clock_read(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(steady_ns());
}

BENCHMARK_CAPTURE(generator_cost, alone, false);
BENCHMARK_CAPTURE(generator_cost, with_clock, true);
BENCHMARK(clock_read);
BENCHMARK(clock_to_rank0);
BENCHMARK(clock_to_local);
BENCHMARK(clock_end_burst);

/// Sets 10,000 requests/s for 3 s.
void in_real_time(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rps", "s"})
      ->Args({10'000, 3})
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}
BENCHMARK_CAPTURE(schedule_lag, sleep, Wait::kSleep)->Apply(in_real_time);
BENCHMARK_CAPTURE(schedule_lag, socket, Wait::kSocket)->Apply(in_real_time);
BENCHMARK_CAPTURE(schedule_lag, spin, Wait::kSpin)->Apply(in_real_time);
BENCHMARK_CAPTURE(schedule_lag, spin_pinned, Wait::kSpinPinned)->Apply(in_real_time);

}  // namespace
}  // namespace harness
