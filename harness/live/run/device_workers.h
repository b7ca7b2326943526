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
  StoredTensor outputs{};  ///< as BatchEnd::outputs
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
    Precision precision = Precision::kFp32;
  };

  /// Loads the models of the modules that are served in batches; takes as long as that takes. Throws
  /// DeviceError. `devices` are those of the GPUs `first_gpu` and following.
  DeviceWorkers(std::vector<std::unique_ptr<Device>> devices, std::uint32_t first_gpu, const Models& models);

  /// Serves these models from now on, another cell's, with what is loaded: false when that lacks one of them,
  /// and nothing has changed then. Weights, exit points and images are as asked for; the largest batch of a
  /// model without exit points may be larger, and there may be other models, unless a device had to note
  /// something: that could come of them.
  bool turn_to(const Models& models);
  /// `models.batches`, each at least that of the same model here: what serves both cells. As it is where a
  /// device had to note something.
  std::vector<int> batches_for_both(const Models& models) const;
  /// Waits for all batches, also forgotten ones, and runs one image through each model: no image that was
  /// prepared is kept beyond it, and all devices have shown that they can go on. Throws DeviceError or
  /// CellFailed.
  void settle();

  /// Runs batches of each module's largest size, `batches` by module (0: none), on every device, as many as
  /// it takes at once, of images of the module's size, and waits for all: what cannot run would otherwise
  /// show by chance, when the load first makes such a batch, and buffers would grow then. Nothing else may be
  /// running. Throws DeviceError or CellFailed.
  void try_batches(std::span<const int> batches);
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

  /// The models' names, each once, in the order of loading.
  std::vector<std::string> loaded() const;
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
    std::vector<DeviceModel> models;                           ///< as in loaded_
    std::vector<std::vector<std::shared_ptr<void>>> prepared;  ///< likewise: for the next batch
    std::vector<Running> running;                              ///< in the order of submission; few
    std::unique_ptr<Device> device;  ///< last: it reads the images above until it is gone
  };

  /// A model, and the images that come to it.
  struct Need {
    ModelSource source;
    int image_height = 0;
    int image_width = 0;
    /// Whether it is the same but for the largest batch; with exit points that as well, for a device may
    /// place them by the times of its stages in that batch.
    bool is_like(const Need& other) const;
  };
  static constexpr std::size_t kNotLoaded = ~std::size_t{0};

  /// What the module needs; none when it is not served in batches.
  static std::optional<Need> need_of(const Models& models, std::size_t module);
  /// The place in loaded_, not among `taken`, of what is like it with batches at least as large; kNotLoaded.
  std::size_t place_of(const Need& need, const std::vector<std::size_t>& taken) const;

  /// Images of the module's size for try_batches() and slowdown().
  struct Example {
    std::vector<Image> images;
    std::shared_ptr<void> owner;
  };
  static Example example_batch(int height, int width, int batch);
  /// The sum of the medians of `rounds` batches of each size on the device, alone.
  TimeNs time_alone(std::uint32_t device, ModuleId module, const std::vector<Example>& sizes, int rounds,
                    const std::function<void()>& check_signal);
  /// Runs as many batches of the model as a device takes at once on every device, and waits for all.
  void run_everywhere(std::size_t place, int batch);
  /// `place`: in loaded_.
  void run_loaded(WorkerId worker, Gpu& own, std::size_t place, std::span<const Image> images,
                  std::span<const std::shared_ptr<void>> owners);
  /// Waits until all batches have ended; returns the last.
  DeviceBatch finish();
  Gpu& gpu(std::uint32_t number) { return gpus_[number - first_gpu_]; }

  std::optional<DeviceWatch> watch_;  ///< before gpus_, whose end waits for the devices
  std::vector<Gpu> gpus_;
  std::vector<Need> loaded_;        ///< on every device, in the order of loading
  std::vector<std::size_t> place_;  ///< by module: in loaded_, or kNotLoaded
  std::uint32_t first_gpu_;
  std::uint64_t next_tag_ = 1;
  std::vector<BatchEnd> ends_;
  std::vector<DeviceBatch> ended_;
};

}  // namespace harness
