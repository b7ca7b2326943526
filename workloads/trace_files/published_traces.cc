#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "workloads/trace_files/time_text.h"
#include "workloads/trace_files/trace_import.h"
#include "workloads/trace_files/written_numbers.h"

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
  bool is_twice = false;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "hash_func" || header[i] == "HashFunction") {
      columns.function = i;
      is_twice |= has_function;
      has_function = true;
    } else if (header[i] == "day") {
      is_twice |= columns.has_day;
      columns.day = i;
      columns.has_day = true;
    }
  }
  bool minutes = header.size() >= kMinutes;
  columns.first_minute = minutes ? header.size() - kMinutes : 0;
  for (std::size_t i = 0; minutes && i < kMinutes; ++i) {
    minutes = header[columns.first_minute + i] == std::to_string(i + 1);
  }
  if (!has_function || is_twice || !minutes || columns.function >= columns.first_minute) {
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
  std::set<std::string> rows;
  while (lines.next_filled()) {
    split_fields(lines.line(), fields);
    const std::string function(fields[std::min(columns.function, fields.size() - 1)]);
    seen.insert(function);
    const std::size_t before = std::min(columns.first_minute, fields.size());
    const std::vector<std::string> names(fields.begin(),
                                         fields.begin() + static_cast<std::ptrdiff_t>(before));
    if (!rows.insert(join_names(names)).second)
      throw lines.error("", "a second row of " + join_names(names), "each function and day once");
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

constexpr std::size_t kShownHeader = 60;

/// The number under a key of a line of JSON.
std::string_view json_field(const TextLines& lines, const char* key) {
  const std::string name = std::string("\"") + key + "\"";
  std::string_view rest = lines.line();
  const std::size_t at = rest.find(name);
  if (at != std::string_view::npos) rest = trimmed(rest.substr(at + name.size()));
  if (at == std::string_view::npos || !rest.starts_with(':'))
    throw lines.error(key, quoted(lines.line().substr(0, kShownHeader)),
                      "a JSON object with " + name +
                          ", as Mooncake's; of other logs the times as a column (jq -r .KEY FILE)");
  rest = trimmed(rest.substr(1));
  for (std::size_t next = rest.find(name); next != std::string_view::npos; next = rest.find(name, next + 1)) {
    if (trimmed(rest.substr(next + name.size())).starts_with(':'))
      throw lines.error(key, name + " twice", "a JSON object with each key once, as Mooncake's");
  }
  return trimmed(rest.substr(0, rest.find_first_of(",}")));
}

TimeNs log_time(const TextLines& lines, const RequestLog& log, std::string_view field) {
  constexpr double kLastOfLogS = 1e9;
  const bool is_other = field.find('.') != std::string_view::npos || field.size() >= 10;
  if (log.is_json && is_other)  // seconds, or since 1970
    throw lines.error(log.time, quoted(field), "whole milliseconds from the first request on, as Mooncake's");
  if (log.unit_s > 0)
    return s_to_ns(log.unit_s * number_field(lines, log.time, field, 0, kLastOfLogS / log.unit_s));
  const std::optional<TimeNs> stamp = read_timestamp(field);
  if (stamp) return *stamp;
  throw lines.error(log.time, field.empty() ? "an empty field" : quoted(field),
                    "YYYY-MM-DD HH:MM:SS.fraction");
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

TraceData read_request_log(TextLines lines, const RequestLog& log) {
  TraceData data;
  data.format = log.format;
  std::vector<std::string_view> fields;
  std::vector<std::size_t> columns;
  std::size_t width = 0;
  if (!log.is_json && lines.next_filled()) {
    split_fields(lines.line(), fields);
    width = fields.size();
    for (const char* name : {log.time, log.input, log.output}) {
      const auto found = std::find(fields.begin(), fields.end(), name);
      if (std::count(fields.begin(), fields.end(), name) != 1)
        throw lines.error(
            "header", quoted(lines.line().substr(0, kShownHeader)),
            std::string("columns ") + log.time + ", " + log.input + ", " + log.output + ", each once");
      columns.push_back(static_cast<std::size_t>(found - fields.begin()));
    }
  }
  TimeNs first = 0;
  WrittenOffsets offsets;
  while (lines.next_filled()) {
    std::string_view time, input, output;
    if (log.is_json) {
      time = json_field(lines, log.time);
      input = json_field(lines, log.input);
      output = json_field(lines, log.output);
    } else {
      split_fields(lines.line(), fields);
      if (fields.size() != width)
        throw lines.error("", std::to_string(fields.size()) + " fields",
                          std::to_string(width) + ", as in the header");
      time = fields[columns[0]];
      input = fields[columns[1]];
      output = fields[columns[2]];
    }
    const TimeNs at = log_time(lines, log, time);
    if (log.unit_s == 0) offsets.add(lines, log.time, time);
    constexpr double kMostTokens = 1e9;
    const double in = number_field(lines, log.input, input, 0, kMostTokens);
    const double out = number_field(lines, log.output, output, 0, kMostTokens);
    data.tokens.push_back({static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(out)});
    if (data.times_ns.empty()) first = at;
    if (at - first < (data.times_ns.empty() ? 0 : data.times_ns.back()))
      throw lines.error(log.time, quoted(time) + " before the one above", "times that do not fall");
    data.times_ns.push_back(at - first);
  }
  data.reading = std::string("times in column '") + log.time + "' (" + (log.unit_s > 0 ? log.unit : "dates") +
                 ", from the first on), each line a request with its tokens";
  return data;
}

}  // namespace harness
