// How the kernel comes near 80 % of a copy's bandwidth. The numbers are for 32 images of 640x480 to 300x300:
// 29 MB read, 35 MB written. On an H100 (docs/gpu.md) that takes 27 us, 79 % of the copy's bandwidth; 64
// images reach 85 %, and 8 images, which do not fill the GPU, 58 %. Blocks of 8 warps instead of 4 took 0.7
// to 5 % longer, blocks of 2 as long.
//
// A warp takes 32 neighbouring columns: each of its stores is 128 bytes in a row of one plane, and each of
// its loads falls into one run of 205 bytes, and every sector of the run is used. Four columns a thread would
// need fewer stores, but would spread a warp's loads over four times as many sectors, and each costs the L1
// cache a turn.
//
// The six bytes of a pixel and its right neighbour come by three aligned words: half the load instructions of
// six bytes, and the third word is nearly always in a sector already asked for.
//
// A thread takes four rows of its column, finds the column's tap once, and has all its 24 loads under way
// before it uses the first. With 1024 threads a multiprocessor (64 registers each) that is 40 KB of distinct
// bytes in flight; Little's law asks for about 10 KB (3 TB/s, half of it reads, 700 ns, 132 multiprocessors).
//
// Neighbouring rows share input rows. The 32 x 16 outputs of a block need 27 rows of 205 bytes, 5.5 KB, which
// stay in L1, so that device memory sends each sector about once; the rows that blocks share at their edges
// are in L2.
//
// For sm_90 the compiler (nvcc 13.0) makes 560 instructions of a thread's four pixels, without a branch
// before the stores: 53 % of the instructions that an H100 can issue in the time that the bytes take; without
// fused multiply-adds there were 608. Taps need no division: a product and a correction suffice.
#include <cuda_runtime.h>

#include <string>

#include "harness/core/check.h"
#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_check.h"

namespace harness {
namespace {

constexpr int kRows = 4;
constexpr int kBlockColumns = 32;
constexpr int kBlockWarps = 4;
constexpr int kBlockRows = kRows * kBlockWarps;

__global__ void __launch_bounds__(kBlockColumns* kBlockWarps, 8)
    assemble_kernel(const StagedImage* __restrict__ images,
                    const __grid_constant__ AssemblyConstants constants, float* __restrict__ out) {
  const int column = static_cast<int>(blockIdx.x) * kBlockColumns + static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.y) * kBlockRows + static_cast<int>(threadIdx.y) * kRows;
  if (column >= constants.width || first_row >= constants.height) return;
  const std::size_t planes =
      3 * static_cast<std::size_t>(constants.height) * static_cast<std::size_t>(constants.width);
  assemble_pixels<kRows>(images[blockIdx.z], constants, first_row, column, out + blockIdx.z * planes);
}

unsigned blocks(int size, int block) { return static_cast<unsigned>((size + block - 1) / block); }

}  // namespace

void assemble_batch_cuda(const StagedImage* images, int count, const AssemblyConstants& constants, float* out,
                         CUstream_st* stream) {
  HARNESS_CHECK(count >= 0 && count <= kMaxAssembled, "a batch to assemble has 0 to 65535 images");
  if (count == 0) return;
  const dim3 grid(blocks(constants.width, kBlockColumns), blocks(constants.height, kBlockRows),
                  static_cast<unsigned>(count));
  assemble_kernel<<<grid, dim3(kBlockColumns, kBlockWarps), 0, stream>>>(images, constants, out);
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) {
    fail_cuda(launched, "assemble_kernel", "assembling a batch of " + std::to_string(count) + " images");
  }
}

}  // namespace harness
