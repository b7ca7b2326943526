// Batch assembly: the images of a batch's requests, of whatever sizes, become the one tensor that the
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

/// What a network takes: three float32 planes (R, G, B) of height x width, each value
/// (pixel / 255 - mean[channel]) * scale[channel]. So `scale` is 1 / the standard deviation where a model's
/// description gives that.
struct InputFormat {
  int height = 0;
  int width = 0;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> scale = {1, 1, 1};
};

/// Floats of a batch of `count` images: count * 3 * height * width.
std::size_t batch_elements(const InputFormat& format, std::size_t count);

/// Refuses a format without pixels, with more than kLongestSide on a side, or with a mean or scale that is
/// not finite. Throws InputError.
void check_format(const InputFormat& format);
/// Refuses images whose sides are not 1 to kLongestSide or whose bytes are not 3 * height * width; says
/// which of the batch. Throws InputError.
void check_images(std::span<const Image> images);

/// How far a value of this channel may be from the exact one, by whichever version: |scale| * 2^-24 * (13 + 2
/// |mean|). Two versions are at most twice that apart.
float tolerance_of(const InputFormat& format, std::size_t channel);

/// The checked format as the arithmetic uses it. Throws InputError.
AssemblyConstants constants_of(const InputFormat& format);

/// Assembles batches of one format; keeps its scratch memory, so a batch of sizes seen before allocates
/// nothing. One thread at a time.
class Assembler {
 public:
  /// Throws InputError as check_format.
  explicit Assembler(const InputFormat& format);

  const InputFormat& format() const { return format_; }

  /// Fills `out` (NCHW, batch_elements floats) from the images. Bilinear with half-pixel centres, edges
  /// repeated, no filter when shrinking: what torch.nn.functional.interpolate calls mode "bilinear",
  /// align_corners = false, antialias = false. Each value is within tolerance_of() of the exact one. Throws
  /// InputError, before writing anything, for wrong images and for an `out` of another size.
  void assemble(std::span<const Image> images, std::span<float> out);

 private:
  void set_input_width(int width);
  void assemble_image(const Image& image, float* planes);

  InputFormat format_;
  AssemblyConstants constants_;
  int input_width_ = 0;
  std::vector<int> column_start_;     ///< of each output column: 3 * its tap's low
  std::vector<float> column_weight_;  ///< and its weight
  std::vector<float> row_;            ///< two input rows blended, and zeros past the end
};

/// As Assembler::assemble, for a single batch.
void assemble_batch(std::span<const Image> images, const InputFormat& format, std::span<float> out);

}  // namespace harness
