// The inputs of one batch on their way to a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/device/device.h"
#include "harness/gpu/inputs/assemble_pixels.h"
#include "harness/gpu/inputs/input_layout.h"

namespace harness {

/// A pinned buffer and one on the device. An engine has two such pairs: while the batch of one pair runs, the
/// batch of the other is copied. Images are copied a piece at a time, to the pinned buffer by the host and on
/// from there by the copy stream. It is used by one thread. All functions throw DeviceError.
class CudaInputs {
 public:
  CudaInputs() : copied_(CudaEvent::Timing::kOff) {}

  /// Makes room for `bytes`. Larger batches make room when they come, which waits for the device. The room
  /// never shrinks.
  void reserve(std::size_t bytes);

  /// Announces an image that the next batch, of this model and of up to `most` images, may have. Does nothing
  /// if there is no room for it.
  void prepare(DeviceModel model, std::size_t most, const Image& image);
  /// Begins the batch. Prepared images that are not in it are forgotten if they take the room that it needs.
  /// Throws InputError for images that the assembly refuses.
  void begin(DeviceModel model, std::size_t most, std::span<const Image> images);
  /// Copies a piece; returns false if nothing was left to copy.
  bool copy_some(const CudaStream& copies);
  /// Makes work that is enqueued on `compute` from now on wait until the batch is copied; copy_some() must
  /// have returned false.
  void wait_in(CudaStream& compute);
  /// Forgets all images; nothing on the device may read them any more.
  void clear();

  /// Returns the batch's table, for the assembly kernel.
  const StagedImage* table() const { return reinterpret_cast<const StagedImage*>(device_.data()); }
  /// Returns the size of the buffer on the device.
  std::size_t bytes() const { return device_.size(); }

 private:
  /// The size of a piece, which takes about 20 us of the host's time.
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

  /// Begins anew, for a batch of up to `most` images of the model: waits for pieces that are still being
  /// copied, whose places the next ones take.
  void restart(DeviceModel model, std::size_t most);
  void wait_for_pieces();
  void grow(std::size_t bytes);

  PinnedBuffer host_;
  CudaBuffer device_;
  InputLayout layout_;
  std::optional<DeviceModel> model_;  ///< model that the images are for
  CudaEvent copied_;                  ///< event on the copy stream, behind the last piece so far
  bool is_copying_ = false;           ///< true if nobody has waited for that piece
};

}  // namespace harness
