#include <array>
#include <span>
#include <utility>

#include "harness/gpu/device/null_device.h"
#include "harness/gpu/device/stream_device.h"
#include "harness/gpu/device/test_device_kinds.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

int exit_points_of(const ModelSource& source, const DevicePlace& place) {
  if (source.model == "absent") throw DeviceError(DeviceFault::kMissingModel, place, "");
  const int points = source.exit_points == kAllExitPoints ? kTestStages - 1 : source.exit_points;
  if (points >= kTestStages) throw DeviceError(DeviceFault::kWrongShape, place, "it has 3 exit points");
  return points;
}

/// True if `stage` begins with one of the model's exit points.
bool begins_segment(int stage, int exit_points) {
  const int segments = exit_points + 1;
  return stage > 0 && stage * segments % kTestStages < segments;
}

/// Runs a segment's stages when it is enqueued, as LibTorch does on the CPU.
class StageStreamEngine final : public StreamEngine {
 public:
  explicit StageStreamEngine(std::shared_ptr<StageGate> gate) : gate_(std::move(gate)) {}

  int load(const ModelSource& source, const DevicePlace& place) override {
    models_.push_back({exit_points_of(source, place), place});
    return models_.back().exit_points;
  }
  MemoryUse memory() const override {
    MemoryUse use;
    use.model_bytes.assign(models_.size(), 1);
    return use;
  }
  std::vector<std::string> notes() const override { return {}; }
  void prepare(int, DeviceModel, const Image&) override {}
  void begin(int slot, DeviceModel model, std::span<const Image> images) override {
    batches_[static_cast<std::size_t>(slot)] = {model, static_cast<int>(images.size()), {}};
  }
  bool copy_some(int) override { return false; }
  void enqueue(int slot, int segment) override {
    Batch& batch = batches_[static_cast<std::size_t>(slot)];
    const Model& model = models_[batch.model];
    if (segment == 0) batch.span.started_ns = steady_ns();
    int begun = 0;
    for (int stage = 0; stage < kTestStages; ++stage) {
      if (begins_segment(stage, model.exit_points)) ++begun;
      DevicePlace here = model.place;
      here.batch = batch.images;
      if (begun == segment) run_test_stage(here, stage, batch.images, *gate_);
    }
    batch.span.ended_ns = steady_ns();
  }
  bool passed(int, int) override { return true; }
  DeviceSpan span(int slot, int) override { return batches_[static_cast<std::size_t>(slot)].span; }
  StoredTensor hand_out(int, std::uint64_t) override { return {}; }
  void release(int) override {}

 private:
  struct Model {
    int exit_points = 0;
    DevicePlace place;
  };
  struct Batch {
    DeviceModel model = 0;
    int images = 0;
    DeviceSpan span;
  };
  std::shared_ptr<StageGate> gate_;
  std::vector<Model> models_;
  std::array<Batch, Device::kMaxOutstanding> batches_;
};

}  // namespace

std::vector<TestedKind> tested_kinds() {
  const auto make_null = [](std::shared_ptr<StageGate>, Device::Wake wake) {
    return std::make_unique<NullDevice>(std::move(wake), "kind 7");
  };
  const auto make_stream = [](std::shared_ptr<StageGate> gate, Device::Wake wake) {
    return std::make_unique<StreamDevice>(
        "kind 7", [gate] { return std::make_unique<StageStreamEngine>(gate); }, std::move(wake));
  };
  return {{"null", make_null, false, ""}, {"stream", make_stream, true, ""}};
}

}  // namespace harness
