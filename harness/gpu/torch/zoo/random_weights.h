// Random weights that are the same everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace harness {

/// Fills with numbers uniform in centre +- half_width, a function of (seed, name, index) only. About 0.5 ns a
/// number.
void fill_uniform(std::span<float> values, std::uint64_t seed, std::string_view name, float centre,
                  float half_width);

}  // namespace harness
