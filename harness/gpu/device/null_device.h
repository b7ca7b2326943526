// A device that computes nothing: the rest of a run's time is the harness's own.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device/device_front_end.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/machine/steady_clock.h"

namespace harness {

/// Ends each batch within submit(), at the time of its submission, so nothing can be preempted. Loads any
/// model without looking for its file; a model has the exit points that were asked for, and with
/// kAllExitPoints it has 0.
///
/// The emulated device, which takes as long as a profile says, is not a Device: engine/queues/worker_models.h
/// sets a timer of the event loop, in virtual time or on the wall clock, and needs no thread and no images.
class NullDevice final : public Device {
 public:
  explicit NullDevice(Wake wake, std::string name = name_of(DeviceKind::kNull))
      : front_end_(std::move(name), std::move(wake)) {}

  DeviceModel load(const ModelSource& source) override {
    front_end_.check(source);
    return front_end_.add(source, std::max(source.exit_points, 0));
  }
  int exit_points(DeviceModel model) const override { return front_end_.exit_points(model); }
  void submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) override {
    front_end_.admit(tag, model, images);
    BatchEnd end;
    end.tag = tag;
    end.started_ns = end.ended_ns = steady_ns();
    front_end_.push(std::move(end));
  }
  void preempt(std::uint64_t) override {}
  bool take(std::vector<BatchEnd>& ended) override { return front_end_.take(ended); }
  MemoryUse memory() const override { return {0, 0, std::vector<std::uint64_t>(front_end_.models())}; }
  std::string name() const override { return front_end_.device(); }

 private:
  DeviceFrontEnd front_end_;
};

}  // namespace harness
