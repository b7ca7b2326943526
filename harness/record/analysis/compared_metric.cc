#include "harness/record/analysis/compared_metric.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "harness/core/input_error.h"
#include "harness/record/run/column_facts.h"

namespace harness {
namespace {

constexpr const char* kOption = "--tolerance";
constexpr ComparedMetric::Tolerance kOnePoint = {0.01, false};
constexpr ComparedMetric::Tolerance kFivePercent = {0.05, true};

ComparedMetric::Tolerance tolerance_of(const std::string& option, const std::string& text) {
  const bool percent = !text.empty() && text.back() == '%';
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  ComparedMetric::Tolerance tolerance{0, percent};
  const auto read = std::from_chars(text.data(), end, tolerance.value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(tolerance.value) || tolerance.value < 0)
    throw input_error({"", 0, option}, text, "a number of at least 0, such as 0.01 or 5%");
  if (percent) tolerance.value /= 100;
  return tolerance;
}

/// Returns the value with at most `digits` digits after the point.
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

bool ComparedMetric::is_share() const {
  const Metric* metric = find_metric(name);
  return metric != nullptr && metric->is_share;
}

double ComparedMetric::value_in(const SummaryRow& row) const {
  return number_in(row, name).value_or(kNoValue);
}

double difference_of(double base, double now) { return base == now ? 0 : now - base; }

double ComparedMetric::change(double base, double now) const {
  const double difference = difference_of(base, now);
  const bool is_measured = difference != 0 && std::isfinite(difference);
  if (!tolerance.relative || !is_measured) return difference;
  return base != 0 ? difference / std::abs(base)
                   : std::copysign(std::numeric_limits<double>::infinity(), difference);
}

double ComparedMetric::worsening(double change) const {
  switch (better) {
    case Better::kHigher:
      return -change;
    case Better::kLower:
      return change;
    case Better::kNeither:
      break;
  }
  return std::abs(change);
}

bool ComparedMetric::is_beyond(double amount) const {
  constexpr double kRounding = 1e-9;
  return amount > tolerance.value * (1 + kRounding);
}

std::vector<ComparedMetric> rate_metrics() {
  std::vector<ComparedMetric> metrics;
  for (const char* name : {"slo_attainment", "drop_rate", "invalid_rate"})
    metrics.push_back({name, better_of(name), kOnePoint});
  metrics.push_back({"accuracy", better_of("accuracy"), kOnePoint, true});
  return metrics;
}

std::vector<ComparedMetric> usual_metrics() {
  std::vector<ComparedMetric> metrics = rate_metrics();
  for (const char* name : {"latency_ms_p50", "latency_ms_p99"})
    metrics.push_back({name, better_of(name), kFivePercent});
  return metrics;
}

std::vector<ComparedMetric> service_metrics(const std::string& option, const std::string& text) {
  const ComparedMetric::Tolerance tolerance = tolerance_of(option, text);
  std::vector<ComparedMetric> metrics;
  for (const char* name : {"goodput_rps", "latency_ms_p50", "latency_ms_p90", "latency_ms_p99"})
    metrics.push_back({name, better_of(name), tolerance});
  return metrics;
}

void set_tolerance(std::vector<ComparedMetric>& metrics, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw input_error({"", 0, kOption}, text, "METRIC=VALUE, such as drop_rate=0.02 or latency_ms_p99=10%");
  const std::string name = text.substr(0, equals);
  const ComparedMetric::Tolerance tolerance = tolerance_of(kOption, text.substr(equals + 1));
  const auto given = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const ComparedMetric& metric) { return metric.name == name; });
  if (given != metrics.end()) {
    given->tolerance = tolerance;
    return;
  }
  const std::vector<std::string> known = metric_columns();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw_unknown({"", 0, kOption}, "metric", name, known);
  metrics.push_back({name, better_of(name), tolerance});
}

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
