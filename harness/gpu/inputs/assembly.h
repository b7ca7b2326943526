// Batch assembly: it turns the images of a batch's requests, of whatever sizes, into the one tensor that the
// network takes. Resize, normalisation and layout change in one pass over memory. This is the CPU version;
// the CUDA kernel (cuda/assemble_batch.h) gives the same values within tolerance_of().
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/gpu/inputs/assembly_kernel.h"
#include "harness/gpu/inputs/image.h"

namespace harness {

/// The input of a network: three float32 planes (R, G, B) of height x width, each value (pixel / 255 -
/// mean[channel]) * scale[channel]. So `scale` is 1 / the standard deviation if a model's description gives
/// that.
struct InputFormat {
  int height = 0;
  int width = 0;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> scale = {1, 1, 1};
};

/// Returns the number of floats of a batch of `count` images: count * 3 * height * width.
std::size_t batch_elements(const InputFormat& format, std::size_t count);

/// Throws InputError if the format has no pixels, more than kLongestSide on a side, or a mean or scale that
/// is not finite.
void check_format(const InputFormat& format);
/// Throws InputError, which names the image, if an image's sides are not 1 to kLongestSide or its bytes are
/// not 3 * height * width.
void check_images(std::span<const Image> images);

/// Returns how far a value of this channel may be from the exact one, in each version: |scale| * 2^-24 * (13
/// + 2 |mean|). Two versions are at most twice that apart.
float tolerance_of(const InputFormat& format, std::size_t channel);

/// Checks the format and returns it as the arithmetic uses it. Throws InputError.
AssemblyConstants constants_of(const InputFormat& format);

/// Assembles batches of one format. It keeps its scratch memory, so a batch with sizes seen before allocates
/// nothing. It may be used by one thread at a time.
class Assembler {
 public:
  /// Throws InputError like check_format().
  explicit Assembler(const InputFormat& format);

  const InputFormat& format() const { return format_; }

  /// Fills `out` (NCHW, batch_elements floats) from the images. Resizing is bilinear with half-pixel centres,
  /// edges repeated, no filter when shrinking: in torch.nn.functional.interpolate it is mode "bilinear",
  /// align_corners = false, antialias = false. Each value is within tolerance_of() of the exact one. Throws
  /// InputError, before writing anything, for wrong images and for an `out` of another size.
  void assemble(std::span<const Image> images, std::span<float> out);

 private:
  void set_input_width(int width);
  void assemble_image(const Image& image, float* planes);

  InputFormat format_;
  AssemblyConstants constants_;
  int input_width_ = 0;
  std::vector<int> column_start_;     ///< 3 * `low` of the tap, by output column
  std::vector<float> column_weight_;  ///< weight of the tap, by output column
  std::vector<float> row_;            ///< blend of two input rows, and zeros past the end
};

/// Does what Assembler::assemble() does, for a single batch.
void assemble_batch(std::span<const Image> images, const InputFormat& format, std::span<float> out);

}  // namespace harness
