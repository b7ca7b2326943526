#include "workloads/trace_files/time_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

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

/// Of "Request-Time (ms)", "requestTimeMs": request, time, ms.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool goes_on = false;
  bool was_lower = false;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!is_upper && !is_lower) {
      goes_on = was_lower = false;
      continue;
    }
    if (!goes_on || (is_upper && was_lower)) words.emplace_back();
    words.back() += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    goes_on = true;
    was_lower = is_lower;
  }
  return words;
}

using Names = std::vector<std::string_view>;

bool holds(const Names& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}
bool holds_all(const Names& names, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return holds(names, word); });
}
bool holds_any(const Names& names, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(names, word); });
}

const Names kAttributes = {
    "latency",    "duration", "elapsed", "token",    "tokens",   "length",   "len",        "size",
    "bytes",      "id",       "ids",     "model",    "user",     "client",   "status",     "code",
    "method",     "path",     "url",     "endpoint", "prompt",   "response", "output",     "input",
    "type",       "name",     "service", "host",     "ip",       "error",    "errors",     "success",
    "cost",       "end",      "finish",  "finished", "complete", "done",     "completion", "completed",
    "processing", "wait",     "waiting", "queue",    "timeout",  "timeouts", "cpu",        "gpu",
    "memory",     "slo",      "deadline"};
const Names kGaps = {"gap", "gaps", "iat", "interarrival", "inter"};
const Names kTimes = {"time", "timestamp", "stamp", "ts", "t", "date", "datetime", "epoch", "at"};
const Names kTimesAlone = {"arrival", "arrived", "start",   "started", "sent",  "begin", "bin", "second",
                           "seconds", "minute",  "minutes", "hour",    "hours", "day",   "days"};
const Names kOfTimes = {"start",   "started",   "arrival", "arrived", "send",     "sent",
                        "request", "event",     "created", "begin",   "received", "submit",
                        "issued",  "submitted", "unix",    "time",    "utc",      "iso",
                        "gmt",     "local",     "date",    "epoch"};
const Names kZones = {"utc", "gmt", "local", "iso", "unix"};
const Names kCounts = {"count", "counts", "requests", "request", "reqs",        "req",
                       "n",     "calls",  "hits",     "queries", "invocations", "arrivals"};
const Names kOfCounts = {"num", "number", "of", "in"};
const Names kIndices = {"num", "number", "no", "nr", "index", "idx"};  // behind the word that they count
/// Behind what one request has they may count requests: completed_requests, success_count.
const Names kMayCount = {"requests", "count", "counts", "calls", "hits",
                         "queries",  "total", "rate",   "rps",   "qps"};
const Names kRates = {"rps", "qps", "rate"};
const Names kCounters = {"total", "totals", "counter", "cumulative", "cumulated", "cumsum", "cum"};

bool is_time(const std::vector<std::string>& words) {
  if (words.size() == 1 && (holds(kTimesAlone, words[0]) || holds(kTimes, words[0]))) return true;
  if (words.size() < 2 || !holds(kTimes, words.back())) return false;
  // nginx calls request_time what a request took.
  if (words.size() == 2 && words[0] == "request" && words[1] == "time") return false;
  return holds_all(kOfTimes, {words.begin(), words.end() - 1});
}

bool is_count(const std::vector<std::string>& words) {
  Names known = kCounts;
  known.insert(known.end(), kOfCounts.begin(), kOfCounts.end());
  return holds_any(kCounts, words) && holds_all(known, words);
}

/// "Requests Length" is of one request.
bool is_count_of_one(const std::vector<std::string>& words) { return !holds(kMayCount, words.back()); }

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
    Names names;
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
    if (holds(unit.names, word)) return unit.s;
  }
  return std::nullopt;
}

std::optional<double> epoch_unit_s(double value) {
  constexpr double kFirstS = 1e9;
  for (const double unit_s : {1.0, 1e-3, 1e-6, 1e-9}) {
    if (value * unit_s >= kFirstS && value * unit_s <= kLatestEpochS) return unit_s;
  }
  return std::nullopt;
}

ColumnMeaning meaning_of(std::string_view column_name) {
  using Kind = ColumnMeaning::Kind;
  std::vector<std::string> words = words_of(column_name);
  if (words.empty()) return {};
  while (words.size() > 1 && holds(kZones, words.back())) words.pop_back();
  double unit_s = 0;
  if (const std::optional<double> unit = unit_s_of(words.back())) {
    unit_s = *unit;
    if (words.size() > 1) words.pop_back();
  }
  bool is_per = false;
  while (words.size() > 1 && (words.back() == "in" || words.back() == "per")) {
    is_per = words.back() == "per";
    words.pop_back();
  }
  if (holds_any(kAttributes, words))
    return {holds_any(kMayCount, words) && words.size() > 1 && !is_count_of_one(words) ? Kind::kUnknown
                                                                                       : Kind::kAttribute,
            unit_s};
  if (words.size() > 1 && holds(kIndices, words.back())) return {Kind::kAttribute, unit_s};
  if (holds_any(kGaps, words)) return {Kind::kGap, unit_s};
  if (!is_per && is_time(words)) return {Kind::kTime, unit_s};
  if (words.back() == "rps" || words.back() == "qps" ||
      (words.back() == "rate" &&
       (words.size() == 1 || is_count({words.begin(), words.end() - 1}) || words.front() == "arrival")))
    return {Kind::kRate, unit_s > 0 ? unit_s : 1};
  if (!is_count(words)) return {Kind::kUnknown, unit_s};
  if (unit_s == 0) return {Kind::kCount, 0};
  // requests_ms is a time, requests_min a least number: a rate says so.
  const bool is_rate = is_per || column_name.find('/') != std::string_view::npos;
  return is_rate ? ColumnMeaning{Kind::kRate, unit_s} : ColumnMeaning{Kind::kUnknown, 0};
}

bool names_counter(std::string_view column_name) { return holds_any(kCounters, words_of(column_name)); }

}  // namespace harness
