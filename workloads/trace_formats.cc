#include "workloads/trace_formats.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace harness {
namespace {

constexpr std::size_t kMinutes = 1440;

/// Where the columns of an Azure Functions file stand.
struct FunctionColumns {
  std::size_t width = 0;
  std::size_t function = 0;
  std::size_t day = 0;
  bool has_day = false;
  std::size_t first_minute = 0;
};

FunctionColumns function_columns(const TextLines& lines, const std::vector<std::string_view>& header) {
  FunctionColumns columns;
  columns.width = header.size();
  bool has_function = false;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "hash_func" || header[i] == "HashFunction") {
      columns.function = i;
      has_function = true;
    } else if (header[i] == "day") {
      columns.day = i;
      columns.has_day = true;
    }
  }
  bool minutes = header.size() >= kMinutes;
  columns.first_minute = minutes ? header.size() - kMinutes : 0;
  for (std::size_t i = 0; minutes && i < kMinutes; ++i) {
    minutes = header[columns.first_minute + i] == std::to_string(i + 1);
  }
  if (!has_function || !minutes || columns.function >= columns.first_minute) {
    throw lines.error("header", quoted(lines.line().substr(0, 60)), "hash_func,day,1,2,...,1440");
  }
  return columns;
}

using DayCounts = std::map<int, std::vector<double>>;

void add_row(const TextLines& lines, const FunctionColumns& columns,
             const std::vector<std::string_view>& fields, DayCounts& days) {
  if (fields.size() != columns.width) {
    throw lines.error("", std::to_string(fields.size()) + " fields",
                      std::to_string(columns.width) + ", as in the header");
  }
  constexpr double kLastDay = 366;
  const double day = columns.has_day ? number_field(lines, "day", fields[columns.day], 1, kLastDay) : 1;
  if (std::floor(day) != day)
    throw lines.error("day", quoted(fields[columns.day]), "an integer from 1 to 366");
  std::vector<double>& counts = days[static_cast<int>(day)];
  counts.resize(kMinutes, 0.0);
  for (std::size_t minute = 0; minute < kMinutes; ++minute) {
    const std::string_view field = fields[columns.first_minute + minute];
    counts[minute] += number_field(lines, "minute " + std::to_string(minute + 1), field, 0, kLargestCount);
  }
}

/// Checks that each wanted beginning of a name fits exactly one of the functions seen.
void check_wanted(const TextLines& lines, const std::vector<std::string_view>& wanted,
                  const std::set<std::string>& seen) {
  for (const std::string_view name : wanted) {
    const auto fits = std::count_if(seen.begin(), seen.end(),
                                    [&](const std::string& other) { return other.starts_with(name); });
    if (fits == 1) continue;
    throw input_error(
        {lines.file(), 0, "column"}, quoted(name) + ", which fits " + std::to_string(fits) + " functions",
        "the unique beginning of one of " + std::to_string(seen.size()) + " values of hash_func");
  }
}

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

/// Nanoseconds since 1970 of "2023-11-16 18:15:46.6805900".
TimeNs read_timestamp(const TextLines& lines, std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  TimeNs fraction = 0;
  const bool good = text.size() >= 19 && text[4] == '-' && text[7] == '-' &&
                    (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':' &&
                    read_digits(text, 0, 4, 1970, 2200, year) && read_digits(text, 5, 2, 1, 12, month) &&
                    read_digits(text, 8, 2, 1, 31, day) && read_digits(text, 11, 2, 0, 23, hour) &&
                    read_digits(text, 14, 2, 0, 59, minute) && read_digits(text, 17, 2, 0, 60, second) &&
                    read_fraction(text.substr(19), fraction);
  if (!good) {
    const std::string found = text.empty() ? "an empty field" : quoted(text);
    throw lines.error("TIMESTAMP", found, "YYYY-MM-DD HH:MM:SS.fraction");
  }
  const std::int64_t seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  return seconds * kNsPerS + fraction;
}

/// Adds the rows of the chosen functions to what `days_of` gives for each.
template <class DaysOf>
void read_functions(TextLines& lines, const std::string& column, DaysOf days_of) {
  std::vector<std::string_view> fields;
  if (!lines.next_filled()) return;
  split_fields(lines.line(), fields);
  const FunctionColumns columns = function_columns(lines, fields);
  std::vector<std::string_view> wanted;
  if (!column.empty()) split_fields(column, wanted);
  std::set<std::string> seen;
  while (lines.next_filled()) {
    split_fields(lines.line(), fields);
    const std::string function(fields[std::min(columns.function, fields.size() - 1)]);
    seen.insert(function);
    const bool chosen =
        wanted.empty() || std::any_of(wanted.begin(), wanted.end(),
                                      [&](std::string_view name) { return function.starts_with(name); });
    if (chosen) add_row(lines, columns, fields, days_of(function));
  }
  check_wanted(lines, wanted, seen);
}

/// The minutes of the days one after the other, from the first to the last that `all` has; those that are
/// missing without requests.
std::vector<double> joined(const DayCounts& days, const DayCounts& all) {
  std::vector<double> counts;
  if (all.empty()) return counts;
  const int first = all.begin()->first;
  counts.resize(static_cast<std::size_t>(all.rbegin()->first - first + 1) * kMinutes, 0.0);
  for (const auto& [day, minutes] : days) {
    std::copy(
        minutes.begin(), minutes.end(),
        counts.begin() + static_cast<std::ptrdiff_t>(day - first) * static_cast<std::ptrdiff_t>(kMinutes));
  }
  return counts;
}

}  // namespace

std::vector<double> read_azure_functions(TextLines lines, const std::string& column) {
  DayCounts days;
  read_functions(lines, column, [&days](const std::string&) -> DayCounts& { return days; });
  return joined(days, days);
}

std::vector<std::vector<double>> read_function_minutes(TextLines lines, const std::string& column) {
  std::map<std::string, DayCounts> functions;
  DayCounts all;  // a day that any function has is a day of every function
  read_functions(lines, column,
                 [&functions](const std::string& name) -> DayCounts& { return functions[name]; });
  for (const auto& [name, days] : functions) {
    for (const auto& [day, minutes] : days) all[day];
  }
  std::vector<std::vector<double>> counts;
  for (const auto& [name, days] : functions) counts.push_back(joined(days, all));
  return counts;
}

std::vector<TimeNs> read_azure_llm(TextLines lines, TraceTokens* tokens) {
  std::vector<TimeNs> times;
  std::vector<std::string_view> fields;
  if (!lines.next_filled()) return times;
  split_fields(lines.line(), fields);
  const std::string expected = "TIMESTAMP,ContextTokens,GeneratedTokens";
  if (trimmed(lines.line()) != expected) throw lines.error("header", quoted(lines.line()), expected);
  TimeNs first = 0;
  while (lines.next_filled()) {
    split_fields(lines.line(), fields);
    if (fields.size() != 3)
      throw lines.error("", std::to_string(fields.size()) + " fields", "3, as in the header");
    const TimeNs time = read_timestamp(lines, fields[0]);
    const double input = number_field(lines, "ContextTokens", fields[1], 0, 1e9);
    const double output = number_field(lines, "GeneratedTokens", fields[2], 0, 1e9);
    if (tokens != nullptr) {
      tokens->push_back({static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(output)});
    }
    if (times.empty()) first = time;
    if (time - first < (times.empty() ? 0 : times.back())) {
      throw lines.error("TIMESTAMP", quoted(fields[0]) + " before the one above", "times that do not fall");
    }
    times.push_back(time - first);
  }
  return times;
}

}  // namespace harness
