// A check of the assembly kernel against the CPU version.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/input_format.h"

namespace harness {

/// Expects the CUDA kernel's values to be the CPU version's, within the tolerance of both.
inline void expect_assembled(const float* found, const std::vector<Image>& images,
                             const InputFormat& format) {
  std::vector<float> expected(batch_elements(format, images.size()));
  assemble_batch(images, format, expected);
  const std::size_t plane = batch_elements(format, 1) / 3;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 2 * tolerance_of(format, i / plane % 3)) << "element " << i;
}

}  // namespace harness
