#include "workloads/trace_files/time_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "harness/core/params.h"
#include "workloads/files/text_lines.h"

namespace harness {
namespace {

constexpr double kMinuteS = 60;
constexpr double kHourS = 3600;
constexpr double kDayS = 86400;

/// Days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t days_from_civil(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/// Takes `count` digits as a number within [low, high] from the front of `text`; false otherwise.
bool take_digits(std::string_view& text, std::size_t count, int low, int high, int& value) {
  if (count > text.size() || text.front() == '-') return false;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + count, value);
  if (failure != std::errc() || end != text.data() + count || value < low || value > high) return false;
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char one) {
  if (!text.starts_with(one)) return false;
  text.remove_prefix(1);
  return true;
}

/// The fraction of a second behind its point, in ns, cut after nine digits.
bool take_fraction(std::string_view& text, TimeNs& ns) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  TimeNs unit = kNsPerS / 10;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
    ns += unit * (text.front() - '0');
    unit /= 10;
  }
  return true;
}

bool take_time_of_day(std::string_view& text, TimeNs& ns) {
  int hour = 0, minute = 0, second = 0;
  if (!take_digits(text, 2, 0, 23, hour) || !take(text, ':') || !take_digits(text, 2, 0, 59, minute))
    return false;
  if (take(text, ':')) {
    if (!take_digits(text, 2, 0, 60, second)) return false;
    const bool has_fraction = take(text, '.') || take(text, ',');
    if (has_fraction && !take_fraction(text, ns)) return false;
  }
  ns += (hour * 3600 + minute * 60 + second) * kNsPerS;
  return true;
}

/// Z, UTC, or +01:00, +0100, +01 behind the time of day.
bool take_zone(std::string_view& text, TimeNs& ns) {
  while (take(text, ' ')) {
  }
  if (text == "Z" || text == "UTC") text = {};
  if (text.empty()) return true;
  const int sign = text.front() == '-' ? -1 : 1;
  int hour = 0, minute = 0;
  if (!take(text, '+') && !take(text, '-')) return false;
  if (!take_digits(text, 2, 0, 23, hour)) return false;
  take(text, ':');
  if (!text.empty() && !take_digits(text, 2, 0, 59, minute)) return false;
  ns -= sign * (hour * 3600 + minute * 60) * kNsPerS;
  return text.empty();
}

bool is_real_day(int year, int month, int day) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/// 2024010510, with the minute, with the second: dates as numbers, of this century.
std::optional<TimeNs> read_compact(std::string_view text) {
  if (text.size() != 10 && text.size() != 12 && text.size() != 14) return std::nullopt;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!take_digits(text, 4, 2000, 2099, year) || !take_digits(text, 2, 1, 12, month) ||
      !take_digits(text, 2, 1, 31, day) || !take_digits(text, 2, 0, 23, hour))
    return std::nullopt;
  if (!text.empty() && !take_digits(text, 2, 0, 59, minute)) return std::nullopt;
  if (!text.empty() && !take_digits(text, 2, 0, 59, second)) return std::nullopt;
  if (!is_real_day(year, month, day)) return std::nullopt;
  const std::int64_t days = days_from_civil(year, month, day);
  return (days * 86400 + hour * 3600 + minute * 60 + second) * kNsPerS;
}

/// 10/Oct/2023:13:55:36 -0700, as Apache and nginx write it.
std::optional<TimeNs> read_of_web_server(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::size_t kLetters = 3;
  int day = 0, year = 0;
  if (!take_digits(text, 2, 1, 31, day) || !take(text, '/') || text.size() < kLetters) return std::nullopt;
  const std::size_t at = kMonths.find(text.substr(0, kLetters));
  if (at == std::string_view::npos || at % kLetters != 0) return std::nullopt;
  const int month = static_cast<int>(at / kLetters) + 1;
  text.remove_prefix(kLetters);
  TimeNs of_day = 0;
  if (!take(text, '/') || !take_digits(text, 4, 1970, 2200, year) || !is_real_day(year, month, day) ||
      !take(text, ':') || !take_time_of_day(text, of_day) || !take_zone(text, of_day))
    return std::nullopt;
  return days_from_civil(year, month, day) * static_cast<TimeNs>(kDayS) * kNsPerS + of_day;
}

}  // namespace

bool is_time_of_day(std::string_view text) {
  TimeNs ns = 0;
  return take_time_of_day(text, ns) && take_zone(text, ns);
}

std::optional<TimeNs> read_timestamp(std::string_view text) {
  int year = 0, month = 0, day = 0;
  if (const std::optional<TimeNs> compact = read_compact(text)) return compact;
  if (const std::optional<TimeNs> logged = read_of_web_server(text)) return logged;
  const char between = text.size() > 4 && text[4] == '/' ? '/' : '-';
  if (!take_digits(text, 4, 1970, 2200, year) || !take(text, between) ||
      !take_digits(text, 2, 1, 12, month) || !take(text, between) || !take_digits(text, 2, 1, 31, day))
    return std::nullopt;
  if (!is_real_day(year, month, day)) return std::nullopt;
  TimeNs ns = days_from_civil(year, month, day) * static_cast<TimeNs>(kDayS) * kNsPerS;
  if (text.empty()) return ns;
  TimeNs of_day = 0;
  if (text.find_first_of(" T,;\t") != 0) return std::nullopt;
  text = trimmed(text.substr(1));
  if (!take_time_of_day(text, of_day) || !take_zone(text, of_day)) return std::nullopt;
  return ns + of_day;
}

bool is_local_time(std::string_view timestamp) {
  const std::size_t time = timestamp.find(':');
  return time == std::string_view::npos || timestamp.find_first_of("+-ZU", time) == std::string_view::npos;
}

std::optional<double> unit_s_of(std::string_view word) {
  struct Unit {
    std::vector<std::string_view> names;
    double s;
  };
  static const std::vector<Unit> kUnits = {
      {{"s", "sec", "secs", "second", "seconds"}, 1},
      {{"ms", "msec", "msecs", "millis", "millisecond", "milliseconds"}, 1e-3},
      {{"us", "usec", "usecs", "micros", "microsecond", "microseconds"}, 1e-6},
      {{"ns", "nsec", "nanos", "nanosecond", "nanoseconds"}, 1e-9},
      {{"min", "mins", "minute", "minutes"}, kMinuteS},
      {{"h", "hr", "hour", "hours"}, kHourS},
      {{"day", "days"}, kDayS}};
  for (const Unit& unit : kUnits) {
    if (std::find(unit.names.begin(), unit.names.end(), word) != unit.names.end()) return unit.s;
  }
  return std::nullopt;
}

std::string unit_text(double unit_s) {
  for (const char* name : {"s", "ms", "us", "ns", "minute", "hour", "day"}) {
    if (unit_s_of(name) == unit_s) return name;
  }
  return text_of(unit_s) + " s";
}

std::optional<double> epoch_unit_s(double value) {
  constexpr double kFirstS = 1e9;
  for (const double unit_s : {1.0, 1e-3, 1e-6, 1e-9}) {
    if (value * unit_s >= kFirstS && value * unit_s <= kLatestEpochS) return unit_s;
  }
  return std::nullopt;
}

}  // namespace harness
