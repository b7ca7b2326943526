// A device that computes on a thread of its own, a batch at a time: what LibTorch on the CPU needs.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/batch_engine.h"
#include "harness/gpu/device_desk.h"
#include "harness/gpu/ended_batches.h"
#include "harness/gpu/work_thread.h"

namespace harness {

/// Assembling the inputs is part of the batch's time: on a CPU there is no second engine to copy beside it.
class ThreadedDevice final : public Device {
 public:
  ThreadedDevice(std::string name, std::unique_ptr<BatchEngine> engine, Wake wake);
  ~ThreadedDevice() override;

  DeviceModel load(const ModelSource& source) override;
  int exit_points(DeviceModel model) const override { return exit_points_.at(model); }
  void submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) override;
  void preempt(std::uint64_t tag) override;
  bool take(std::vector<BatchEnd>& ended) override;
  MemoryUse memory() const override { return memory_; }
  std::string name() const override { return desk_.device(); }

 private:
  /// Where an outstanding batch stands until its end has been taken.
  struct Slot {
    bool used = false;
    SubmittedBatch batch;
  };

  void run(const SubmittedBatch& batch);
  Slot* slot_of(std::uint64_t tag);

  DeviceDesk desk_;
  std::vector<int> exit_points_;  ///< by DeviceModel
  MemoryUse memory_;              ///< after the last load
  std::array<Slot, kMostOutstanding> slots_;
  std::atomic<bool> lost_ = false;
  std::unique_ptr<BatchEngine> engine_;
  EndedBatches ended_;
  WorkThread thread_;
};

}  // namespace harness
