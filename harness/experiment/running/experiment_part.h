// Parts of the cells of an experiment, for jobs that share nothing (--part).
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/hash.h"

namespace harness {

/// One of equally large parts of an experiment's cells.
struct ExperimentPart {
  std::uint32_t number = 1;  ///< number of the part, from 1 to `of`
  std::uint32_t of = 1;

  /// Returns true if the cell is in this part. Of every `of` cells in a row each part gets one, at a random
  /// place each time: cells of similar cost often come at equal distances.
  bool has(std::uint32_t cell) const { return (cell % of + mix64(cell / of) % of) % of == number - 1; }
  bool is_whole() const { return of == 1; }
  /// Returns "3/100".
  std::string text() const { return std::to_string(number) + "/" + std::to_string(of); }
};

/// Reads a part such as "3/100". Throws InputError.
ExperimentPart parse_part(const std::string& text);

}  // namespace harness
