#include "harness/views/chosen_cell.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
std::uint32_t chosen_cell(const std::string& path, std::optional<std::uint32_t> named) {
  const std::vector<SummaryRow> rows = read_summary(path);
  if (!named && rows.size() == 1) return rows.front().cell.index;
  std::string cells = "a cell of this file";
  if (!rows.empty()) {
    const auto lower = [](const SummaryRow& a, const SummaryRow& b) { return a.cell.index < b.cell.index; };
    const auto [first, last] = std::minmax_element(rows.begin(), rows.end(), lower);
    cells += ", " + std::to_string(first->cell.index) + " to " + std::to_string(last->cell.index);
  }
  cells += " (harness show " + path + " lists them)";
  const InputPlace place{path, 0, "--cell"};
  if (!named) throw input_error(place, "nothing", cells);
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const SummaryRow& one) { return one.cell.index == *named; });
  if (row == rows.end()) throw input_error(place, std::to_string(*named), cells);
  return *named;
}

CellContents cell_with_rows(const std::string& path, std::uint32_t index) {
  CellContents cell = read_cell(path, index);
  const InputPlace place{path, 0, "cell " + std::to_string(index)};
  if (cell.summary.status == "skipped")
    throw input_error(place, "skipped: " + cell.summary.why, "a cell that ran");
  if (cell.summary.sent > 0 && cell.requests.empty())
    throw input_error(place, "no rows of requests and visits",
                      "a cell that kept them; run it again with -o DIR --set 'record.rows=[" +
                          std::to_string(index) + "]'");
  require_known_modules(path, cell);
  return cell;
}

void require_known_modules(const std::string& path, const CellContents& cell) {
  const std::size_t modules = std::min(cell.record.modules.size(), cell.module_names.size());
  const auto all_known = [modules](const auto& rows) {
    return std::ranges::all_of(rows, [modules](const auto& row) { return row.module < modules; });
  };
  if (all_known(cell.requests) && all_known(cell.visits) && all_known(cell.record.plans)) return;
  throw input_error({path, 0, "cell " + std::to_string(cell.summary.cell.index)},
                    "rows of a module that the cell does not have", "what harness wrote there");
}

TimeNs time_of_run(const char* option, const std::string& text) {
  constexpr double kLongestS = 1e9;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit == "ms") value /= 1000;
  const bool is_number = failure == std::errc() && (unit.empty() || unit == "s" || unit == "ms");
  if (!is_number || !(value >= 0 && value <= kLongestS))
    throw input_error({"", 0, option}, "'" + text + "'",
                      "a time since the start of the load: 31.2s, 31200ms");
  return s_to_ns(value);
}

}  // namespace harness
