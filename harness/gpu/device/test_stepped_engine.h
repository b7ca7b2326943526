// For tests: a stream engine whose device moves on when the test says.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device/stream_engine.h"
#include "harness/machine/steady_clock.h"

namespace harness {

/// A record of what the engine was asked for, and of how far the test lets its device go. Any thread may use
/// it.
class SteppedGpu {
 public:
  /// Lets the next `count` enqueued segments pass.
  void let_pass(int count) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
  }
  /// Waits until the engine has been asked for all of these, in this order but possibly with others between.
  void wait_for(const std::vector<std::string>& wanted) {
    std::unique_lock lock(mutex_);
    const auto has_come = [&] {
      std::size_t found = 0;
      for (const std::string& line : log_) {
        if (found < wanted.size() && line == wanted[found]) ++found;
      }
      return found == wanted.size();
    };
    if (!changed_.wait_for(lock, std::chrono::seconds(60), has_come))
      throw std::runtime_error("the engine was not asked for " + wanted.back());
  }
  std::vector<std::string> log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  void note(std::string line) {
    const std::lock_guard lock(mutex_);
    log_.push_back(std::move(line));
    changed_.notify_all();
  }
  /// True if the `place`-th segment that was ever enqueued, from 0, has passed.
  bool has_passed(int place) const {
    const std::lock_guard lock(mutex_);
    return place < allowed_;
  }
  /// Throws what the test wants this call to throw, if anything.
  void maybe_fail(const std::string& line) const {
    std::function<void(const std::string&)> fail;
    {
      const std::lock_guard lock(mutex_);
      fail = fail_;
    }
    if (fail) fail(line);
  }
  void fail_by(std::function<void(const std::string&)> fail) {
    const std::lock_guard lock(mutex_);
    fail_ = std::move(fail);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> log_;
  std::function<void(const std::string&)> fail_;
  int allowed_ = 0;
};

/// An engine that notes "begin SLOT", "copy SLOT", "run SLOT SEGMENT", "prepare SLOT", "release SLOT". A
/// batch needs a copy for each image.
class SteppedEngine final : public StreamEngine {
 public:
  explicit SteppedEngine(std::shared_ptr<SteppedGpu> gpu) : gpu_(std::move(gpu)) {}
  ~SteppedEngine() override { gpu_->note("gone"); }

  int load(const ModelSource& source, const DevicePlace&) override {
    note("load " + source.model);
    return source.exit_points;
  }
  MemoryUse memory() const override { return {}; }
  std::vector<std::string> notes() const override { return {"a note"}; }
  void prepare(int slot, DeviceModel, const Image&) override {
    note("prepare " + std::to_string(slot));
    ++at(slot).prepared;
    ++at(slot).copies;
  }
  void begin(int slot, DeviceModel, std::span<const Image> images) override {
    note("begin " + std::to_string(slot));
    at(slot).copies += static_cast<int>(images.size()) - at(slot).prepared;
  }
  bool copy_some(int slot) override {
    if (at(slot).copies == 0) return false;
    --at(slot).copies;  // also if the copy fails
    note("copy " + std::to_string(slot));
    return true;
  }
  void enqueue(int slot, int segment) override {
    note("run " + std::to_string(slot) + " " + std::to_string(segment));
    if (segment == 0) at(slot).first = enqueued_;
    if (segment == 0) at(slot).span.started_ns = steady_ns();
    ++enqueued_;
  }
  bool passed(int slot, int segment) override {
    gpu_->maybe_fail("look " + std::to_string(slot));
    return gpu_->has_passed(at(slot).first + segment);
  }
  DeviceSpan span(int slot, int) override {
    at(slot).span.ended_ns = steady_ns();
    return at(slot).span;
  }
  StoredTensor hand_out(int slot, std::uint64_t) override {
    note("hand out " + std::to_string(slot));
    return {};
  }
  void release(int slot) override {
    note("release " + std::to_string(slot));
    at(slot) = {};
  }

 private:
  struct Batch {
    int prepared = 0;
    int copies = 0;
    int first = 0;
    DeviceSpan span;
  };
  Batch& at(int slot) { return batches_[static_cast<std::size_t>(slot)]; }
  void note(const std::string& line) {
    gpu_->note(line);
    gpu_->maybe_fail(line);
  }

  std::shared_ptr<SteppedGpu> gpu_;
  std::vector<Batch> batches_ = std::vector<Batch>(Device::kMaxOutstanding);
  int enqueued_ = 0;
};

}  // namespace harness
