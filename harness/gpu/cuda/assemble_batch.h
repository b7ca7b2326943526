// Batch assembly as a CUDA kernel: it turns uint8 images of differing sizes on the device into one float32
// NCHW batch, with resize, normalisation and layout change fused. Its arithmetic is assemble_pixels.h's: like
// the CPU's values, its values are within tolerance_of() of the exact ones.
#pragma once

#include "harness/gpu/inputs/assemble_pixels.h"
#include "harness/gpu/inputs/assembly_constants.h"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace harness {

/// The largest number of images of one call: a dimension of the grid.
inline constexpr int kMaxAssembled = 65535;

/// Enqueues the assembly of `count` images (0 to kMaxAssembled) on `stream` and returns. `images` is a table
/// on the device, with the images' bytes where it says (InputLayout makes both); `out` has
/// batch_elements(count) floats on the device. All must stay until the stream has passed this point. The
/// launch depends on `constants` and `count` alone, so a CUDA graph that captured it serves later batches of
/// other sizes through the same table. Throws DeviceError if the launch is refused.
void assemble_batch_cuda(const StagedImage* images, int count, const AssemblyConstants& constants, float* out,
                         CUstream_st* stream);

}  // namespace harness
