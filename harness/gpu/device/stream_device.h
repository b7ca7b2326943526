// A device that is driven by a thread of its own, segment by segment: a GPU, or LibTorch on the CPU.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_front_end.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/device/segment_queue.h"
#include "harness/gpu/device/stream_engine.h"

namespace harness {

/// A device with a thread of its own. The event loop's calls put commands into a table of fixed size; the
/// thread copies inputs in pieces, keeps two segments on the device (SegmentQueue), looks whether they have
/// passed, and reports the batches that have ended. The inputs of one outstanding batch, or of the one that
/// will be submitted next, are copied while the other runs. The record of its end is all that is allocated
/// per batch.
///
/// While a batch with exit points runs, the thread looks without a pause: its segments are as short as the
/// time that a sleep takes. Otherwise it sleeps 20 us between looks, or until it is needed. If segments are
/// computed in this thread, each has passed when it looks.
class StreamDevice final : public Device {
 public:
  using MakeEngine = std::function<std::unique_ptr<StreamEngine>()>;

  /// The work that the device's thread has done for batches. Polling is not counted.
  struct HostWork {
    std::uint64_t batches = 0;  ///< number of batches that ended
    TimeNs copying_ns = 0;      ///< time spent copying images' bytes to where the device copies them from
    TimeNs handling_ns = 0;     ///< time spent on all else: enqueueing, times, ends
  };

  /// Calls `make` on the device's thread, where the engine lives; exceptions of `make` are thrown here.
  StreamDevice(std::string name, MakeEngine make, Wake wake);
  ~StreamDevice() override;

  DeviceModel load(const ModelSource& source) override;
  int exit_points(DeviceModel model) const override { return front_end_.exit_points(model); }
  void submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) override;
  void prepare(DeviceModel model, const Image& image) override;
  void preempt(std::uint64_t tag) override;
  bool take(std::vector<BatchEnd>& ended) override;
  MemoryUse memory() const override { return memory_; }
  std::shared_ptr<const DeviceActivity> activity() const override { return activity_; }
  std::vector<std::string> notes() const override { return notes_; }
  std::string name() const override { return front_end_.device(); }

  HostWork host_work() const;

 private:
  static constexpr std::size_t kSlots = kMaxOutstanding;
  static constexpr std::size_t kCommands = 256;

  /// A call of the event loop's thread, other than a load.
  struct Command {
    bool submits = false;  ///< true: submits a batch; false: prepares an image
    int slot = 0;
    DeviceModel model = 0;
    Image image;
  };
  struct LoadRequest {
    const ModelSource& source;
    int exit_points = 0;
    std::exception_ptr failure;
    bool done = false;
  };
  /// The state of an outstanding batch until its end has been taken.
  struct Slot {
    // Used by the event loop's thread.
    bool used = false;
    std::optional<DeviceModel> prepared;  ///< model for whose next batch images were prepared here
    // Written before the submit command; all but `stop` are constant until the end has been taken.
    std::uint64_t tag = 0;
    DeviceModel model = 0;
    std::vector<Image> images;
    TimeNs submitted_ns = 0;
    std::atomic<bool> stop = false;
    // Used by the device's thread.
    bool is_copied = false;
    std::optional<DeviceError> failure;
  };

  // Called by the event loop's thread.
  int slot_to_prepare(DeviceModel model) const;
  int slot_to_submit(DeviceModel model) const;
  /// Adds the command if more than `keep_free` places of the table are free; returns false if not.
  bool post(const Command& command, std::size_t keep_free);

  // Called by the device's thread.
  void work(const MakeEngine& make, std::exception_ptr& failure, bool& is_ready);
  void drive();
  /// Carries out what was asked for, after a pause if there is nothing to do (`moved` is false); returns
  /// false if the device is being destroyed.
  bool take_commands(bool moved);
  void carry_out(const Command& command);
  void load(LoadRequest& request);
  bool copy_inputs();
  bool copy_piece(int number);
  bool note_passed();
  bool enqueue_segments();
  bool end_batches();
  /// Records what the device turns to now: the earliest batch, or nothing.
  void note_activity();
  void end_batch(const SegmentQueue::Finished& finished);
  void lose_all();
  /// Makes the exception that is being handled the failure of the slot's batch.
  void fail(int number);
  /// Runs `call` for the slot; if it throws, fails the slot's batch and returns false.
  template <typename Call>
  bool attempt(int number, const Call& call);
  DevicePlace place_of(const Slot& one) const;
  Slot& slot(int number) { return slots_[static_cast<std::size_t>(number)]; }
  bool spins() const;

  bool copies_ahead_ = false;  ///< StreamEngine::copies_ahead() of the engine; constant
  DeviceFrontEnd front_end_;   ///< models and ends; models are added while the device's thread does nothing
  MemoryUse memory_;           ///< use of memory after the last load
  std::vector<std::string> notes_;
  std::array<Slot, kSlots> slots_;
  const std::shared_ptr<DeviceActivity> activity_ = std::make_shared<DeviceActivity>();
  std::atomic<bool> lost_ = false;

  std::mutex mutex_;  ///< guards the commands, load_request_ and closing_
  std::condition_variable asked_;
  std::condition_variable answered_;
  std::array<Command, kCommands> commands_;
  std::size_t first_command_ = 0;
  std::size_t command_count_ = 0;
  LoadRequest* load_request_ = nullptr;
  bool closing_ = false;
  std::atomic<bool> has_commands_ = false;

  /// The engine. It and the members below are used on the device's thread; any thread may read the counters.
  std::unique_ptr<StreamEngine> engine_;
  SegmentQueue queue_;
  std::vector<DevicePlace> places_;  ///< places that errors name, by DeviceModel
  TimeNs last_end_ns_ = 0;
  std::atomic<std::uint64_t> batches_ = 0;
  std::atomic<TimeNs> copying_ns_ = 0;
  std::atomic<TimeNs> handling_ns_ = 0;
  std::thread thread_;
};

}  // namespace harness
