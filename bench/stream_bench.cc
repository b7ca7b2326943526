// The time of a request of many streams: workloads/streams/stream_arrivals.h. Each iteration takes 4,096
// requests.
#include <benchmark/benchmark.h>

#include <array>

#include "workloads/streams/stream_arrivals.h"

namespace harness {
namespace {

constexpr double kRps = 100'000;

TraceSpec trace_of(StreamProcess process, int streams, bool changes) {
  TraceSpec spec;
  spec.shape = "streams";
  spec.duration_s = 600;
  spec.streams = stream_preset("maf-stable");
  spec.streams[0].count = streams;
  spec.streams[0].process = process;
  if (!changes) spec.streams[0].minutes = StreamMinutes::kConstant;
  return spec;
}

/// Takes requests. The arguments are the process, the number of streams, and 1 if rates change from minute to
/// minute.
void requests(benchmark::State& state) {
  const auto process = static_cast<StreamProcess>(state.range(0));
  const TraceSpec spec = trace_of(process, static_cast<int>(state.range(1)), state.range(2) != 0);
  const auto population = std::make_shared<const StreamPopulation>(spec, kRps);
  auto source = make_stream_arrivals(population, 1);
  std::array<TimeNs, 4096> times{};
  std::array<StreamId, 4096> streams{};
  for (auto _ : state) {
    if (source->next(times, streams) < times.size()) source = source->restarted();
    benchmark::DoNotOptimize(times);
    benchmark::DoNotOptimize(streams);
  }
  state.counters["per_request"] =
      benchmark::Counter(static_cast<double>(times.size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(requests)
    ->ArgNames({"process", "streams", "minutes"})
    ->ArgsProduct({{static_cast<int>(StreamProcess::kPoisson), static_cast<int>(StreamProcess::kUniform),
                    static_cast<int>(StreamProcess::kMmpp)},
                   {1'000, 46'000},
                   {0, 1}});

void population(benchmark::State& state) {
  const TraceSpec spec = trace_of(StreamProcess::kPoisson, 46'000, true);
  for (auto _ : state) benchmark::DoNotOptimize(StreamPopulation(spec, kRps).expected_requests());
}
BENCHMARK(population)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
