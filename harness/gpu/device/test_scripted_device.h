// For tests: a device whose batches take a given time, in any clock, and which looks at its images.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/random_stream.h"
#include "harness/gpu/device/device.h"
#include "harness/gpu/device/model_source.h"
#include "harness/machine/steady_clock.h"

namespace harness {

/// Returns the output of a scripted model for an image: it depends on the model's name and on each byte.
inline std::vector<std::byte> scripted_output(const std::string& model, std::span<const std::uint8_t> image,
                                              std::size_t bytes) {
  const std::string_view content(reinterpret_cast<const char*>(image.data()), image.size());
  RandomStream random(std::hash<std::string_view>()(content), "scripted " + model);
  std::vector<std::byte> output(bytes);
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.bits();
    std::memcpy(&output[i], &word, std::min(sizeof(word), bytes - i));
  }
  return output;
}

/// The behaviour of a device. Batches are counted from 0.
struct DeviceScript {
  static constexpr std::size_t kNoBatch = ~std::size_t{0};

  std::function<TimeNs()> clock = steady_ns;
  std::function<TimeNs(const ModelSource&, int batch)> latency = nullptr;
  TimeNs handover_ns = 0;    ///< time for each image before its batch can start
  TimeNs submission_ns = 0;  ///< time for each batch, likewise
  TimeNs part_ns = 0;        ///< time from one place where a batch can stop to the next; 0: exit points
  std::function<bool(DeviceModel, const Image&)> is_right = nullptr;  ///< judges images; null: not judged
  std::function<void()> on_load = nullptr;
  std::string note = "";  ///< note on each model, behind its name; "": devices have no notes

  int fits = 1 << 20;                 ///< size of the largest batch for which the memory suffices
  std::size_t fails_at = kNoBatch;    ///< number of the batch that fails alone
  std::size_t lost_from = kNoBatch;   ///< number of the batch at which it is lost; it refuses later ones
  std::size_t refuses_at = kNoBatch;  ///< number of the batch at whose submission the device is found lost
};

/// A record of what a device was given, for the batches whose ends were taken.
struct DeviceDiary {
  std::vector<ModelSource> models;
  std::vector<DeviceModel> batch_models;
  std::vector<std::size_t> batch_sizes;
  std::uint64_t images = 0;
  std::uint64_t images_on_device = 0;
  std::uint64_t wrong_images = 0;
  /// The number of batches whose images, and no others, had been prepared in their order; then the number of
  /// other batches.
  std::uint64_t prepared_batches = 0;
  std::uint64_t other_batches = 0;
};

/// A device that follows a DeviceScript. It looks at a batch's images, and at those prepared for it, when the
/// batch's end is taken, so that the address sanitizer finds an image that is gone by then. Exit points cut a
/// batch into equal parts.
class ScriptedDevice : public Device {
 public:
  /// `wake` is called when a batch ends, in real time; null: nobody waits for it.
  explicit ScriptedDevice(DeviceScript how, Wake wake = nullptr) : script(std::move(how)) {
    if (wake) thread_ = std::thread([this, wake = std::move(wake)] { wake_up(wake); });
  }
  ~ScriptedDevice() override {
    if (!thread_.joinable()) return;
    announce(kOver);
    thread_.join();
  }

  DeviceModel load(const ModelSource& source) override {
    if (source.model == "broken") throw error(DeviceFault::kMissingModel, source.model, 0, "no such");
    if (script.on_load) script.on_load();
    diary_.models.push_back(source);
    return static_cast<DeviceModel>(diary_.models.size() - 1);
  }
  int exit_points(DeviceModel model) const override { return diary_.models.at(model).exit_points; }

  void submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) override {
    HARNESS_CHECK(batches_.size() < kMaxOutstanding, "too many batches at once");
    const ModelSource& source = diary_.models.at(model);
    if (is_lost_ || submitted_ == script.refuses_at) throw lost(source, images.size());
    const auto count = static_cast<int>(images.size());
    Batch batch;
    batch.tag = tag;
    batch.number = submitted_++;
    batch.model = model;
    batch.earliest_ns = script.clock() + script.handover_ns * count + script.submission_ns;
    batch.latency_ns = script.latency(source, count);
    batch.images.assign(images.begin(), images.end());
    batch.prepared = std::exchange(prepared_[model], {});
    batches_.push_back(std::move(batch));
    announce(next_end_ns());
  }
  void prepare(DeviceModel model, const Image& image) override { prepared_[model].push_back(image); }

  void preempt(std::uint64_t tag) override {
    TimeNs started_ns = free_ns_;
    for (Batch& batch : batches_) {
      started_ns = std::max(started_ns, batch.earliest_ns);
      if (batch.tag == tag) {
        const TimeNs parts = diary_.models[batch.model].exit_points + 1;
        const TimeNs part_ns = script.part_ns > 0 ? script.part_ns : (batch.latency_ns + parts - 1) / parts;
        const TimeNs ran_ns = script.clock() - started_ns;
        batch.stopped_ns = ran_ns < 0 ? 0 : (ran_ns / part_ns + 1) * part_ns;
      }
      started_ns += batch.run_ns();
    }
    announce(next_end_ns());
  }

  bool take(std::vector<BatchEnd>& ended) override {
    const std::size_t before = ended.size();
    while (next_end_ns() <= script.clock()) {
      const Batch batch = std::move(batches_.front());
      batches_.pop_front();
      ended.push_back(end_of(batch));
      free_ns_ = ended.back().ended_ns;
    }
    announce(next_end_ns());
    return ended.size() > before;
  }

  MemoryUse memory() const override {
    return {0, 1000 * diary_.models.size(), std::vector<std::uint64_t>(diary_.models.size(), 5'000'000)};
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> lines;
    for (const ModelSource& source : diary_.models) lines.push_back(source.model + script.note);
    if (script.note.empty()) lines.clear();
    return lines;
  }
  std::string name() const override { return "scripted"; }

  TimeNs next_end_ns() const { return batches_.empty() ? kNever : start_ns() + batches_.front().run_ns(); }
  const DeviceDiary& diary() const { return diary_; }

  DeviceScript script;  ///< behaviour; may change between batches

 private:
  static constexpr TimeNs kOver = -1;
  struct Batch {
    std::uint64_t tag = 0;
    std::size_t number = 0;
    DeviceModel model = 0;
    TimeNs earliest_ns = 0;
    TimeNs latency_ns = 0;
    TimeNs stopped_ns = kNever;  ///< time of its run after which it stops; kNever: it was not preempted
    std::vector<Image> images;
    std::vector<Image> prepared;

    TimeNs run_ns() const { return std::min(latency_ns, stopped_ns); }
  };

  TimeNs start_ns() const { return std::max(free_ns_, batches_.front().earliest_ns); }

  static DeviceError error(DeviceFault fault, const std::string& model, std::size_t batch,
                           const std::string& detail) {
    return {fault, {"scripted", model, static_cast<int>(batch)}, detail};
  }
  static DeviceError lost(const ModelSource& source, std::size_t batch) {
    return error(DeviceFault::kDeviceLost, source.model, batch, "it fell off the bus");
  }

  BatchEnd end_of(const Batch& batch) {
    look_at(batch);
    BatchEnd end;
    end.tag = batch.tag;
    end.started_ns = std::max(free_ns_, batch.earliest_ns);
    end.ended_ns = end.started_ns + batch.run_ns();
    end.preempted = batch.run_ns() < batch.latency_ns;
    is_lost_ = is_lost_ || batch.number >= script.lost_from;
    const ModelSource& source = diary_.models[batch.model];
    const auto fail = [&](const DeviceError& error) {
      end.failure = error.what();
      end.fault = error.fault();
    };
    if (batch.number == script.fails_at)
      fail(error(DeviceFault::kComputeFailed, source.model, batch.images.size(), "as told"));
    if (batch.images.size() > static_cast<std::size_t>(script.fits))
      fail(error(DeviceFault::kOutOfMemory, source.model, batch.images.size(), ""));
    if (is_lost_) fail(lost(source, batch.images.size()));
    if (end.failure.empty() && !end.preempted && source.output_bytes > 0)
      end.outputs = outputs_of(source, batch.images);
    return end;
  }

  static StoredTensor outputs_of(const ModelSource& source, const std::vector<Image>& images) {
    const auto all = std::make_shared<std::vector<std::byte>>();
    for (const Image& image : images) {
      const std::vector<std::byte> one = scripted_output(source.model, image.bytes, source.output_bytes);
      all->insert(all->end(), one.begin(), one.end());
    }
    return {all->data(), all->size(), all};
  }

  void look_at(const Batch& batch) {
    diary_.batch_models.push_back(batch.model);
    diary_.batch_sizes.push_back(batch.images.size());
    diary_.images += batch.images.size();
    const auto is_same = [](const Image& a, const Image& b) { return a.bytes.data() == b.bytes.data(); };
    const bool all = std::equal(batch.images.begin(), batch.images.end(), batch.prepared.begin(),
                                batch.prepared.end(), is_same);
    ++(all ? diary_.prepared_batches : diary_.other_batches);
    for (const Image& image : batch.images) diary_.images_on_device += image.on_device ? 1 : 0;
    for (const auto* images : {&batch.images, &batch.prepared}) {
      for (const Image& image : *images) {
        if (script.is_right && !script.is_right(batch.model, image)) ++diary_.wrong_images;
      }
    }
  }

  /// Sets the time at which the thread calls `wake`.
  void announce(TimeNs at_ns) {
    if (!thread_.joinable()) return;
    const std::lock_guard lock(mutex_);
    wake_ns_ = at_ns;
    changed_.notify_one();
  }
  void wake_up(const Wake& wake) {
    std::unique_lock lock(mutex_);
    while (wake_ns_ != kOver) {
      const TimeNs left_ns = wake_ns_ == kNever ? kNsPerS : wake_ns_ - steady_ns();
      if (left_ns > 0) {
        changed_.wait_for(lock, std::chrono::nanoseconds(left_ns));
        continue;
      }
      wake_ns_ = kNever;
      lock.unlock();
      wake();
      lock.lock();
    }
  }

  DeviceDiary diary_;
  std::map<DeviceModel, std::vector<Image>> prepared_;
  std::deque<Batch> batches_;
  TimeNs free_ns_ = 0;  ///< end of the last batch that was taken
  std::size_t submitted_ = 0;
  bool is_lost_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  TimeNs wake_ns_ = kNever;
  std::thread thread_;
};

}  // namespace harness
