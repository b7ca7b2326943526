// A device that always has its next batch, beside a bare loop that calls the same network, or its graph, back
// to back on an input that lies ready. `of_bare` is the device's throughput as a share of the loop's; the two
// take turns, so that a machine that slows down slows both; each turn begins and ends with an idle device.
// Images have the network's own size, or a camera's in `_frames`. With `_worker` a batch's images are
// prepared and it is submitted while the one before runs, like the full batches of a run; with `_late` it is
// submitted when the one before has ended, like batches that a system decides on only then; with `_alone`
// nothing of the next batch is copied before that either, as when a profile is measured. `device_us` is how
// long a batch takes on the device by its own clock.
//
// The counters of the host's time for a batch are in microseconds: `submit_us` is the time of the event
// loop's thread in submit(), prepare() and take(); on CUDA `copying_us` is the time in which the device's
// thread copies the images' bytes to where the GPU copies them from, and `handling_us` is that thread's other
// time.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <benchmark/benchmark.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/profiling/device_wait.h"
#include "harness/gpu/torch/cpu_device.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/machine/steady_clock.h"
#ifdef HARNESS_TORCH_CUDA
#include <c10/cuda/CUDAGuard.h>

#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/torch/cuda_device.h"
#include "harness/gpu/torch/cuda_segments.h"
#include "harness/gpu/torch/graph_pool.h"
#endif

namespace harness {
namespace {

/// The number of batches of a turn: the loop's, then the device's.
constexpr int kTurnOnCpu = 4;
constexpr int kTurnOnGpu = 32;

/// The time at which a batch is submitted.
enum class Submission { kAhead, kLate, kAlone };
/// The size of the images, if it is not the network's.
struct FrameSize {
  int height = 0;
  int width = 0;
};
constexpr FrameSize kCamera{480, 640};

ModelSource source_of(const std::string& model, int batch, int exit_points) {
  ModelSource source;
  source.model = model;
  source.max_batch = batch;
  source.exit_points = exit_points;
  return source;
}

/// Runs batches through a device.
class SaturatedDevice {
 public:
  SaturatedDevice(Device& device, SteadyWait& wait, const ModelSource& source, FrameSize size,
                  Submission submission)
      : device_(device),
        wait_(wait),
        model_(device.load(source)),
        submission_(submission),
        outstanding_(submission == Submission::kAhead ? Device::kMaxOutstanding : 1) {
    RandomStream random(1, "device_bench");
    for (int i = 0; i < source.max_batch; ++i)
      owned_.push_back(random_image(random, size.height, size.width));
    images_ = views_of(owned_);
  }

  /// Returns the seconds for `count` batches. Throws EnvironmentError if one fails.
  double run(int count) {
    const TimeNs start_ns = steady_ns();
    int submitted = 0;
    int ended = 0;
    while (ended < count) {
      while (submitted < count && submitted - ended < outstanding_) {
        const TimeNs before_ns = steady_ns();
        if (outstanding_ > 1) prepare();
        device_.submit(++tag_, model_, images_);
        if (submission_ == Submission::kLate) prepare();
        calling_ns_ += steady_ns() - before_ns;
        ++submitted;
      }
      ended += take();
    }
    batches_ += count;
    return static_cast<double>(steady_ns() - start_ns) * 1e-9;
  }
  double calling_us() const { return static_cast<double>(calling_ns_) * 1e-3 / batches_; }
  TimeNs device_ns() const { return device_ns_; }
  double device_us() const { return static_cast<double>(device_ns_) * 1e-3 / batches_; }

 private:
  void prepare() {
    for (const Image& next : images_) device_.prepare(model_, next);
  }
  int take() {
    ends_.clear();
    const TimeNs before_ns = steady_ns();
    const bool taken = device_.take(ends_);
    if (!taken) {
      wait_.wait_for_device(before_ns + 60 * kNsPerS);
      return 0;
    }
    calling_ns_ += steady_ns() - before_ns;
    for (const BatchEnd& end : ends_) {
      if (!end.failure.empty()) throw EnvironmentError(end.failure);
      device_ns_ += end.ended_ns - end.started_ns;
    }
    return static_cast<int>(ends_.size());
  }

  Device& device_;
  SteadyWait& wait_;
  DeviceModel model_;
  Submission submission_;
  int outstanding_;
  std::vector<OwnedImage> owned_;
  std::vector<Image> images_;
  std::vector<BatchEnd> ends_;
  std::uint64_t tag_ = 0;
  TimeNs calling_ns_ = 0;
  TimeNs device_ns_ = 0;
  double batches_ = 0;
};

/// Takes turns of `bare(count)`, which returns seconds, and the device; the benchmark's time is the device's.
template <typename Bare>
void take_turns(benchmark::State& state, SaturatedDevice& device, int images, int turn, const Bare& bare) {
  bare(turn);
  device.run(turn);
  double bare_s = 0;
  double device_s = 0;
  for (auto _ : state) {
    bare_s += bare(turn);
    const double taken = device.run(turn);
    state.SetIterationTime(taken);
    device_s += taken;
  }
  state.SetItemsProcessed(state.iterations() * turn * images);
  state.counters["of_bare"] = bare_s / device_s;
  state.counters["submit_us"] = device.calling_us();
  state.counters["device_us"] = device.device_us();
}

void saturate_cpu(benchmark::State& state, const std::string& model, int exit_points, Submission submission) {
  const auto batch = static_cast<int>(state.range(0));
  const ModelSource source = source_of(model, batch, exit_points);
  SteadyWait wait;
  const std::unique_ptr<Device> device = make_torch_cpu_device({}, wait.wake());
  const StagedModel network = make_staged_model(source, {"bare", model, 0});
  SaturatedDevice saturated(*device, wait, source, {network.input.height, network.input.width}, submission);
  at::set_num_threads(1);
  const at::Tensor input = at::rand({batch, 3, network.input.height, network.input.width});
  const std::vector<std::size_t> whole = segment_begins(0, static_cast<int>(network.stages.size()));
  take_turns(state, saturated, batch, kTurnOnCpu, [&](int count) {
    const c10::InferenceMode inference;
    const TimeNs start_ns = steady_ns();
    for (int i = 0; i < count; ++i) {
      std::vector<at::Tensor> tensors = {input};
      run_segment(network, whole, 0, tensors);
      benchmark::DoNotOptimize(tensors);
    }
    return static_cast<double>(steady_ns() - start_ns) * 1e-9;
  });
}

#ifdef HARNESS_TORCH_CUDA
/// A network on the GPU without a device around it: the same graphs, on streams of its own.
class BareSegments {
 public:
  explicit BareSegments(const ModelSource& source) : batch_(static_cast<std::size_t>(source.max_batch)) {
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    guard_.emplace(c10::cuda::getStreamFromExternal(stream_.get(), 0));
    pool_.emplace(c10::DeviceIndex{0});
    const DevicePlace place{"bare", source.model, 0};
    segments_.emplace(make_staged_model(source, place, c10::Device(c10::kCUDA, 0)), source, place,
                      CudaSegments::Resources{stream_, *pool_, 0, true});
  }
  const InputFormat& format() const { return segments_->format(); }
  double run(int count) {
    const TimeNs start_ns = steady_ns();
    for (int i = 0; i < count; ++i) {
      for (int segment = 0; segment < segments_->segments(); ++segment) segments_->enqueue(batch_, segment);
    }
    stream_.synchronize();
    return static_cast<double>(steady_ns() - start_ns) * 1e-9;
  }

 private:
  std::size_t batch_;
  CudaStream stream_;
  std::optional<c10::cuda::CUDAStreamGuard> guard_;
  std::optional<GraphPool> pool_;
  std::optional<CudaSegments> segments_;
};

void run_on_gpu(benchmark::State& state, const ModelSource& source, Submission submission, FrameSize size) {
  BareSegments bare(source_of(source.model, source.max_batch, 0));
  SteadyWait wait;
  const std::unique_ptr<StreamDevice> device = make_torch_cuda_device({}, 0, wait.wake());
  if (size.height == 0) size = {bare.format().height, bare.format().width};
  SaturatedDevice saturated(*device, wait, source, size, submission);
  const StreamDevice::HostWork before = device->host_work();
  take_turns(state, saturated, source.max_batch, kTurnOnGpu, [&](int count) { return bare.run(count); });
  const StreamDevice::HostWork after = device->host_work();
  const double batches = static_cast<double>(after.batches - before.batches);
  state.counters["handling_us"] =
      static_cast<double>(after.handling_ns - before.handling_ns) * 1e-3 / batches;
  state.counters["copying_us"] = static_cast<double>(after.copying_ns - before.copying_ns) * 1e-3 / batches;
}
#endif

void saturate_cuda(benchmark::State& state, [[maybe_unused]] const std::string& model,
                   [[maybe_unused]] int exit_points, [[maybe_unused]] Submission submission,
                   [[maybe_unused]] FrameSize size = {}) {
#ifdef HARNESS_TORCH_CUDA
  const std::string why = why_no_cuda_device();
  if (why.empty()) {
    run_on_gpu(state, source_of(model, static_cast<int>(state.range(0)), exit_points), submission, size);
    return;
  }
  state.SkipWithError(("no GPU: " + why).c_str());
#else
  state.SkipWithError("this build has no devices for CUDA");
#endif
}

#ifdef HARNESS_TORCH_CUDA
constexpr FrameSize kNetworkSize{224, 224};  ///< size of the classifiers' images

/// Returns the median time of a batch of the model by the device's clock, with nothing beside it, in us.
double median_us(SaturatedDevice& device) {
  constexpr int kBatches = 41;
  std::vector<double> took;
  for (int i = 0; i < kBatches; ++i) {
    const TimeNs before_ns = device.device_ns();
    device.run(1);
    took.push_back(static_cast<double>(device.device_ns() - before_ns) * 1e-3);
  }
  std::nth_element(took.begin(), took.begin() + kBatches / 2, took.end());
  return took[kBatches / 2];
}

/// Returns the mean time of batches that are submitted before the one before ends, in us: no time of the host
/// is in it.
double ahead_us(StreamDevice& device, SteadyWait& wait, const ModelSource& source) {
  constexpr int kBatches = 40;
  SaturatedDevice ahead(device, wait, source, kNetworkSize, Submission::kAhead);
  ahead.run(2);
  return ahead.run(kBatches) * 1e6 / kBatches;
}

/// Measures if a model takes longer when others have been loaded in the process before it or after it:
/// `first_us`, alone; `first_beside_us`, once others are loaded; `second_us`, the same model, loaded after
/// them on that device; `other_device_us`, likewise, on a device of its own; `after_us`, on a device made
/// when those have gone. `..._ahead_us` is the time in batches that do not wait for the host. It must be the
/// first benchmark of its process.
void load_others(benchmark::State& state) {
  const std::string why = why_no_cuda_device();
  if (!why.empty()) return state.SkipWithError(("no GPU: " + why).c_str());
  const ModelSource source = source_of("resnet50", static_cast<int>(state.range(0)), 0);
  const auto alone = [&](const std::string& name) {
    SteadyWait wait;
    const std::unique_ptr<StreamDevice> device = make_torch_cuda_device({}, 0, wait.wake());
    SaturatedDevice saturated(*device, wait, source, kNetworkSize, Submission::kAlone);
    state.counters[name + "_us"] = median_us(saturated);
    state.counters[name + "_ahead_us"] = ahead_us(*device, wait, source);
  };
  for (auto _ : state) {
    {
      SteadyWait wait;
      const std::unique_ptr<StreamDevice> device = make_torch_cuda_device({}, 0, wait.wake());
      SaturatedDevice first(*device, wait, source, kNetworkSize, Submission::kAlone);
      state.counters["first_us"] = median_us(first);
      state.counters["first_ahead_us"] = ahead_us(*device, wait, source);
      device->load(source_of("inception_v3", 8, 0));
      SaturatedDevice second(*device, wait, source, kNetworkSize, Submission::kAlone);
      state.counters["first_beside_us"] = median_us(first);
      state.counters["second_us"] = median_us(second);
      alone("other_device");
    }
    alone("after");
  }
}
BENCHMARK(load_others)->Arg(1)->Arg(8)->Iterations(1)->Unit(benchmark::kMillisecond);
#endif

BENCHMARK_CAPTURE(saturate_cpu, lenet_worker, "lenet", 0, Submission::kAhead)
    ->Arg(16)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cpu, resnet18_worker, "resnet18", 0, Submission::kAhead)
    ->Arg(1)
    ->Arg(4)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cpu, resnet18_late, "resnet18", 0, Submission::kLate)
    ->Arg(1)
    ->Arg(4)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cpu, resnet18_exits, "resnet18", kAllExitPoints, Submission::kAhead)
    ->Arg(4)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, resnet18_worker, "resnet18", 0, Submission::kAhead)
    ->Arg(1)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, resnet50_worker, "resnet50", 0, Submission::kAhead)
    ->Arg(1)
    ->Arg(4)
    ->Arg(8)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, resnet50_late, "resnet50", 0, Submission::kLate)
    ->Arg(1)
    ->Arg(4)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, resnet50_alone, "resnet50", 0, Submission::kAlone)
    ->Arg(1)
    ->Arg(4)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, rcnn_frames_worker, "rcnn", 0, Submission::kAhead, kCamera)
    ->Arg(1)
    ->Arg(8)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, rcnn_frames_late, "rcnn", 0, Submission::kLate, kCamera)
    ->Arg(1)
    ->Arg(8)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, rcnn_frames_alone, "rcnn", 0, Submission::kAlone, kCamera)
    ->Arg(1)
    ->Arg(8)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(saturate_cuda, resnet50_exits, "resnet50", 46, Submission::kAhead)
    ->Arg(1)
    ->Arg(8)
    ->Arg(32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace harness
