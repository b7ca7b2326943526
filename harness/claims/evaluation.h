// The value of an expression on rows of results.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/claims/expression.h"
#include "harness/claims/result_rows.h"
#include "harness/core/input_error.h"

namespace harness {

/// Computes expressions on the rows of one claim.
///
/// A metric takes its value from the one row that matches all its selectors and fits the bindings. The
/// bindings are the values of the claim's `for_each` keys and, within a reduction, of the key that it goes
/// over. A row fits a binding if it has that value, or lacks the parameter (a sweep of PARD's parameter does
/// not concern Nexus), or if the selectors name the binding's key.
class Evaluation {
 public:
  /// The arguments passed by reference must outlive this object. `place` is the place of the claim's
  /// expression, for errors.
  Evaluation(const std::vector<const ResultRow*>& rows, std::vector<Selector> bindings,
             const InputPlace& place)
      : rows_(rows), bindings_(std::move(bindings)), place_(place) {}

  /// Returns the value of the expression; nothing if a metric has no row, if its row is not ok, or if its
  /// value does not exist (NaN). missing() then tells the first value that was missing in any call so far.
  /// Within a reduction such values are left out. Throws InputError if a metric has several rows, naming the
  /// fields in which they differ.
  std::optional<double> value(const Expression& expression);
  const std::string& missing() const { return missing_; }
  /// Returns the rows whose metrics were read so far, once for each reading.
  const std::vector<const ResultRow*>& used() const { return used_; }

 private:
  std::optional<double> metric(const Expression& expression);
  std::optional<double> reduction(const Expression& expression);
  std::optional<double> operation(const Expression& expression);
  /// Notes why a value is missing, if no other was before. Returns nothing.
  std::optional<double> note_missing(const std::string& why);
  bool fits(const ResultRow& row, const std::vector<Selector>& selectors) const;
  /// Returns the value of a column: nothing if the row lacks the column, NaN if the value does not exist.
  /// (For value() both are missing, for different reasons.)
  std::optional<double> value_in(const ResultRow& row, const std::string& column) const;
  std::vector<FieldValue> values_of(const std::string& key) const;

  const std::vector<const ResultRow*>& rows_;
  std::vector<Selector> bindings_;
  const InputPlace& place_;
  std::string missing_;
  std::vector<const ResultRow*> used_;
};

/// True if the row has that value, or lacks the parameter, so that the binding does not concern it.
bool fits_binding(const ResultRow& row, const Selector& binding);

}  // namespace harness
