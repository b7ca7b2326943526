#include "workloads/trace_import.h"

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "workloads/file_bytes.h"
#include "workloads/rate_curve.h"
#include "workloads/text_lines.h"
#include "workloads/trace_formats.h"

namespace harness {
namespace {

constexpr double kLatestS = 1e9;
constexpr std::size_t kMostTimes = 100'000'000;

bool is_binary(std::string_view text) { return text.substr(0, 4096).find('\0') != std::string_view::npos; }

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
    if (times.size() == kMostTimes) throw lines.error("", "more than 100000000 times", "at most 100000000");
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
        continue;
      }
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
    if (counts.size() == kMostBins) throw lines.error("", "more than 50000000 bins", "at most 50000000");
    counts.push_back(count);
  }
  return counts;
}

void check_content(const std::string& file, const TraceData& data) {
  if (data.times_ns.empty() && data.counts.empty()) {
    throw input_error({file, 0, ""}, "no data", "at least one line of a trace (format " + data.format + ")");
  }
}

}  // namespace

TraceData read_trace(const std::string& file_name, std::string_view bytes, const TraceSpec& spec) {
  const std::string text = unpacked(file_name, bytes);
  if (is_binary(text)) throw input_error({file_name, 0, ""}, "binary data", "text, plain or gzipped");
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
  if (is_binary(text)) throw input_error({spec.file, 0, ""}, "binary data", "text, plain or gzipped");
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
  if (bins > static_cast<double>(kMostBins)) {
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

}  // namespace harness
