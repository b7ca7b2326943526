// The places of a batch's images in the buffer that a device copies them from; images may come one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/gpu/inputs/image.h"

namespace harness {

/// The layout of an input buffer, which has a half on the host and one on the device. It fills the host's
/// half, a piece at a time: first the kernel's table of images (StagedImage), then their bytes, each from a
/// multiple of 16 on. Images may be added before the batch is known (Device::prepare); the batch's images
/// among them are not copied again. Allocates nothing for a batch no larger than earlier ones.
class InputLayout {
 public:
  /// The bytes from `begin` to `end`.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Forgets all images; the batches that follow have up to `most` images.
  void clear(std::size_t most);
  bool empty() const { return pieces_.empty(); }

  /// Adds an image that may be in the batch: its bytes are to be copied behind the others.
  void add(const Image& image);
  /// Returns what size() would be after add().
  std::size_t size_with(const Image& image) const;

  /// Places the batch, now that it is known (at most clear()'s number of images). Images that were added, in
  /// the order of add() and as the same bytes, keep their places; the others are added, except images on the
  /// device, which stay where they are.
  void place(std::span<const Image> batch);
  /// Returns the number of bytes that the buffer needs.
  std::size_t size() const { return end_; }
  /// Writes the table of the placed batch, for a buffer whose device half is at `device`.
  void write_table(std::span<std::byte> host, const std::byte* device);

  /// Copies up to `most` more bytes into the host's buffer; returns the part of it that can be sent to the
  /// device. Apart from the table's, the ranges follow one another.
  Range stage(std::span<std::byte> host, std::size_t most);
  /// True if nothing is left to copy.
  bool is_staged() const { return !table_waits_ && next_ == pieces_.size(); }

 private:
  struct Piece {
    std::span<const std::uint8_t> bytes;
    std::size_t at = 0;
  };
  struct Entry {
    const std::uint8_t* on_device = nullptr;  ///< bytes of an image on the device; null: they are a piece
    std::size_t at = 0;
    int height = 0;
    int width = 0;
  };

  std::size_t table_bytes_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Entry> entries_;  ///< images of the placed batch
  std::size_t end_ = 0;
  bool table_waits_ = false;  ///< true if the table is written and not sent
  std::size_t next_ = 0;      ///< index of the piece that is being staged
  std::size_t into_ = 0;      ///< number of its bytes that have been staged
  std::size_t sent_ = 0;      ///< end of the last range
};

}  // namespace harness
