// Workers that are devices: what runs a rank's batches in a run on real GPUs, where WorkerModels' timers do
// on emulated ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_watch.h"

namespace harness {

/// A batch that has ended.
struct DeviceBatch {
  WorkerId worker = 0;
  TimeNs started_ns = 0;  ///< when the device turned to it, of the steady clock
  TimeNs ended_ns = 0;
  bool preempted = false;  ///< it stopped early
};

/// The devices of the GPUs that a rank hosts, each with the models of all modules, so that a worker serves at
/// once whichever module it is given. Used by the loop's thread.
class DeviceWorkers {
 public:
  /// `seed` is that of the weights.
  struct Models {
    const Pipeline& pipeline;
    const std::vector<Profile>& profiles;  ///< by module
    std::uint64_t seed = 1;
    bool preemptible = false;    ///< with the exit points of the profiles
    std::vector<int> batches{};  ///< by module: the largest that will be run; empty: the profiles'
    DeviceWatch::Rules watch{};  ///< of what the devices compute, until they are gone
  };

  /// Loads the models of the modules that are served in batches; takes as long as that takes. Throws
  /// DeviceError. `devices` are those of the GPUs `first_gpu` and following.
  DeviceWorkers(std::vector<std::unique_ptr<Device>> devices, std::uint32_t first_gpu, const Models& models);

  /// Runs batches of each module's largest size, `batches` by module (0: none), on every device, as many as
  /// it takes at once, of images of the module's size, and waits for all: what cannot run would otherwise
  /// show by chance, when the load first makes such a batch, and buffers would grow then. Nothing else may be
  /// running. Throws DeviceError or CellFailed.
  void try_batches(const Pipeline& pipeline, std::span<const int> batches);
  /// Runs batches of the usual_batches() up to each module's largest size `rounds` times in turn, as a
  /// profile is measured: alone, on one device after the other. Calls `check_signal`, if any, between rounds.
  /// Returns how long that took in units of what `profiles`, by module, say: the sum of the medians, of the
  /// device where it is farthest from 1; 1 where no module has batches. Used, and throws, as try_batches().
  double slowdown(const Pipeline& pipeline, const std::vector<Profile>& profiles,
                  std::span<const int> batches, int rounds, const std::function<void()>& check_signal = {});

  /// The image is in the batch of that module that the GPU is given next: the device may begin to copy it.
  /// `owner` keeps the bytes, until such a batch has ended.
  void prepare(std::uint32_t gpu, ModuleId module, const Image& image, std::shared_ptr<void> owner);
  /// Whether the GPU takes a batch: those of lost workers may still be on the device.
  bool has_room(std::uint32_t gpu) const {
    HARNESS_CHECK(gpu - first_gpu_ < gpus_.size(), "a GPU of another rank");
    return gpus_[gpu - first_gpu_].running.size() < Device::kMaxOutstanding;
  }
  /// Runs a batch of `worker`, behind the one that runs if it has one, on its GPU, which has room. `owners`
  /// keep the images' bytes, until the batch has ended or the device is gone. Throws DeviceError when it
  /// cannot run.
  void run_batch(WorkerId worker, std::uint32_t gpu, ModuleId module, std::span<const Image> images,
                 std::span<const std::shared_ptr<void>> owners);
  /// Asks the worker's earliest batch to stop at its next exit point; take() tells whether it did. `forget`:
  /// all of its batches, and it tells nothing, for nobody waits for them any more.
  void preempt(WorkerId worker, bool forget = false);
  /// The batches that have ended since the last call, but those forgotten; valid until the next call. Throws
  /// CellFailed for one that failed.
  std::span<const DeviceBatch> take();

  /// What the devices have to say of their models, each once.
  std::vector<std::string> notes() const;
  /// "cpu", or the devices' names, for messages.
  std::string name() const;

 private:
  struct Running {
    std::uint64_t tag = 0;
    WorkerId worker = kNone;                  ///< kNone: forgotten
    std::vector<std::shared_ptr<void>> kept;  ///< the owners of its images, and of those prepared for it
  };
  struct Gpu {
    std::vector<DeviceModel> models;                           ///< by module
    std::vector<std::vector<std::shared_ptr<void>>> prepared;  ///< by module: for the next batch
    std::vector<Running> running;                              ///< in the order of submission; few
    std::unique_ptr<Device> device;  ///< last: it reads the images above until it is gone
  };

  /// Images of the module's size for try_batches() and slowdown().
  struct Example {
    std::vector<Image> images;
    std::shared_ptr<void> owner;
  };
  static Example example_batch(const Module& module, int batch);
  /// The sum of the medians of `rounds` batches of each size on the device, alone.
  TimeNs time_alone(std::uint32_t device, ModuleId module, const std::vector<Example>& sizes, int rounds,
                    const std::function<void()>& check_signal);
  /// Waits until all batches have ended; returns the last.
  DeviceBatch finish();
  Gpu& gpu(std::uint32_t number) { return gpus_[number - first_gpu_]; }

  std::optional<DeviceWatch> watch_;  ///< before gpus_, whose end waits for the devices
  std::vector<Gpu> gpus_;
  std::uint32_t first_gpu_;
  std::uint64_t next_tag_ = 1;
  std::vector<BatchEnd> ends_;
  std::vector<DeviceBatch> ended_;
};

}  // namespace harness
