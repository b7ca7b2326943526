// The devices on which a rank's workers run their batches in a run on real GPUs. On emulated GPUs the timers
// of WorkerModels take their place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/pipeline.h"
#include "harness/core/precision.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_watch.h"
#include "harness/gpu/device/model_source.h"

namespace harness {

/// The devices of the GPUs that a rank hosts. Each device has the models of all modules, so a worker can
/// change its module without loading. Used by the loop's thread.
class DeviceWorkers {
 public:
  /// A batch that has ended.
  struct EndedBatch {
    WorkerId worker = 0;
    TimeNs started_ns = 0;  ///< time on the steady clock at which the device turned to it
    TimeNs ended_ns = 0;
    bool preempted = false;  ///< true if it stopped early
    StoredTensor outputs{};  ///< outputs, as BatchEnd::outputs
  };
  /// The models to load. `seed` is the seed of the weights.
  struct Models {
    const Pipeline& pipeline;
    const std::vector<Profile>& profiles;  ///< profile of each module
    std::uint64_t seed = 1;
    bool preemptible = false;  ///< true: with the exit points of the profiles
    /// The largest batch of each module that will be run; empty: the largest in the profiles.
    std::vector<int> largest_batches{};
    DeviceWatch::Rules watch{};  ///< rules of the watch over the devices' computations; it lasts until the
                                 ///< devices are gone
    Precision precision = Precision::kFp32;
  };

  /// Loads the models of the modules that are served in batches, and waits for that. `devices` belong to the
  /// GPUs from `first_gpu` on. Throws DeviceError.
  DeviceWorkers(std::vector<std::unique_ptr<Device>> devices, std::uint32_t first_gpu, const Models& models);

  /// Serves these models, of another cell, from now on with what is loaded. Returns false, and changes
  /// nothing, if one of them is not loaded. Weights, exit points and image sizes are always as asked for. The
  /// largest batch of a model without exit points may be larger, and more models may be loaded. But if a
  /// device has notes, all must match exactly, since a note may come from such a difference.
  bool switch_to(const Models& models);
  /// Returns `models.largest_batches`, each raised to the largest batch of the same loaded model, so that the
  /// models serve both cells. Returns them unchanged if a device has notes.
  std::vector<int> batches_for_both(const Models& models) const;
  /// Waits for all batches, also forgotten ones, and runs one image through each model. Afterwards no
  /// prepared image is kept, and all devices have shown that they can go on. Throws DeviceError or
  /// CellFailed.
  void settle();

  /// Runs batches of each module's largest size, in `batches` by module (0: skip it), on every device, as
  /// many as it takes at once, with images of the module's size, and waits for all. So a batch that cannot
  /// run fails here, and not when the load first forms one, and buffers grow here. Nothing else may be
  /// running. Throws DeviceError or CellFailed.
  void try_batches(std::span<const int> batches);
  /// Runs batches as a profile is measured: alone, on one device after the other, `rounds` times in turn.
  /// Their sizes are the usual_batches() (harness/gpu/profiling/profile_model.h) up to each module's largest
  /// size in `batches` (0: skip it). Calls `check_signal`, if any, between rounds.
  ///
  /// Returns the sum of the median times / the sum of the profiled times, in `profiles` (one for each
  /// module), for the device whose quotient is farthest from 1. Returns 1 if no module has batches. Waits for
  /// forgotten batches first; no others may be running. Throws as try_batches() does.
  double slowdown(const Pipeline& pipeline, const std::vector<Profile>& profiles,
                  std::span<const int> batches, int rounds, const std::function<void()>& check_signal = {});

  /// Announces that the image will be in the next batch of that module on the GPU: the device may begin to
  /// copy it. `owner` keeps the bytes until such a batch has ended.
  void prepare(std::uint32_t gpu, ModuleId module, const Image& image, std::shared_ptr<void> owner);
  /// True if the GPU takes another batch: batches of lost workers may still be on the device.
  bool has_room(std::uint32_t gpu) const {
    HARNESS_CHECK(gpu - first_gpu_ < gpus_.size(), "a GPU of another rank");
    return gpus_[gpu - first_gpu_].running.size() < Device::kMaxOutstanding;
  }
  /// Runs a batch of `worker` on its GPU, which has room, behind the worker's running batch if it has one.
  /// `owners` keep the images' bytes until the batch has ended or the device is gone. Throws DeviceError if
  /// the batch cannot run.
  void run_batch(WorkerId worker, std::uint32_t gpu, ModuleId module, std::span<const Image> images,
                 std::span<const std::shared_ptr<void>> owners);
  /// Asks the worker's earliest batch to stop at its next exit point; take() tells if it did.
  void preempt(WorkerId worker);
  /// Asks every batch of the worker to stop, and take() never returns them, since nobody waits for them any
  /// more.
  void forget(WorkerId worker);
  /// Returns the batches that have ended since the last call, without forgotten ones; valid until the next
  /// call. Throws CellFailed if one failed.
  std::span<const EndedBatch> take();

  /// Returns the models' names, each once, in the order of loading.
  std::vector<std::string> loaded() const;
  /// Returns the devices' notes on their models, each once.
  std::vector<std::string> notes() const;
  /// Returns the names of all devices, as RankTotals::devices has them.
  std::string names() const;

 private:
  struct Running {
    std::uint64_t tag = 0;
    WorkerId worker = kNone;                  ///< worker whose batch it is; kNone: forgotten
    std::vector<std::shared_ptr<void>> kept;  ///< owners of its images and of the images prepared for it
  };
  struct GpuModel {
    DeviceModel handle = 0;
    std::vector<std::shared_ptr<void>> prepared;  ///< owners of the images prepared for its next batch
  };
  struct Gpu {
    std::vector<GpuModel> models;    ///< models in the order of loaded_
    std::vector<Running> running;    ///< running batches in the order of submission; few
    std::unique_ptr<Device> device;  ///< last member: it reads the images above until it is gone
  };

  /// A model, and the size of the images that come to it.
  struct Need {
    ModelSource source;
    int image_height = 0;
    int image_width = 0;
    /// True if the two differ at most in the largest batch; with exit points the largest batch must be the
    /// same, too, since a device may place them by the times of its stages in that batch.
    bool is_like(const Need& other) const;
  };
  static constexpr std::size_t kNotLoaded = ~std::size_t{0};

  /// Returns the model that the module needs; nothing if the module is not served in batches.
  static std::optional<Need> need_of(const Models& models, std::size_t module);
  /// Returns the index in loaded_, not among `taken`, of a model that is_like() it with batches at least as
  /// large, or kNotLoaded.
  std::size_t find_in_loaded(const Need& need, const std::vector<std::size_t>& taken) const;

  /// Images of a module's size for try_batches() and slowdown().
  struct Example {
    std::vector<Image> images;
    std::shared_ptr<void> owner;
  };
  static Example example_batch(int height, int width, int batch);
  /// Returns the sum, over the sizes, of the median times of `rounds` batches that run alone on the device.
  TimeNs time_alone(std::uint32_t device, ModuleId module, const std::vector<Example>& sizes, int rounds,
                    const std::function<void()>& check_signal);
  /// Runs as many batches of loaded_[index] as a device takes at once on every device, and waits for all.
  void run_everywhere(std::size_t index, int batch);
  /// Runs a batch of loaded_[index].
  void run_loaded(WorkerId worker, Gpu& own, std::size_t index, std::span<const Image> images,
                  std::span<const std::shared_ptr<void>> owners);
  /// Waits until all batches have ended; returns the last.
  EndedBatch finish();
  Gpu& gpu(std::uint32_t number) { return gpus_[number - first_gpu_]; }

  std::optional<DeviceWatch> watch_;  ///< declared before gpus_, so that it outlives them
  std::vector<Gpu> gpus_;
  std::vector<Need> loaded_;                  ///< models on every device, in the order of loading
  std::vector<std::size_t> index_in_loaded_;  ///< index of each module's model, or kNotLoaded
  std::uint32_t first_gpu_;
  std::uint64_t next_tag_ = 1;
  std::vector<BatchEnd> ends_;
  std::vector<EndedBatch> ended_;
};

}  // namespace harness
