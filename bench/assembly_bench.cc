// Batch assembly on the CPU, with one thread, and a plain copy of as many bytes beside it. The counted bytes
// are the bytes read and written.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

constexpr int kBatch = 32;

/// Assembles images of 640x480 to 300x300: hardly a byte of them goes unread.
void assemble(benchmark::State& state) {
  RandomStream random(1, "assembly_bench");
  std::vector<OwnedImage> images;
  for (int i = 0; i < kBatch; ++i) images.push_back(random_image(random, 480, 640));
  const std::vector<Image> views = views_of(images);
  Assembler assembler({300, 300, {0.485F, 0.456F, 0.406F}, {1 / 0.229F, 1 / 0.224F, 1 / 0.225F}});
  std::vector<float> out(batch_elements(assembler.format(), kBatch));
  for (auto _ : state) {
    assembler.assemble(views, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  const std::size_t bytes = kBatch * images[0].bytes.size() + out.size() * sizeof(float);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["images"] = benchmark::Counter(kBatch, benchmark::Counter::kIsIterationInvariantRate);
}

void copy(benchmark::State& state) {
  constexpr std::size_t kBytes = kBatch * std::size_t{(480 * 640 * 3 + 300 * 300 * 12) / 2};
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kBytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * kBytes));
}

BENCHMARK(assemble)->Unit(benchmark::kMillisecond);
BENCHMARK(copy)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
