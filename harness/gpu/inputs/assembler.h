// Batch assembly: it turns the images of a batch's requests, of whatever sizes, into the one tensor that the
// network takes. Resize, normalisation and layout change in one pass over memory. This is the CPU version;
// the CUDA kernel (cuda/assemble_batch.h) gives the same values within tolerance_of().
#pragma once

#include <span>
#include <vector>

#include "harness/gpu/inputs/assembly_constants.h"
#include "harness/gpu/inputs/image.h"
#include "harness/gpu/inputs/input_format.h"

namespace harness {

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
