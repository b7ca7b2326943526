// For tests: a device in virtual time whose batches take as long as a function says.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device.h"
#include "harness/gpu/device_wait.h"

namespace harness {

/// Virtual time, which waiting moves on.
class VirtualWait final : public DeviceWait {
 public:
  TimeNs now_ns() const override { return now_ns_; }
  void sleep_until(TimeNs time_ns) override { now_ns_ = std::max(now_ns_, time_ns); }
  void wait_for_device(TimeNs deadline_ns) override { sleep_until(std::min(next_end_ns, deadline_ns)); }

  TimeNs next_end_ns = kNever;  ///< set by the device

 private:
  TimeNs now_ns_ = 1'000'000;
};

/// One batch at a time. Exit points cut a batch into equal parts.
class TimedDevice final : public Device {
 public:
  /// The time of a batch of a model.
  using Latency = std::function<TimeNs(const ModelSource&, int batch)>;

  TimedDevice(VirtualWait& wait, Latency latency) : wait_(wait), latency_(std::move(latency)) {}

  DeviceModel load(const ModelSource& source) override {
    if (source.model == "broken")
      throw DeviceError(DeviceFault::kMissingModel, {name(), source.model, 0}, "no such");
    wait_.sleep_until(wait_.now_ns() + load_ns);
    sources_.push_back(source);
    return static_cast<DeviceModel>(sources_.size() - 1);
  }
  int exit_points(DeviceModel model) const override { return sources_.at(model).exit_points; }

  void submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) override {
    const int batch = static_cast<int>(pictures.size());
    largest_batch = std::max(largest_batch, batch);
    running_.tag = tag;
    running_.started_ns = wait_.now_ns() + handover_ns * batch;
    running_.ended_ns = running_.started_ns + latency_(sources_.at(model), batch);
    running_.preempted = false;
    running_.failure.clear();
    running_.fault = DeviceFault::kNoFault;
    if (batch > fits) {
      running_.failure = "device timed: model m, batch " + std::to_string(batch) + ": out of memory";
      running_.fault = DeviceFault::kOutOfMemory;
    }
    if (batch == fails) {
      running_.failure = "device timed: it failed";
      running_.fault = DeviceFault::kComputeFailed;
    }
    parts_ = sources_.at(model).exit_points + 1;
    is_running_ = true;
    wait_.next_end_ns = running_.ended_ns;
  }

  void preempt(std::uint64_t) override {
    const TimeNs part_ns = (running_.ended_ns - running_.started_ns) / parts_;
    const TimeNs into_ns = std::max<TimeNs>(0, wait_.now_ns() - running_.started_ns);
    const TimeNs exit = into_ns / part_ns + 1;
    if (exit >= parts_) return;
    running_.preempted = true;
    running_.ended_ns = running_.started_ns + exit * part_ns;
    wait_.next_end_ns = running_.ended_ns;
  }

  bool take(std::vector<BatchEnd>& ended) override {
    if (!is_running_ || wait_.now_ns() < running_.ended_ns) return false;
    ended.push_back(running_);
    is_running_ = false;
    wait_.next_end_ns = kNever;
    return true;
  }

  MemoryUse memory() const override {
    MemoryUse use;
    use.input_bytes = 1000 * sources_.size();
    for (std::size_t i = 0; i < sources_.size(); ++i) use.model_bytes.push_back(5'000'000);
    return use;
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> lines;
    for (const ModelSource& source : sources_) lines.push_back(source.model + " is timed");
    return lines;
  }
  std::string name() const override { return "timed"; }

  const std::vector<ModelSource>& sources() const { return sources_; }

  TimeNs load_ns = 7 * kNsPerMs;
  TimeNs handover_ns = 30 * kNsPerUs;  ///< for each picture
  int fits = 1 << 20;                  ///< larger batches are too much for the memory
  int fails = 0;                       ///< batches of this size fail otherwise
  int largest_batch = 0;               ///< that was submitted

 private:
  VirtualWait& wait_;
  Latency latency_;
  std::vector<ModelSource> sources_;
  BatchEnd running_;
  int parts_ = 1;
  bool is_running_ = false;
};

}  // namespace harness
