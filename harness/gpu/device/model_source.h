// What a device is told to load: a model, and how it is to be run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/precision.h"

namespace harness {

/// The value of ModelSource::exit_points that asks for all exit points of the model.
inline constexpr int kAllExitPoints = -1;

/// A model and how it is to be run.
struct ModelSource {
  std::string model;       ///< name of a model of the zoo; if `file` is given, only its name in messages
  std::string file;        ///< path of the user's TorchScript file; empty: the zoo's model
  std::uint64_t seed = 1;  ///< seed of the zoo's random weights
  int max_batch = 1;       ///< size of the largest batch that will be submitted; at least 1
  /// The batch sizes, rising and up to max_batch, that are to be as fast as the device can. A device that
  /// prepares each size (a CUDA graph) takes longer for others. Empty: all sizes.
  std::vector<int> batches;
  int exit_points = 0;  ///< number of exit points, at which a batch can stop (SHEPHERD, Table 4), evenly in
                        ///< time if that is known
  /// The height in pixels that images are resized to; 0: the model's own, which a file does not have.
  int input_height = 0;
  int input_width = 0;
  /// The number of bytes that each image of a batch leaves behind for other models (BatchEnd::outputs); 0:
  /// nothing.
  std::size_t output_bytes = 0;
  /// The precision of weights and computation. In half precision the zoo's convolutions have their batch
  /// normalisation folded in, and images are channels last.
  Precision precision = Precision::kFp32;

  bool operator==(const ModelSource&) const = default;
};

}  // namespace harness
