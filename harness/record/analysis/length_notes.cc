#include "harness/record/analysis/length_notes.h"

#include <algorithm>
#include <utility>

#include "harness/core/wording.h"
#include "harness/text/text_table.h"

namespace harness {

std::string numbered(const std::vector<std::uint32_t>& cells, std::size_t named) {
  std::string text = cells.size() == 1 ? "cell " : "cells ";
  for (std::size_t i = 0; i < std::min(cells.size(), named); ++i) {
    const bool is_last = i + 1 == cells.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(cells[i]);
  }
  return cells.size() > named ? text + " and " + std::to_string(cells.size() - named) + " more" : text;
}

namespace {

/// Returns the cells whose queue_trend is `trend`, and the series that they belong to: "naive, pard/back".
std::pair<std::vector<std::uint32_t>, std::string> cells_with(const std::vector<SummaryRow>& rows,
                                                              const char* trend) {
  std::vector<std::uint32_t> cells;
  std::vector<std::string> series;
  for (const SummaryRow& row : rows) {
    if (row.queue_trend != trend) continue;
    cells.push_back(row.cell.index);
    if (std::find(series.begin(), series.end(), row.cell.series) == series.end())
      series.push_back(row.cell.series);
  }
  constexpr std::size_t kNamed = 4;
  const std::size_t more = series.size() - std::min(series.size(), kNamed);
  series.resize(series.size() - more);
  return {cells, join_names(series) + (more > 0 ? " and " + std::to_string(more) + " more" : "")};
}

}  // namespace

std::vector<std::string> length_notes(const std::vector<SummaryRow>& rows) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> notes;
  if (rows.empty()) return notes;
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &SummaryRow::measured_from_s);
  const double shortest_s = least->measured_from_s;
  const double longest_s = most->measured_from_s;
  if (longest_s > 0) {
    const std::string from = shortest_s < longest_s ? number_text(shortest_s) + " to " : "";
    notes.push_back("requests sent in the first " + from + number_text(longest_s) +
                    " s are not counted (workload.measure_from_s)");
  }
  if (const auto [cells, series] = cells_with(rows, "growing"); !cells.empty()) {
    notes.push_back("overload: " + numbered(cells, kNamed) + " (" + series + ") depend" +
                    (cells.size() == 1 ? "s" : "") +
                    " on the length of the run: the queue still grew (queue_trend)");
  }
  if (const auto [cells, series] = cells_with(rows, "unclear"); !cells.empty()) {
    notes.push_back(numbered(cells, kNamed) + " (" + series +
                    "): the run is too short, or its load too varied, to tell whether the queue still grew "
                    "(queue_trend)");
  }
  return notes;
}

}  // namespace harness
