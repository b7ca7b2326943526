// The metrics on which results are compared: the direction in which each is better, and how large a change of
// it counts.
#pragma once

#include <string>
#include <vector>

#include "harness/record/run/summary_row.h"
#include "harness/text/text_table.h"

namespace harness {

/// Returns now - base; 0 if both are the same, also if both are infinite; kNoValue if one is kNoValue.
double difference_of(double base, double now);

/// A metric on which results are compared.
struct ComparedMetric {
  struct Tolerance {
    double value = 0;       ///< allowed change, at least 0: in the metric's unit, or as a share of the base
    bool relative = false;  ///< true if `value` is a share of the base

    auto operator<=>(const Tolerance&) const = default;
  };

  std::string name;  ///< name of a numeric column of /summary
  Better better = Better::kNeither;
  Tolerance tolerance;
  /// True if a report has no row for the metric when neither result has a value: not all models have an
  /// accuracy.
  bool where_present = false;

  /// True if the metric is a part of a whole, in [0, 1]: rates of requests and GPU time, shares, accuracy.
  bool is_share() const;
  /// Returns the row's value; kNoValue if the row has no value.
  double value_in(const SummaryRow& row) const;
  /// Returns now - base in the measure of the tolerance: in the metric's unit, or as a share of |base|
  /// (infinite if `base` is 0 and `now` is not).
  double change(double base, double now) const;
  /// Returns how much worse a change makes the metric: negative for an improvement; the size of the change if
  /// neither direction is better.
  double worsening(double change) const;
  /// True if the amount is beyond the tolerance by more than a rounding error.
  bool is_beyond(double amount) const;
};

/// Returns SLO attainment, drop rate, invalid rate and (if models have one) accuracy, each with a tolerance
/// of 1 point.
std::vector<ComparedMetric> rate_metrics();
/// Returns rate_metrics() and the latencies at p50 and p99 with a tolerance of 5 %.
std::vector<ComparedMetric> usual_metrics();

/// Returns the metrics that a client notices: goodput and the latencies at p50, p90 and p99. `text` is the
/// tolerance of each, as in set_tolerance(). Throws InputError, naming `option`, for a bad number.
std::vector<ComparedMetric> service_metrics(const std::string& option, const std::string& text);

/// Reads "drop_rate=0.02" or "latency_ms_p99=10%" and sets the tolerance of that metric, which is added if
/// the list lacks it. Throws InputError for an unknown metric or a bad number.
void set_tolerance(std::vector<ComparedMetric>& metrics, const std::string& text);

/// Returns "95.2%" for a share, else six significant digits; "" for kNoValue.
std::string value_text(const ComparedMetric& metric, double value);
/// Returns "+0.12 pt" for a share, else "+3.5"; without the plus sign if `is_signed` is false.
std::string difference_text(const ComparedMetric& metric, double difference, bool is_signed);
/// Returns the text of a ComparedMetric::change(): "+7%" with a relative tolerance, else like
/// difference_text().
std::string change_text(const ComparedMetric& metric, double change);
/// Returns "1 pt", "5%" or "20".
std::string tolerance_text(const ComparedMetric& metric);
/// Adds the columns `tolerance` and, for programs, `tolerance_kind`.
void add_tolerance(TextTable& table, const ComparedMetric& metric);

}  // namespace harness
