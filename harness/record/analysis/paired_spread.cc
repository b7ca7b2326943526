#include "harness/record/analysis/paired_spread.h"

#include <vector>

#include "harness/record/run/column_facts.h"
#include "harness/record/run/no_value.h"

namespace harness {
namespace {

double value_of(const SummaryRow& row, const std::string& column) {
  return number_in(row, column).value_or(kNoValue);
}

}  // namespace

Spread spread_over_seeds(const SeriesCells& series, const std::string& metric) {
  std::vector<double> values;
  for (const SummaryRow* row : series.rows) values.push_back(value_of(*row, metric));
  return spread_of(values);
}

PairedSpread paired_over_seeds(const SeriesCells& series, const SeriesCells& baseline,
                               const std::string& metric) {
  std::vector<double> differences;
  std::vector<double> ratios;
  for (const SummaryRow* row : series.rows) {
    const SummaryRow* other = with_seed(baseline, row->cell.seed);
    if (other == nullptr) continue;
    const double value = value_of(*row, metric);
    const double base = value_of(*other, metric);
    differences.push_back(value - base);  // NaN, and so not counted, if both are infinite
    if (base != 0) ratios.push_back(value / base);
  }
  return {spread_of(differences), spread_of(ratios)};
}

}  // namespace harness
