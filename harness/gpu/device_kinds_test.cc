#include <atomic>
#include <utility>

#include "harness/gpu/null_device.h"
#include "harness/gpu/test_device_kinds.h"
#include "harness/gpu/threaded_device.h"

namespace harness {
namespace {

/// Runs nothing but what run_test_stage() does.
class StageEngine final : public BatchEngine {
 public:
  explicit StageEngine(std::shared_ptr<StageGate> gate) : gate_(std::move(gate)) {}

  int load(const ModelSource& source, const DevicePlace& place) override {
    if (source.model == "absent") throw DeviceError(DeviceFault::kMissingModel, place, "");
    const int points = source.exit_points == kAllExitPoints ? kTestStages - 1 : source.exit_points;
    if (points >= kTestStages) throw DeviceError(DeviceFault::kWrongShape, place, "it has 3 exit points");
    exit_points_.push_back(points);
    return points;
  }
  bool run(const SubmittedBatch& batch) override {
    const int segments = exit_points_[batch.model] + 1;
    for (int stage = 0; stage < kTestStages; ++stage) {
      const bool is_exit = stage > 0 && stage * segments % kTestStages < segments;
      if (is_exit && batch.stop) return false;
      run_test_stage(batch.place, stage, static_cast<int>(batch.pictures.size()), *gate_);
    }
    return true;
  }
  MemoryUse memory() const override {
    MemoryUse use;
    use.model_bytes.assign(exit_points_.size(), 1);
    return use;
  }

 private:
  std::shared_ptr<StageGate> gate_;
  std::vector<int> exit_points_;
};

}  // namespace

std::vector<TestedKind> tested_kinds() {
  const auto make_null = [](std::shared_ptr<StageGate>, Device::Wake wake) {
    return std::make_unique<NullDevice>(std::move(wake), "kind 7");
  };
  const auto make_threaded = [](std::shared_ptr<StageGate> gate, Device::Wake wake) {
    return std::make_unique<ThreadedDevice>("kind 7", std::make_unique<StageEngine>(std::move(gate)),
                                            std::move(wake));
  };
  return {{"null", make_null, false}, {"threaded", make_threaded, true}};
}

}  // namespace harness
