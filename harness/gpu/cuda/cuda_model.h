// The models that a CudaEngine runs, and the place that they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/device/model_source.h"
#include "harness/gpu/inputs/input_format.h"

namespace harness {

struct DevicePlace;

/// A loaded model. The engine assembles images in its input. All functions are called on the device's thread.
/// They throw DeviceError, which need not name the model and the batch.
class CudaModel {
 public:
  /// The output of a batch: values on the device, image by image.
  struct Output {
    const float* values = nullptr;
    std::size_t count = 0;
    const std::uint8_t* payload = nullptr;  ///< source of BatchEnd::outputs; null: there are no such outputs
    std::size_t payload_bytes = 0;
  };

  virtual ~CudaModel() = default;
  virtual const InputFormat& format() const = 0;
  virtual std::size_t max_batch() const = 0;
  /// Returns one more than the number of exit points that it runs with.
  virtual int segments() const = 0;
  /// Returns the device memory of the input, which holds max_batch() images in format().
  virtual float* input() const = 0;
  virtual std::size_t input_bytes() const = 0;
  virtual std::uint64_t weight_bytes() const = 0;
  /// Returns the lines of Device::notes(), without the model's name.
  virtual const std::vector<std::string>& notes() const = 0;

  /// Enqueues a segment of a batch; segments come in order, 0 first.
  virtual void enqueue(std::size_t batch, int segment) = 0;
  /// Returns the output of the batch whose last segment was enqueued last. Its values are valid after that
  /// segment has passed and until the next batch's first segment runs.
  virtual const Output& output() const = 0;
};

/// The source of one engine's models; it outlives them. It is used on the device's thread.
class CudaModels {
 public:
  virtual ~CudaModels() = default;
  /// Loads a model that runs on the engine's compute stream. Throws DeviceError.
  virtual std::unique_ptr<CudaModel> load(const ModelSource& source, const DevicePlace& place) = 0;
};

}  // namespace harness
