#include "harness/record/metric_text.h"

#include <cmath>
#include <cstdio>

namespace harness {
namespace {

/// At most `digits` after the point.
std::string rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  std::string shown = text;
  if (shown.find('.') != std::string::npos) {
    shown.erase(shown.find_last_not_of('0') + 1);
    if (shown.back() == '.') shown.pop_back();
  }
  return shown == "-0" ? "0" : shown;
}

std::string with_sign(double value, const std::string& text, bool is_signed) {
  return (is_signed && value > 0 && text != "0" ? "+" : "") + text;
}

}  // namespace

std::string value_text(const ComparedMetric& metric, double value) {
  if (std::isnan(value)) return "";
  return metric.is_share() ? rounded(value * 100, 2) + "%" : number_text(value);
}

std::string difference_text(const ComparedMetric& metric, double difference, bool is_signed) {
  if (std::isnan(difference)) return "";
  if (!metric.is_share()) return with_sign(difference, number_text(difference), is_signed);
  return with_sign(difference, rounded(difference * 100, 3), is_signed) + " pt";
}

std::string change_text(const ComparedMetric& metric, double change) {
  if (!metric.tolerance.relative || std::isnan(change)) return difference_text(metric, change, true);
  return with_sign(change, rounded(change * 100, 2), true) + "%";
}

std::string tolerance_text(const ComparedMetric& metric) {
  const double value = metric.tolerance.value;
  return metric.tolerance.relative ? number_text(value * 100) + "%" : difference_text(metric, value, false);
}

void add_tolerance(TextTable& table, const ComparedMetric& metric) {
  table.add({"tolerance"}, metric.tolerance.value, tolerance_text(metric));
  table.add({"tolerance_kind", ""}, metric.tolerance.relative ? "relative" : "absolute");
}

}  // namespace harness
