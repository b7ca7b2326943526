// How the kernel means to reach the bandwidth of a copy (32 pictures of 640x480 to 300x300: 29 MB read, 35 MB
// written).
//
// - A warp takes 32 neighbouring columns, so each of its stores is 128 bytes in a row of one plane, and its
// loads fall
//   into one run of 32 * width / output width pixels: 205 bytes here, all of whose sectors are used. Stores
//   of four columns a thread would make four times fewer instructions, but would tear a warp's loads over
//   four times as many sectors, each of which costs the L1 cache a turn.
// - The six bytes of a pixel and its right neighbour come by three aligned words rather than six bytes, half
// of the
//   load instructions; the third word is nearly always in a sector already asked for.
// - A thread takes kRows rows of its column. It finds the column's tap once, and all its loads (6 * kRows
// words) are
//   under way before the first is used: with 1024 threads a multiprocessor that is about 40 KB of distinct
//   bytes in flight, where Little's law asks for about 10 KB (3.3 TB/s, half of it reads, 700 ns, 132
//   multiprocessors).
// - Neighbouring rows share input rows: a block's 32 rows x 32 columns need 52 rows x 205 bytes, 11 KB, which
// stay in
//   L1, so that device memory sees each sector about once; what blocks share at their edges comes from L2.
// - About 110 instructions a pixel, a quarter of what the multiprocessors issue in the time the bytes take.
// Taps need
//   no division: a product with a reciprocal and one correction.
#include <cuda_runtime.h>

#include <string>

#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_check.h"

namespace harness {
namespace {

constexpr int kRows = 4;
constexpr int kBlockColumns = 32;
constexpr int kBlockWarps = 8;
constexpr int kBlockRows = kRows * kBlockWarps;

__global__ void __launch_bounds__(kBlockColumns* kBlockWarps, 4)
    assemble_kernel(const StagedPicture* __restrict__ pictures,
                    const __grid_constant__ AssemblyConstants constants, float* __restrict__ out) {
  const int column = static_cast<int>(blockIdx.x) * kBlockColumns + static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.y) * kBlockRows + static_cast<int>(threadIdx.y) * kRows;
  if (column >= constants.width || first_row >= constants.height) return;
  const std::size_t planes =
      3 * static_cast<std::size_t>(constants.height) * static_cast<std::size_t>(constants.width);
  assemble_pixels<kRows>(pictures[blockIdx.z], constants, first_row, column, out + blockIdx.z * planes);
}

unsigned blocks(int size, int block) { return static_cast<unsigned>((size + block - 1) / block); }

}  // namespace

void assemble_batch_cuda(const StagedPicture* pictures, int count, const AssemblyConstants& constants,
                         float* out, CUstream_st* stream) {
  HARNESS_CHECK(count >= 0 && count <= kMostAssembled, "a batch to assemble has 0 to 65535 pictures");
  if (count == 0) return;
  const dim3 grid(blocks(constants.width, kBlockColumns), blocks(constants.height, kBlockRows),
                  static_cast<unsigned>(count));
  assemble_kernel<<<grid, dim3(kBlockColumns, kBlockWarps), 0, stream>>>(pictures, constants, out);
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) {
    fail_cuda(launched, "assemble_kernel", "assembling a batch of " + std::to_string(count) + " pictures");
  }
}

}  // namespace harness
