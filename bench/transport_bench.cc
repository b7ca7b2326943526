// The cost of a message within one rank: put together, sent to oneself, sent between two ranks of the tests'
// network; and the cost for two threads to wait for each other. Between processes: mpirun -n 65
// build/release/harness/live/live_test_ranks memory load 10
#include <benchmark/benchmark.h>

#include <barrier>
#include <cstddef>
#include <vector>

#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/packet_builder.h"
#include "harness/live/transport/packet_header.h"
#include "harness/live/transport/test_transport.h"
#include "harness/live/transport/transport.h"

namespace harness {
namespace {

constexpr int kMessagesAPacket = 8;

void count_messages(benchmark::State& state, std::size_t size) {
  const auto messages = static_cast<std::int64_t>(state.iterations()) * kMessagesAPacket;
  state.SetItemsProcessed(messages);
  state.SetBytesProcessed(messages * static_cast<std::int64_t>(size));
}

void packet(benchmark::State& state) {
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)));
  PacketBuilder builder;
  std::vector<std::byte> memory;
  std::size_t bytes = 0;
  for (auto _ : state) {
    for (int i = 0; i < kMessagesAPacket; ++i) builder.add(message);
    memory = builder.finish(0, std::move(memory));
    PacketHeader header;
    benchmark::DoNotOptimize(check_packet(memory, header));
    for_each_message(memory, [&](std::span<const std::byte> one) { bytes += one.size(); });
  }
  benchmark::DoNotOptimize(bytes);
  count_messages(state, message.size());
}
BENCHMARK(packet)->Arg(64)->Arg(1024)->Arg(1 << 20);

void exchange(benchmark::State& state, Transport& from, Transport& to) {
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    for (int i = 0; i < kMessagesAPacket; ++i) from.send(to.rank(), message);
    from.flush();
    to.receive([&](int, std::span<const std::byte> one) { bytes += one.size(); });
  }
  benchmark::DoNotOptimize(bytes);
  count_messages(state, message.size());
}

void local_transport(benchmark::State& state) {
  const auto transport = make_local_transport();
  exchange(state, *transport, *transport);
}
BENCHMARK(local_transport)->Arg(64)->Arg(1024)->Arg(1 << 20);

void test_transport(benchmark::State& state) {
  TestNetwork network(2);
  exchange(state, network.at(0), network.at(1));
}
BENCHMARK(test_transport)->Arg(64)->Arg(1024);

void turn_without_messages(benchmark::State& state) {
  const auto transport = make_local_transport();
  for (auto _ : state) {
    transport->flush();
    benchmark::DoNotOptimize(transport->receive([](int, std::span<const std::byte>) {}));
  }
}
BENCHMARK(turn_without_messages);

// Measures the least cost of a window of conservative parallel simulation (docs/performance.md).
void barrier_of_two_threads(benchmark::State& state) {
  static std::barrier<> barrier(2);
  for (auto _ : state) barrier.arrive_and_wait();
}
BENCHMARK(barrier_of_two_threads)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace harness
