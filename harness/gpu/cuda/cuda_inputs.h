// The inputs of one batch on their way to a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/device/device.h"
#include "harness/gpu/inputs/assembly_kernel.h"
#include "harness/gpu/inputs/input_layout.h"

namespace harness {

/// A pinned buffer and one on the device, of which there are two each: while the batch of one runs, that of
/// the other is copied. Images are copied a piece at a time, to the pinned buffer by the host and on from
/// there by the copy stream. One thread. All throw DeviceError.
class CudaInputs {
 public:
  CudaInputs() : copied_(CudaEvent::Timing::kOff) {}

  /// Makes room for `bytes`. Larger batches make room when they come, which waits for the device. The room
  /// never shrinks.
  void reserve(std::size_t bytes);

  /// The next batch, of this model and up to `most` images, may have this image. Does nothing where there
  /// is no room for it.
  void prepare(DeviceModel model, std::size_t most, const Image& image);
  /// The batch. What was prepared and is not in it is forgotten where it takes the batch's room. Throws
  /// InputError for images that the assembly refuses.
  void begin(DeviceModel model, std::size_t most, std::span<const Image> images);
  /// Copies a piece; false when there is nothing left to copy.
  bool copy_some(const CudaStream& copies);
  /// What is enqueued on `compute` from now on finds the batch copied: copy_some() has returned false.
  void wait_in(CudaStream& compute);
  /// Forgets everything; nothing on the device reads it any more.
  void clear();

  /// The batch's table, for the assembly kernel.
  const StagedImage* table() const { return reinterpret_cast<const StagedImage*>(device_.data()); }
  /// Of the device's memory.
  std::size_t bytes() const { return device_.size(); }

 private:
  /// Of the host's time about 20 us.
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

  /// Begins anew, for a batch of up to `most` images of the model: waits for pieces that are still being
  /// copied, whose places the next ones take.
  void restart(DeviceModel model, std::size_t most);
  void wait_for_pieces();
  void grow(std::size_t bytes);

  PinnedBuffer host_;
  DeviceBuffer device_;
  InputLayout layout_;
  std::optional<DeviceModel> model_;  ///< that the images are for
  CudaEvent copied_;                  ///< on the copy stream, behind the last piece so far
  bool is_copying_ = false;           ///< nobody has waited for that piece
};

}  // namespace harness
