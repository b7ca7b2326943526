// The value of an expression on rows of results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/claims/expression.h"
#include "harness/claims/result_rows.h"

namespace harness {

/// Computes expressions on the rows of one claim.
///
/// A metric takes the one row that has all its selectors and fits the bindings: of each binding whose key the
/// selectors do not name, the row has that value, or it has no such parameter (a sweep of PARD's parameter
/// does not concern Nexus).
class Evaluation {
 public:
  /// Everything must outlive this; `place` says where the expression stands.
  Evaluation(const std::vector<const ResultRow*>& rows, std::vector<Selector> bindings,
             const InputPlace& place)
      : rows_(rows), bindings_(std::move(bindings)), place_(place) {}

  /// Nothing when a metric has no row, its row is not ok, or its value does not exist (NaN); `missing` then
  /// says what is missing first. Within a reduction such values are left out. Throws InputError when a metric
  /// has several rows, naming the fields in which they differ.
  std::optional<double> value(const Expression& expression);
  const std::string& missing() const { return missing_; }

 private:
  std::optional<double> metric(const Expression& expression);
  std::optional<double> reduction(const Expression& expression);
  std::optional<double> operation(const Expression& expression);
  std::optional<double> nothing(const std::string& why);
  bool fits(const ResultRow& row, const std::vector<Selector>& selectors) const;
  std::vector<FieldValue> values_of(const std::string& key) const;

  const std::vector<const ResultRow*>& rows_;
  std::vector<Selector> bindings_;
  const InputPlace& place_;
  std::string missing_;
};

/// Whether the row has that value, or is not concerned: it has no such parameter.
bool fits_binding(const ResultRow& row, const Selector& binding);

}  // namespace harness
