#include "workloads/trace_files/bin_times.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "harness/core/params.h"

namespace harness {
namespace {

constexpr const char* kTimeNames[] = {"time",   "timestamp", "date", "datetime", "second", "seconds",
                                      "minute", "minutes",   "hour", "hours",    "bin",    "t"};
constexpr double kRounding = 0.05;  // of a step: 0.33, 0.67, 1.00

/// Days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t days_from_civil(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/// The digits of `text` at [from, from + count) as a number within [low, high]; false otherwise.
bool read_digits(std::string_view text, std::size_t from, std::size_t count, int low, int high, int& value) {
  if (from + count > text.size()) return false;
  const char* begin = text.data() + from;
  const auto [end, failure] = std::from_chars(begin, begin + count, value);
  return failure == std::errc() && end == begin + count && *begin != '-' && value >= low && value <= high;
}

/// The fraction of a second ".6805900" in ns, cut after nine digits; false when it is not one.
bool read_fraction(std::string_view text, TimeNs& ns) {
  ns = 0;
  if (text.empty()) return true;
  if (text.front() != '.' || text.size() < 2) return false;
  TimeNs unit = kNsPerS / 10;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9') return false;
    ns += unit * (c - '0');
    unit /= 10;
  }
  return true;
}

/// Seconds, of numbers whatever their unit is.
std::optional<double> read_time(std::string_view field) {
  double number = 0;
  if (read_number(field, number)) return number;
  if (const std::optional<TimeNs> stamp = read_timestamp(field)) return ns_to_s(*stamp);
  return std::nullopt;
}

bool is_time_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  // "time_s", "Time (UTC)", but not "timeouts".
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto end = std::find_if_not(lower.begin(), lower.end(), is_letter);
  return std::find(std::begin(kTimeNames), std::end(kTimeNames), std::string(lower.begin(), end)) !=
         std::end(kTimeNames);
}

bool holds_column(const std::vector<std::size_t>& columns, std::size_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

std::optional<TimeNs> read_timestamp(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  TimeNs fraction = 0;
  const bool good = text.size() >= 19 && text[4] == '-' && text[7] == '-' &&
                    (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':' &&
                    read_digits(text, 0, 4, 1970, 2200, year) && read_digits(text, 5, 2, 1, 12, month) &&
                    read_digits(text, 8, 2, 1, 31, day) && read_digits(text, 11, 2, 0, 23, hour) &&
                    read_digits(text, 14, 2, 0, 59, minute) && read_digits(text, 17, 2, 0, 60, second) &&
                    read_fraction(text.substr(19), fraction);
  if (!good) return std::nullopt;
  const std::int64_t seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  return seconds * kNsPerS + fraction;
}

std::optional<BinTimes> BinTimes::named(const std::vector<std::string_view>& header,
                                        const std::vector<std::size_t>& counts) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (is_time_name(header[i]) && !holds_column(counts, i)) return BinTimes(i, std::string(header[i]));
  }
  return std::nullopt;
}

std::optional<BinTimes> BinTimes::unnamed(const std::vector<std::string_view>& fields,
                                          const std::vector<std::size_t>& counts) {
  if (fields.size() < 2 || holds_column(counts, 0)) return std::nullopt;
  return BinTimes(0, "");
}

void BinTimes::add(const TextLines& lines, const std::vector<std::string_view>& fields) {
  const std::optional<double> time = is_time_ ? read_time(fields[column_]) : std::nullopt;
  if (!time) {
    is_time_ = false;
    return;
  }
  ++rows_;
  const double step = *time - before_;
  if (rows_ == 2) step_ = step;
  // Large times have few digits after the point.
  const double rounding = kRounding * step_ + 4 * std::abs(*time) * std::numeric_limits<double>::epsilon();
  const bool good = rows_ == 1 || (step > 0 && std::abs(step - step_) <= rounding);
  if (!good) {
    InputError error = lines.error(
        name_.empty() ? "column 1" : name_, quoted(fields[column_]) + " after " + quoted(before_text_),
        std::string("a row for every bin, in order") +
            (step_ > 0 ? ", each " + text_of(step_) + " after the one before, as the first two are" : "") +
            "; where no request came, the count 0");
    if (!name_.empty()) throw InputError(error);
    if (wrong_++ == 0) first_wrong_ = std::move(error);
  }
  before_ = *time;
  before_text_ = fields[column_];
}

void BinTimes::check() const {
  constexpr std::size_t kFew = 10;
  if (is_time_ && step_ > 0 && first_wrong_ && wrong_ * kFew <= rows_) throw InputError(*first_wrong_);
}

}  // namespace harness
