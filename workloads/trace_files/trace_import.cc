#include "workloads/trace_files/trace_import.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/files/file_bytes.h"
#include "workloads/files/text_lines.h"
#include "workloads/trace_files/bin_times.h"

namespace harness {
namespace {

constexpr double kLatestS = 1e9;
constexpr std::size_t kMaxTimes = 100'000'000;

/// X of a comment "# bin_s = X" that stands before the data, or 0.
double stated_bin_s(const std::string& file, std::string_view text) {
  TextLines lines(file, text);
  while (lines.next()) {
    std::string_view line = trimmed(lines.line());
    if (line.empty()) continue;
    if (line.front() != '#') return 0;
    line = trimmed(line.substr(1));
    if (!line.starts_with("bin_s")) continue;
    line = trimmed(line.substr(5));
    if (!line.starts_with('=')) continue;
    return number_field(lines, "bin_s", trimmed(line.substr(1)), 1e-6, 1e7);
  }
  return 0;
}

std::string detected_format(const std::string& file, std::string_view text) {
  TextLines lines(file, text);
  if (!lines.next_filled()) return "times";
  const std::string_view line = trimmed(lines.line());
  for (const char* name :
       {"HashOwner", "HashApp", "HashFunction", "hash_func", "\"HashOwner", "\"hash_func"}) {
    if (line.starts_with(name)) return "azure_functions";
  }
  if (line.starts_with("TIMESTAMP")) return "azure_llm";
  if (line.find(',') != std::string_view::npos || stated_bin_s(file, text) > 0) return "counts";
  return "times";
}

std::vector<TimeNs> read_times(TextLines lines) {
  std::vector<TimeNs> times;
  double before = 0;
  while (lines.next_filled()) {
    const double time = number_field(lines, "send time", trimmed(lines.line()), 0, kLatestS);
    if (time < before) {
      throw lines.error("send time", std::string(trimmed(lines.line())) + " after " + text_of(before),
                        "times in seconds that do not fall (counts per bin: format = \"counts\")");
    }
    if (times.size() == kMaxTimes) throw lines.error("", "more than 100000000 times", "at most 100000000");
    before = time;
    times.push_back(s_to_ns(time));
  }
  return times;
}

/// Which fields of a row are added up; `column` as in TraceSpec. `header` holds the first row's fields.
std::vector<std::size_t> selected_columns(const TextLines& lines, const std::string& column,
                                          const std::vector<std::string_view>& header) {
  if (column.empty()) return {header.size() - 1};
  std::vector<std::size_t> selected;
  std::vector<std::string_view> wanted;
  split_fields(column, wanted);
  const std::vector<std::string> names(header.begin(), header.end());
  for (const std::string_view name : wanted) {
    double number = 0;
    const bool is_number = read_number(name, number);
    const auto found = std::find(names.begin(), names.end(), name);
    if (!is_number && found != names.end()) {
      selected.push_back(static_cast<std::size_t>(found - names.begin()));
    } else if (is_number && number >= 1 && number <= static_cast<double>(names.size()) &&
               std::floor(number) == number) {
      selected.push_back(static_cast<std::size_t>(number) - 1);
    } else {
      const std::string shown = names.size() > 16 ? "a name in the header" : join_names(names);
      throw lines.error("column", quoted(name),
                        shown + ", or a number from 1 to " + std::to_string(names.size()));
    }
  }
  return selected;
}

std::vector<double> read_counts(TextLines lines, const std::string& column) {
  std::vector<double> counts;
  std::optional<BinTimes> times;
  std::vector<std::string_view> fields;
  std::vector<std::size_t> selected;
  std::size_t width = 0;
  while (lines.next_filled()) {
    split_fields(lines.line(), fields);
    if (width == 0) {
      width = fields.size();
      selected = selected_columns(lines, column, fields);
      double number = 0;
      if (!fields[selected[0]].empty() && !read_number(fields[selected[0]], number) &&
          fields[selected[0]] != "nan" && fields[selected[0]] != "NaN") {
        times = BinTimes::named(fields, selected);
        continue;
      }
      times = BinTimes::unnamed(fields, selected);
    }
    if (fields.size() != width) {
      throw lines.error("", std::to_string(fields.size()) + " fields",
                        std::to_string(width) + ", as in the first row");
    }
    double count = 0;
    for (const std::size_t index : selected) {
      count += number_field(lines, "count in column " + std::to_string(index + 1), fields[index], 0,
                            kLargestCount);
    }
    if (counts.size() == kMaxBins) throw lines.error("", "more than 50000000 bins", "at most 50000000");
    counts.push_back(count);
    if (times) times->add(lines, fields);
  }
  if (times) times->check();
  return counts;
}

void check_content(const std::string& file, const TraceData& data) {
  if (data.times_ns.empty() && data.counts.empty()) {
    throw input_error({file, 0, ""}, "no data", "at least one line of a trace (format " + data.format + ")");
  }
}

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

}  // namespace

TraceData read_trace(const std::string& file_name, std::string_view bytes, const TraceSpec& spec) {
  const std::string text = unpacked(file_name, bytes);
  TraceData data;
  data.format = spec.format == "auto" ? detected_format(file_name, text) : spec.format;
  TextLines lines(file_name, text);
  if (data.format == "times") {
    data.times_ns = read_times(lines);
  } else if (data.format == "azure_llm") {
    data.times_ns = read_azure_llm(lines, &data.tokens);
  } else if (data.format == "azure_functions") {
    data.counts = read_azure_functions(lines, spec.column);
    data.bin_s = 60;
  } else {
    data.counts = read_counts(lines, spec.column);
    const double stated = stated_bin_s(file_name, text);
    data.bin_s = stated > 0 ? stated : 1;
  }
  check_content(file_name, data);
  if (spec.bin_s > 0) data.bin_s = spec.bin_s;
  return data;
}

TraceTokens recorded_tokens(const TraceSpec& spec) {
  if (spec.shape != "file") return {};
  const TraceData data = read_trace(spec.file, trace_bytes(spec), spec);
  const TimeNs from = s_to_ns(spec.from_s);
  const TimeNs to = spec.to_s > 0 ? s_to_ns(spec.to_s) : kNever;
  TraceTokens tokens;
  for (std::size_t i = 0; i < data.tokens.size(); ++i) {
    if (data.times_ns[i] >= from && data.times_ns[i] < to) tokens.push_back(data.tokens[i]);
  }
  return tokens;
}

std::vector<std::vector<float>> function_minutes(const TraceSpec& spec) {
  const std::string text = unpacked(spec.file, trace_bytes(spec));
  if (spec.format == "auto" && detected_format(spec.file, text) != "azure_functions") {
    throw input_error(place_of_field(spec, "file"), "a file of format " + detected_format(spec.file, text),
                      "azure_functions, whose minutes streams can have");
  }
  std::vector<std::vector<float>> functions;
  for (const std::vector<double>& counts : read_function_minutes(TextLines(spec.file, text), spec.column)) {
    double sum = 0;
    for (const double count : counts) sum += count;
    if (!(sum > 0)) continue;
    std::vector<float>& factors = functions.emplace_back();
    for (const double count : counts)
      factors.push_back(static_cast<float>(count * static_cast<double>(counts.size()) / sum));
  }
  if (functions.empty()) throw input_error({spec.file, 0, ""}, "no invocations", "a function with some");
  return functions;
}

std::vector<double> counts_of(const std::vector<TimeNs>& times_ns, double bin_s) {
  const double bins = times_ns.empty() ? 0 : std::floor(bins_of(ns_to_s(times_ns.back()), bin_s)) + 1;
  if (bins > static_cast<double>(kMaxBins)) {
    throw input_error({"", 0, "bin_s"},
                      text_of(bin_s) + " for a trace of " + text_of(ns_to_s(times_ns.back())) + " s",
                      "at most 50000000 bins");
  }
  std::vector<double> counts(times_ns.empty() ? 0 : bin_of(times_ns.back(), bin_s) + 1, 0.0);
  for (const TimeNs time : times_ns) counts[bin_of(time, bin_s)] += 1;
  return counts;
}

std::string counts_text(const std::string& title, double bin_s, const std::vector<double>& counts) {
  std::string text = "# " + title + "\n# bin_s = " + text_of(bin_s) + "\ncount\n";
  for (const double count : counts) text += text_of(count) + "\n";
  return text;
}

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
    const std::optional<TimeNs> stamp = read_timestamp(fields[0]);
    if (!stamp) {
      const std::string found = fields[0].empty() ? "an empty field" : quoted(fields[0]);
      throw lines.error("TIMESTAMP", found, "YYYY-MM-DD HH:MM:SS.fraction");
    }
    const TimeNs time = *stamp;
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
