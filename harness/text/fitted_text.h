// A table for people on a terminal that is narrower than the table.
#pragma once

#include <string>

#include "harness/text/text_table.h"

namespace harness {

/// Returns the table like aligned_text(), in lines of at most `width` characters if possible; 0: any width.
/// If the table is wider, columns with the same value in every row move into lines above it. If that is not
/// enough, long texts are cut and end with "...", then the last columns are left out; a line below names
/// these columns, and `how_to_see` follows it.
std::string fitted_text(const TextTable& table, std::size_t width, const std::string& how_to_see);

}  // namespace harness
