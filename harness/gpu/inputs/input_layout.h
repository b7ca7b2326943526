// Where the images of one batch stand in the buffer that a device copies them from, when they come one by
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/gpu/inputs/image.h"

namespace harness {

/// Knows what an input buffer holds and fills its half on the host, a piece at a time: first the kernel's
/// table of images (StagedImage), then their bytes, each from a multiple of 16 on. Images may be added
/// before the batch is known (Device::prepare); those that the batch then has are not copied again. Allocates
/// nothing for a batch no larger than those before.
class InputLayout {
 public:
  /// Bytes from `begin` to `end`.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Forgets all images; batches of up to `most` will come.
  void clear(std::size_t most);
  bool empty() const { return pieces_.empty(); }

  /// This image may be in the batch: its bytes are to be copied behind the others.
  void add(const Image& image);
  /// What add() would make of size().
  std::size_t size_with(const Image& image) const;

  /// The batch is known (at most clear()'s number). Those that were added, in the order of add() and as the
  /// same bytes, keep their places; the others are added, but for images on the device, which stay where
  /// they are.
  void place(std::span<const Image> batch);
  /// Bytes that the buffer needs.
  std::size_t size() const { return end_; }
  /// Writes the table of the placed batch for a buffer at `device`.
  void write_table(std::span<std::byte> host, const std::byte* device);

  /// Copies up to `most` more bytes into the host's buffer; returns what of it can be sent to the device.
  /// Ranges but the table's follow one another.
  Range stage(std::span<std::byte> host, std::size_t most);
  /// Nothing is left to copy.
  bool is_staged() const { return !table_waits_ && next_ == pieces_.size(); }

 private:
  struct Piece {
    std::span<const std::uint8_t> bytes;
    std::size_t at = 0;
  };
  struct Entry {
    const std::uint8_t* on_device = nullptr;  ///< and else a piece:
    std::size_t at = 0;
    int height = 0;
    int width = 0;
  };

  std::size_t table_bytes_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Entry> entries_;  ///< of the placed batch
  std::size_t end_ = 0;
  bool table_waits_ = false;  ///< written and not sent
  std::size_t next_ = 0;      ///< the piece that is being staged
  std::size_t into_ = 0;      ///< bytes of it that have been
  std::size_t sent_ = 0;      ///< end of the last range
};

}  // namespace harness
