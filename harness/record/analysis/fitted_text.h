// A table for people on a terminal that is narrower than it.
#pragma once

#include <string>

#include "harness/record/analysis/text_table.h"

namespace harness {

/// As aligned_text(), in lines of at most `width` characters where that can be done; 0: any width. Where the
/// table is wider, columns that say the same in every row stand in lines above it. If that is not enough,
/// long texts end with "...", then the last columns are left out; a line below says which, and `how_to_see`
/// them all.
std::string fitted_text(const TextTable& table, std::size_t width, const std::string& how_to_see);

}  // namespace harness
