// The assembly kernel beside a copy on the device. The counted bytes are the unique 32-byte sectors read, and
// the bytes written; `of_copy` is the kernel's bandwidth as a share of the copy's, for which the target is
// 0.8. Inputs and outputs of successive launches differ and are together larger than the L2 cache.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <set>
#include <string>
#include <vector>

#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/inputs/assembly_constants.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

constexpr InputFormat kFormat{300, 300, {0.485F, 0.456F, 0.406F}, {1 / 0.229F, 1 / 0.224F, 1 / 0.225F}};

/// Returns the bytes of the 32-byte sectors that hold a byte on which some output value depends; the image
/// starts a sector.
std::size_t sector_bytes(int height, int width) {
  const AssemblyConstants constants = constants_of(kFormat);
  std::set<int> sectors;
  for (int row = 0; row < kFormat.height; ++row) {
    const Tap down = tap_of(row, kFormat.height, constants.half_row, height);
    for (int column = 0; column < kFormat.width; ++column) {
      const Tap across = tap_of(column, kFormat.width, constants.half_column, width);
      for (const int y : {down.low, down.low + (down.weight > 0 ? 1 : 0)}) {
        const int first = 3 * (y * width + across.low);
        sectors.insert(first / 32);
        sectors.insert((first + (across.weight > 0 ? 5 : 2)) / 32);
      }
    }
  }
  return sectors.size() * 32;
}

/// Returns the seconds that the work of `enqueue` takes on the stream, by events.
template <class Enqueue>
double seconds(const CudaStream& stream, CudaEvent& start, CudaEvent& end, const Enqueue& enqueue) {
  start.record(stream);
  enqueue();
  end.record(stream);
  cuda_check(cudaEventSynchronize(end.get()), "cudaEventSynchronize", "timing");
  return static_cast<double>(end.ms_since(start)) * 1e-3;
}

double copy_bytes_per_second() {
  constexpr std::size_t kBytes = std::size_t{512} << 20;
  const CudaBuffer from(kBytes, "the copy's source");
  const CudaBuffer to(kBytes, "the copy's target");
  CudaStream stream;
  CudaEvent start(CudaEvent::Timing::kOn);
  CudaEvent end(CudaEvent::Timing::kOn);
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    best = std::min(
        best, seconds(stream, start, end, [&] {
          cuda_check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream.get()),
                     "cudaMemcpyAsync", "measuring a copy");
        }));
  }
  return 2.0 * static_cast<double>(kBytes) / best;
}

void run_on_gpu(benchmark::State& state) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  const std::size_t sets = batch == 1 ? 128 : 16;  // at least 256 MB of inputs and outputs
  RandomStream random(1, "assembly_cuda_bench");
  const OwnedImage image = random_image(random, 480, 640);
  const std::vector<Image> images(batch, image.view());
  const std::size_t in_bytes = layout_of(images).size();
  const std::size_t out_bytes = batch_elements(kFormat, batch) * sizeof(float);
  const CudaBuffer in(sets * in_bytes, "inputs");
  const CudaBuffer out(sets * out_bytes, "outputs");
  const PinnedBuffer host(in_bytes, "staging");
  CudaStream stream;
  for (std::size_t set = 0; set < sets; ++set) {
    std::byte* const to = in.data() + set * in_bytes;
    stage(layout_of(images), host.bytes(), to);
    cuda_check(cudaMemcpyAsync(to, host.bytes().data(), in_bytes, cudaMemcpyHostToDevice, stream.get()),
               "cudaMemcpyAsync", "staging inputs");
    stream.synchronize();
  }
  const AssemblyConstants constants = constants_of(kFormat);
  const auto assemble_all = [&] {
    for (std::size_t set = 0; set < sets; ++set) {
      assemble_batch_cuda(reinterpret_cast<const StagedImage*>(in.data() + set * in_bytes),
                          static_cast<int>(batch), constants,
                          reinterpret_cast<float*>(out.data() + set * out_bytes), stream.get());
    }
  };
  CudaEvent start(CudaEvent::Timing::kOn);
  CudaEvent end(CudaEvent::Timing::kOn);
  double total = 0;
  for (auto _ : state) {
    const double taken = seconds(stream, start, end, assemble_all);
    state.SetIterationTime(taken);
    total += taken;
  }
  const double moved = static_cast<double>(state.iterations()) * static_cast<double>(sets) *
                       static_cast<double>(batch * sector_bytes(480, 640) + out_bytes);
  state.SetBytesProcessed(static_cast<std::int64_t>(moved));
  state.counters["of_copy"] = moved / total / copy_bytes_per_second();
}

void assemble_on_gpu(benchmark::State& state) {
  const std::string why = why_no_cuda_device();
  if (!why.empty()) {
    state.SkipWithError(("no GPU: " + why).c_str());
    return;
  }
  run_on_gpu(state);
}

BENCHMARK(assemble_on_gpu)->Arg(1)->Arg(8)->Arg(32)->Arg(64)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace harness
