// For tests: a device whose batches take a given time, which looks at the pictures that it gets.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/steady_clock.h"
#include "harness/gpu/device.h"

namespace harness::testing {

/// What one device was given, for the test to read when the device is gone.
struct DeviceDiary {
  std::vector<ModelSource> models;
  std::vector<DeviceModel> batch_models;
  std::vector<std::size_t> batch_sizes;
  std::uint64_t wrong_pictures = 0;
};

/// Sleeps latency(batch) for each batch, in a thread of its own.
class TestDevice final : public Device {
 public:
  using IsRight = std::function<bool(DeviceModel, const Picture&)>;

  static constexpr std::size_t kNoBatch = ~std::size_t{0};
  /// Which of the device's batches fail, counted from 0.
  struct Faults {
    std::size_t fails_at = kNoBatch;  ///< this one fails, by itself
    std::size_t lost_from =
        kNoBatch;  ///< the device is lost when it has this one, and refuses what comes then
    std::size_t refuses_at = kNoBatch;   ///< the device is found lost when this one is submitted
    std::size_t fails_above = kNoBatch;  ///< batches of more pictures fail
  };

  /// `is_right` judges each picture when its batch ends.
  TestDevice(Wake wake, std::function<TimeNs(std::size_t)> latency, IsRight is_right, DeviceDiary& diary,
             Faults faults)
      : wake_(std::move(wake)),
        latency_(std::move(latency)),
        is_right_(std::move(is_right)),
        diary_(diary),
        faults_(faults),
        thread_([this] { work(); }) {}

  ~TestDevice() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  DeviceModel load(const ModelSource& source) override {
    diary_.models.push_back(source);
    return static_cast<DeviceModel>(diary_.models.size() - 1);
  }

  int exit_points(DeviceModel) const override { return 0; }

  void submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) override {
    const std::lock_guard lock(mutex_);
    if (is_lost_ || submitted_++ == faults_.refuses_at) throw lost(model, pictures.size());
    HARNESS_CHECK(++outstanding_ <= kMostOutstanding, "too many batches at once");
    waiting_.push_back({tag, model, {pictures.begin(), pictures.end()}});
    changed_.notify_all();
  }

  void preempt(std::uint64_t) override {}

  bool take(std::vector<BatchEnd>& ended) override {
    const std::lock_guard lock(mutex_);
    ended.insert(ended.end(), ended_.begin(), ended_.end());
    outstanding_ -= static_cast<int>(ended_.size());
    return !std::exchange(ended_, {}).empty();
  }

  MemoryUse memory() const override { return {}; }
  std::vector<std::string> notes() const override { return {"model net0, batch 3 without a CUDA graph"}; }
  std::string name() const override { return "test"; }

 private:
  struct Batch {
    std::uint64_t tag;
    DeviceModel model;
    std::vector<Picture> pictures;
  };

  DeviceError lost(DeviceModel model, std::size_t batch) const {
    return {DeviceFault::kDeviceLost,
            {name(), diary_.models[model].model, static_cast<int>(batch)},
            "it fell off the bus"};
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (std::size_t number = 0;; ++number) {
      changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      if (over_) return;
      const Batch batch = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      BatchEnd end;
      end.tag = batch.tag;
      end.started_ns = steady_ns();
      std::this_thread::sleep_for(std::chrono::nanoseconds(latency_(batch.pictures.size())));
      diary_.batch_models.push_back(batch.model);
      diary_.batch_sizes.push_back(batch.pictures.size());
      for (const Picture& picture : batch.pictures) {
        if (!is_right_(batch.model, picture)) ++diary_.wrong_pictures;
      }
      if (number == faults_.fails_at) end.failure = "device test: model broken, batch 1: compute failed";
      if (batch.pictures.size() > faults_.fails_above)
        end.failure = "device test: batch " + std::to_string(batch.pictures.size()) + ": out of memory";
      if (number == faults_.lost_from) end.failure = lost(batch.model, batch.pictures.size()).what();
      end.ended_ns = steady_ns();
      lock.lock();
      is_lost_ = is_lost_ || number == faults_.lost_from;
      ended_.push_back(end);
      lock.unlock();
      wake_();
      lock.lock();
    }
  }

  Wake wake_;
  std::function<TimeNs(std::size_t)> latency_;
  IsRight is_right_;
  DeviceDiary& diary_;
  Faults faults_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  std::vector<BatchEnd> ended_;
  int outstanding_ = 0;
  std::size_t submitted_ = 0;
  bool is_lost_ = false;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace harness::testing
