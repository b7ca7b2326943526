// /summary: a row per cell, its columns those that SummaryRow::list names. Internal to record/.
#pragma once

#include <vector>

#include "harness/record/hdf5_handle.h"
#include "harness/record/summary.h"

namespace harness {

void write_summary_table(hid_t root, std::vector<SummaryRow> rows);
std::vector<SummaryRow> read_summary_table(hid_t root);

}  // namespace harness
