// Tables of what became of requests by the module that they enter (`harness show --models`).
#pragma once

#include <vector>

#include "harness/record/results_file.h"
#include "harness/record/text_table.h"

namespace harness {

/// A row for each of `counts`: the columns that name its cell, the module as `model`, sent, in_time, late,
/// dropped, goodput_rps (in_time / duration_s) and drop_rate ((dropped + late) / sent; no value where nothing
/// was sent). `rows` are the cells of the same file.
TextTable entry_table(const std::vector<SummaryRow>& rows, const std::vector<EntryCounts>& counts,
                      bool full_precision);

}  // namespace harness
