// Double-ended queues at a constant size: one put and one get (from both ends in turn) per iteration.
#include <benchmark/benchmark.h>

#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "systems/pard/double_ended_queue.h"

namespace harness {
namespace {

using Entry = DoubleEndedQueue::Entry;

/// The paper's structure (Atkinson et al., 1986): levels alternate between local minima and local maxima.
class MinMaxHeap {
 public:
  void put(TimeNs key, VisitId id) {
    heap_.push_back({key, id});
    std::size_t at = heap_.size() - 1;
    if (at == 0) return;
    const std::size_t parent = (at - 1) / 2;
    bool low = is_low(at);
    if (before(heap_[parent], heap_[at], low)) {
      std::swap(heap_[parent], heap_[at]);
      at = parent;
      low = !low;
    }
    while (at > 2) {
      const std::size_t grandparent = ((at - 1) / 2 - 1) / 2;
      if (!before(heap_[at], heap_[grandparent], low)) break;
      std::swap(heap_[at], heap_[grandparent]);
      at = grandparent;
    }
  }
  Entry pop_min() { return pop(0); }
  Entry pop_max() {
    if (heap_.size() < 3) return pop(heap_.size() - 1);
    return pop(heap_[1].key >= heap_[2].key ? 1 : 2);
  }

 private:
  static bool is_low(std::size_t at) { return std::bit_width(at + 1) % 2 == 1; }
  static bool before(const Entry& one, const Entry& other, bool low) {
    return low ? one.key < other.key : one.key > other.key;
  }
  Entry pop(std::size_t at) {
    const Entry taken = heap_[at];
    heap_[at] = heap_.back();
    heap_.pop_back();
    const bool low = is_low(at);
    while (2 * at + 1 < heap_.size()) {
      const std::size_t best = best_descendant(at, low);
      if (!before(heap_[best], heap_[at], low)) break;
      std::swap(heap_[best], heap_[at]);
      if (best <= 2 * at + 2) break;  // a child
      const std::size_t parent = (best - 1) / 2;
      if (before(heap_[parent], heap_[best], low)) std::swap(heap_[parent], heap_[best]);
      at = best;
    }
    return taken;
  }
  std::size_t best_descendant(std::size_t at, bool low) const {
    std::size_t best = 2 * at + 1;
    const auto consider = [&](std::size_t other) {
      if (other < heap_.size() && before(heap_[other], heap_[best], low)) best = other;
    };
    consider(2 * at + 2);
    for (std::size_t i = 4 * at + 3; i <= 4 * at + 6; ++i) consider(i);
    return best;
  }
  std::vector<Entry> heap_;
};

class StdSet {
 public:
  void put(TimeNs key, VisitId id) { set_.emplace(key, id); }
  Entry pop_min() { return take(set_.begin()); }
  Entry pop_max() { return take(std::prev(set_.end())); }

 private:
  using Set = std::set<std::pair<TimeNs, VisitId>>;
  Entry take(Set::iterator at) {
    const Entry entry{at->first, at->second};
    set_.erase(at);
    return entry;
  }
  Set set_;
};

constexpr std::size_t kKeys = 1 << 16;

std::vector<TimeNs> random_steps() {
  RandomStream random(1, "double_ended_queue_bench");
  std::vector<TimeNs> keys(kKeys);
  for (TimeNs& key : keys) key = static_cast<TimeNs>(random.below(kNsPerS));
  return keys;
}

/// Returns due times of arrivals 1 ms apart on average, which scatter by up to 20 ms, as after waits in
/// earlier modules.
std::vector<TimeNs> nearly_ordered_keys() {
  RandomStream random(2, "double_ended_queue_bench");
  std::vector<TimeNs> keys(kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) {
    keys[i] = static_cast<TimeNs>(i) * kNsPerMs + static_cast<TimeNs>(random.below(20 * kNsPerMs));
  }
  return keys;
}

enum class Get { kMin, kBoth };

template <class Queue>
void run(benchmark::State& state, const std::vector<TimeNs>& keys, TimeNs span, Get get) {
  Queue queue;
  std::size_t next = 0;
  TimeNs lap = 0;
  VisitId id = 0;
  const auto put = [&] {
    queue.put(keys[next] + lap, id++);
    if (++next == kKeys) {
      next = 0;
      lap += span;
    }
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) put();
  for (auto _ : state) {
    put();
    const bool low = get == Get::kMin || (get == Get::kBoth && id % 2 == 0);
    benchmark::DoNotOptimize(low ? queue.pop_min() : queue.pop_max());
  }
}

/// Measures the hold model: a new key lies a random distance behind the smallest one taken, so that it may
/// belong anywhere.
template <class Queue>
void random_order(benchmark::State& state) {
  const std::vector<TimeNs> steps = random_steps();
  Queue queue;
  TimeNs now = 0;
  VisitId id = 0;
  const auto put = [&] {
    queue.put(now + steps[id % kKeys], id);
    ++id;
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) put();
  for (auto _ : state) {
    put();
    now = queue.pop_min().key;
  }
  benchmark::DoNotOptimize(now);
}
template <class Queue>
void nearly_in_order(benchmark::State& state) {
  run<Queue>(state, nearly_ordered_keys(), static_cast<TimeNs>(kKeys) * kNsPerMs, Get::kMin);
}
template <class Queue>
void nearly_in_order_both_ends(benchmark::State& state) {
  run<Queue>(state, nearly_ordered_keys(), static_cast<TimeNs>(kKeys) * kNsPerMs, Get::kBoth);
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t size : {10, 100, 1'000, 10'000, 100'000}) bench->Arg(size);
}

BENCHMARK(nearly_in_order<DoubleEndedQueue>)->Apply(sizes);
BENCHMARK(nearly_in_order<MinMaxHeap>)->Apply(sizes);
BENCHMARK(nearly_in_order<StdSet>)->Apply(sizes);
BENCHMARK(nearly_in_order_both_ends<DoubleEndedQueue>)->Apply(sizes);
BENCHMARK(nearly_in_order_both_ends<MinMaxHeap>)->Apply(sizes);
BENCHMARK(nearly_in_order_both_ends<StdSet>)->Apply(sizes);
BENCHMARK(random_order<DoubleEndedQueue>)->Apply(sizes);
BENCHMARK(random_order<MinMaxHeap>)->Apply(sizes);
BENCHMARK(random_order<StdSet>)->Apply(sizes);

}  // namespace
}  // namespace harness
