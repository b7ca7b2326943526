// For tests: a device in the virtual time of ranks in step.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/gpu/device.h"

namespace harness::testing {

/// A batch takes as long as told, and stops at the next whole millisecond of its run when preempted; its
/// pictures, and those prepared for it, are looked at when it ends, so that one that is gone by then is found
/// by the address sanitizer at the latest.
class StepDevice final : public Device {
 public:
  using IsRight = std::function<bool(DeviceModel, const Picture&)>;

  StepDevice(std::function<TimeNs()> clock, std::function<TimeNs(std::size_t)> latency, IsRight is_right)
      : clock_(std::move(clock)), latency_(std::move(latency)), is_right_(std::move(is_right)) {}

  DeviceModel load(const ModelSource&) override { return models_++; }
  int exit_points(DeviceModel) const override { return 0; }

  void submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) override {
    HARNESS_CHECK(running_.size() < kMostOutstanding, "too many batches at once");
    Batch batch{tag,
                clock_(),
                latency_(pictures.size()),
                kNever,
                model,
                {pictures.begin(), pictures.end()},
                std::exchange(prepared_[model], {})};
    const auto is_same = [](const Picture& a, const Picture& b) { return a.bytes.data() == b.bytes.data(); };
    const bool all = std::equal(batch.pictures.begin(), batch.pictures.end(), batch.prepared.begin(),
                                batch.prepared.end(), is_same);
    ++(all ? prepared_batches_ : other_batches_);
    running_.push_back(std::move(batch));
  }
  void prepare(DeviceModel model, const Picture& picture) override { prepared_[model].push_back(picture); }
  void preempt(std::uint64_t tag) override {
    TimeNs started_ns = free_ns_;
    for (Batch& batch : running_) {
      started_ns = std::max(started_ns, batch.submitted_ns);
      if (batch.tag == tag) {
        const TimeNs ran_ns = std::max<TimeNs>(0, clock_() - started_ns);
        batch.stopped_ns = (ran_ns + kNsPerMs - 1) / kNsPerMs * kNsPerMs;
        return;
      }
      started_ns += batch.run_ns();
    }
  }

  bool take(std::vector<BatchEnd>& ended) override {
    bool any = false;
    for (; next_end_ns() <= clock_(); any = true) {
      const Batch& batch = running_.front();
      const TimeNs started_ns = std::max(free_ns_, batch.submitted_ns);
      free_ns_ = next_end_ns();
      for (const Picture& picture : batch.pictures) {
        ++pictures_;
        pictures_on_device_ += picture.on_device ? 1 : 0;
        if (!is_right_(batch.model, picture)) ++wrong_pictures_;
      }
      for (const Picture& picture : batch.prepared) {
        if (!is_right_(batch.model, picture)) ++wrong_pictures_;
      }
      BatchEnd end;
      end.tag = batch.tag;
      end.started_ns = started_ns;
      end.ended_ns = free_ns_;
      end.preempted = batch.stopped_ns < batch.latency_ns;
      ended.push_back(end);
      running_.pop_front();
    }
    return any;
  }

  MemoryUse memory() const override { return {}; }
  std::string name() const override { return "step"; }

  TimeNs next_end_ns() const {
    if (running_.empty()) return kNever;
    return std::max(free_ns_, running_.front().submitted_ns) + running_.front().run_ns();
  }
  std::uint64_t pictures() const { return pictures_; }
  std::uint64_t pictures_on_device() const { return pictures_on_device_; }
  std::uint64_t wrong_pictures() const { return wrong_pictures_; }
  /// Batches of which all pictures, and no others, had been prepared in their order; and the rest.
  std::uint64_t prepared_batches() const { return prepared_batches_; }
  std::uint64_t other_batches() const { return other_batches_; }

 private:
  struct Batch {
    std::uint64_t tag;
    TimeNs submitted_ns;
    TimeNs latency_ns;
    TimeNs stopped_ns;  ///< of its run; kNever: nobody has asked
    DeviceModel model;
    std::vector<Picture> pictures;
    std::vector<Picture> prepared;

    TimeNs run_ns() const { return std::min(latency_ns, stopped_ns); }
  };

  std::function<TimeNs()> clock_;
  std::function<TimeNs(std::size_t)> latency_;
  IsRight is_right_;
  DeviceModel models_ = 0;
  std::map<DeviceModel, std::vector<Picture>> prepared_;
  std::deque<Batch> running_;
  TimeNs free_ns_ = 0;  ///< the last batch that was taken ended
  std::uint64_t pictures_ = 0;
  std::uint64_t pictures_on_device_ = 0;
  std::uint64_t wrong_pictures_ = 0;
  std::uint64_t prepared_batches_ = 0;
  std::uint64_t other_batches_ = 0;
};

}  // namespace harness::testing
