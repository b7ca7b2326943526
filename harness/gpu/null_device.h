// A device that computes nothing: what is left of a run's time is the harness's own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device_desk.h"
#include "harness/gpu/ended_batches.h"

namespace harness {

/// Ends each batch within submit(), at the time it was submitted; so nothing can be preempted. Loads any
/// model, without looking for its file; models have no exit points but those asked for.
///
/// The emulated device, which takes as long as a profile says, is no Device: engine/worker_models.h sets a
/// timer of the event loop, in virtual time as on the wall clock, and needs no thread and no pictures.
class NullDevice final : public Device {
 public:
  explicit NullDevice(Wake wake, std::string name = "null")
      : desk_(std::move(name)), ended_(std::move(wake)) {}

  DeviceModel load(const ModelSource& source) override;
  int exit_points(DeviceModel model) const override { return exit_points_.at(model); }
  void submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) override;
  void preempt(std::uint64_t) override {}
  bool take(std::vector<BatchEnd>& ended) override;
  MemoryUse memory() const override;
  std::string name() const override { return desk_.device(); }

 private:
  DeviceDesk desk_;
  std::vector<int> exit_points_;  ///< by DeviceModel
  EndedBatches ended_;
};

}  // namespace harness
