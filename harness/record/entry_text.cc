#include "harness/record/entry_text.h"

#include <algorithm>
#include <string>

#include "harness/core/error.h"

namespace harness {
namespace {

bool any_parameters(const std::vector<SummaryRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const SummaryRow& row) { return !row.cell.parameters.empty(); });
}

std::vector<std::string> columns_of(bool parameters) {
  std::vector<std::string> columns = {"cell", "system", "variant", "pipeline", "trace",
                                      "load", "seed",   "runtime", "slo_ms"};
  if (parameters) columns.emplace_back("parameters");
  for (const char* name : {"model", "sent", "in_time", "late", "dropped", "goodput_rps", "drop_rate"})
    columns.emplace_back(name);
  return columns;
}

}  // namespace

TextTable entry_table(const std::vector<SummaryRow>& rows, const std::vector<EntryCounts>& counts,
                      bool full_precision) {
  const bool parameters = any_parameters(rows);
  TextTable table{columns_of(parameters), {}};
  for (const EntryCounts& entry : counts) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&entry](const SummaryRow& row) { return row.cell.index == entry.cell; });
    HARNESS_CHECK(found != rows.end(), "counts of a cell without a row");
    const CellIdentity& cell = found->cell;
    TextRow row;
    const auto number = [&](double value) { row.push_back(number_cell(value, full_precision)); };
    const auto count = [&](std::uint64_t value) { row.push_back({std::to_string(value), true}); };
    count(cell.index);
    for (const std::string& text : {cell.system, cell.variant, cell.pipeline, cell.trace})
      row.push_back({text});
    number(cell.load);
    count(cell.seed);
    row.push_back({cell.runtime});
    number(found->slo_ms);
    if (parameters) row.push_back({cell.parameters});
    row.push_back({entry.module});
    const RequestCounts& requests = entry.requests;
    for (const std::uint64_t value : {requests.sent, requests.in_time, requests.late, requests.dropped})
      count(value);
    number(found->duration_s > 0 ? static_cast<double>(requests.in_time) / found->duration_s : kNoValue);
    const auto lost = static_cast<double>(requests.late + requests.dropped);
    number(requests.sent > 0 ? lost / static_cast<double>(requests.sent) : kNoValue);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace harness
