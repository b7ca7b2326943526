// Notes on how far results depend on the length of their run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/run/summary_row.h"

namespace harness {

/// Returns "cell 3", "cells 3 and 5" or "cells 3, 5 and 12 more": the first `named` of them by their numbers.
std::string numbered(const std::vector<std::uint32_t>& cells, std::size_t named);
/// Returns notes on how far results depend on the length of their run: which requests were not counted, in
/// which cells the queue still grew, and for which cells nobody can tell whether it did.
std::vector<std::string> length_notes(const std::vector<SummaryRow>& rows);

}  // namespace harness
