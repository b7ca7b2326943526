#include "harness/record/hdf5/results_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/run/metrics.h"
#include "harness/record/run/no_value.h"

namespace harness {
namespace {

/// The one metric that can be computed for files that lack it.
constexpr std::string_view kSloAttainment = "slo_attainment";
/// A column that is missing in files which have 0 in the place of a value that does not exist.
constexpr std::string_view kFirstOfQuantiles = "latency_ms_p50_low";
/// Columns that files of an older version may lack, beside metrics.
constexpr std::string_view kLaterColumns[] = {"answers",     "devices", "measured_from_s",
                                              "queue_trend", "series",  "workload"};

bool is_among(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Gives a row of an older file the values that it would hold today: older files have 0 for a value that does
/// not exist, and status "ok" for a cell without requests. results/harness_results/file.py does the same.
void settle_older(SummaryRow& row) {
  if (row.status == "ok" && row.sent == 0) {
    row.status = "skipped";
    row.why = "no request was sent";
    std::ranges::fill(row.values, kNoValue);
  }
  if (row["overload_s"] == 0) row["goodput_overload_rps"] = row["drop_rate_overload"] = kNoValue;
  settle_values(row);
  for (double& value : row.values) {
    if (std::isinf(value)) value = kNoValue;  // settle_values() has set it in a column that the file lacks
  }
}

}  // namespace

std::vector<SummaryRow> read_summary_table(hid_t root) {
  const std::vector<std::string> names = StoredTable(root, kSummaryTable).column_names();
  const SummaryRow row;
  SummaryRow::list(row, [&names](const char* name, const auto&) {
    const bool may_lack = find_metric(name) != nullptr || is_among(kLaterColumns, name);
    if (!may_lack && !is_among(names, name)) throw Hdf5Failure("find all columns of /summary");
  });
  std::vector<SummaryRow> rows = read_table<SummaryRow>(root, kSummaryTable);
  for (SummaryRow& one : rows) {
    if (!is_among(names, kSloAttainment) && one.sent > 0)
      one[kSloAttainment] = static_cast<double>(one.in_time) / static_cast<double>(one.sent);
    if (!is_among(names, kFirstOfQuantiles)) settle_older(one);
  }
  return rows;
}

ResultsReader::ResultsReader(const std::string& path) : path_(path), file_(path) { check_format(); }

void ResultsReader::check_format() const {
  const std::string format = file_.format();
  if (format == kCvFormatName)
    throw input_error({path_, 0, kFormatAttribute}, "a table of harness trace cv", kAllowedResults);
  if (format == kFitFormatName)
    throw input_error({path_, 0, kFormatAttribute}, "results of harness fit (harness figures draws them)",
                      kAllowedResults);
  if (format != kFormatName) {
    throw input_error({path_, 0, kFormatAttribute}, "an HDF5 file of another program", kAllowedResults);
  }
  const std::int64_t version = read([&] { return read_integer_attribute(root(), kVersionAttribute); });
  if (version < 1 || version > kResultsFormat) {
    throw input_error({path_, 0, kVersionAttribute}, std::to_string(version),
                      "at most " + std::to_string(kResultsFormat) + " (written by a newer harness?)");
  }
}

}  // namespace harness
