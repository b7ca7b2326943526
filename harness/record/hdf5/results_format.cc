#include "harness/record/hdf5/results_format.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/table_writer.h"

namespace harness {

std::string cell_group_name(std::uint32_t index) { return "/cells/" + std::to_string(index); }

void write_format(hid_t root, const char* contents) {
  write_attribute(root, kFormatAttribute, std::string(kFormatName));
  write_attribute(root, kVersionAttribute, std::int64_t{kResultsFormat});
  write_attribute(root, kContentsAttribute, std::string(contents));
}

void write_summary(hid_t root, const std::vector<SummaryRow>& rows) {
  constexpr std::size_t kRowsInAChunk = 256;
  write_table(root, kSummaryTable, rows, kRowsInAChunk);
}

}  // namespace harness
