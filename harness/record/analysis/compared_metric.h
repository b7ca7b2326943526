// What results are compared on: a metric, which way it is better, and how large a change of it counts.
#pragma once

#include <string>
#include <vector>

#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

struct Tolerance {
  double value = 0;       ///< at least 0: in the metric's own unit, or a share of what is compared with
  bool relative = false;  ///< the latter

  auto operator<=>(const Tolerance&) const = default;
};

/// Returns now - base, and 0 where both are the same, also where both are infinite; kNoValue where one is.
double difference_of(double base, double now);

struct ComparedMetric {
  std::string name;  ///< a numeric column of /summary
  Better better = Better::kNeither;
  Tolerance tolerance;
  bool where_present = false;  ///< no row where neither result has a value: not all models have an accuracy

  /// A part of a whole, in [0, 1]: rates of requests and GPU time, shares, accuracy.
  bool is_share() const;
  /// kNoValue where the row has none.
  double value_in(const SummaryRow& row) const;
  /// now - base, as the tolerance measures it: in the metric's unit, or as a share of |base| (infinite where
  /// that is 0 and `now` is not).
  double change(double base, double now) const;
  /// How much of a change is for the worse: negative for an improvement; its size when neither way is better.
  double worsening(double change) const;
  /// Whether that much is beyond the tolerance; a rounding error of it is not.
  bool is_beyond(double amount) const;
};

/// SLO attainment, drop rate, invalid rate and, where models have one, accuracy, each within 1 point.
std::vector<ComparedMetric> rate_metrics();
/// Those, and the latencies at p50 and p99 within 5 %.
std::vector<ComparedMetric> usual_metrics();

/// What a client notices: goodput and the latencies at p50, p90 and p99. `text` is the tolerance of each, as
/// in set_tolerance(). Throws InputError, naming `option`, for a bad number.
std::vector<ComparedMetric> service_metrics(const std::string& option, const std::string& text);

/// Reads "drop_rate=0.02" or "latency_ms_p99=10%": sets the tolerance of that metric, which is added when it
/// is not there. Throws InputError for an unknown metric or a bad number.
void set_tolerance(std::vector<ComparedMetric>& metrics, const std::string& text);

/// "95.2%" for a share, else six significant digits; "" where there is no value.
std::string value_text(const ComparedMetric& metric, double value);
/// "+0.12 pt" for a share, else "+3.5"; without the sign when `is_signed` is not set.
std::string difference_text(const ComparedMetric& metric, double difference, bool is_signed);
/// What ComparedMetric::change says: "+7%" with a relative tolerance, else as difference_text.
std::string change_text(const ComparedMetric& metric, double change);
/// "1 pt", "5%", "20".
std::string tolerance_text(const ComparedMetric& metric);
/// The columns `tolerance` and, for programs, `tolerance_kind`.
void add_tolerance(TextTable& table, const ComparedMetric& metric);

}  // namespace harness
