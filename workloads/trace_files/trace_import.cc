#include "workloads/trace_files/trace_import.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "harness/core/error.h"
#include "harness/core/input_file.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/files/batch_table.h"
#include "workloads/files/file_bytes.h"
#include "workloads/files/text_lines.h"
#include "workloads/spec/trace_keys.h"
#include "workloads/trace_files/plain_trace.h"

namespace harness {
namespace {

constexpr RequestLog kRequestLogs[] = {
    {"azure_llm", "TIMESTAMP,ContextTokens", "TIMESTAMP", "ContextTokens", "GeneratedTokens", 0, "", false},
    {"burstgpt", "Timestamp,", "Timestamp", "Request tokens", "Response tokens", 1, "s", false},
    {"mooncake", "{", "timestamp", "input_length", "output_length", 1e-3, "ms", true}};

const RequestLog* request_log(const std::string& format) {
  const auto found = std::find_if(std::begin(kRequestLogs), std::end(kRequestLogs),
                                  [&](const RequestLog& log) { return log.format == format; });
  return found == std::end(kRequestLogs) ? nullptr : found;
}

/// A published format by the first line; auto: none of them.
std::string detected_format(const std::string& file, std::string_view text) {
  TextLines lines(file, text);
  if (!lines.next_filled()) return "auto";
  const std::string_view line = trimmed(lines.line());
  for (const char* name :
       {"HashOwner", "HashApp", "HashFunction", "hash_func", "\"HashOwner", "\"hash_func"}) {
    if (line.starts_with(name)) return "azure_functions";
  }
  for (const RequestLog& log : kRequestLogs) {
    const bool has_tokens = log.is_json || line.find(log.input) != std::string_view::npos;
    if (line.starts_with(log.beginning) && has_tokens) return log.format;
  }
  return "auto";
}

void refuse_json_list(TextLines lines) {
  if (!lines.next_filled()) return;
  const std::string_view line = trimmed(lines.line());
  if (line != "[" && !line.starts_with("[{")) return;
  throw lines.error(
      "", "a list of JSON",
      "an object of JSON a line (jq -c .[] FILE), or the times as a column (jq -r .[].KEY FILE)");
}

void check_content(const std::string& file, const std::string& text, const TraceData& data) {
  if (!data.times_ns.empty() || !data.counts.empty()) return;
  const bool has_old_ends = text.find('\r') != std::string::npos && text.find('\n') == std::string::npos;
  if (has_old_ends) throw input_error({file, 0, ""}, "lines that end in CR alone", "LF or CR LF");
  throw input_error({file, 0, ""}, "no data", "at least one line of a trace (format " + data.format + ")");
}

/// What the contents of a trace depend on.
using TraceKey = std::tuple<std::string, FileState, std::string, std::string, std::string, TimeUnit, double>;

struct KeptTrace {
  TraceKey key;
  std::shared_ptr<const TraceData> data;
};

std::size_t bytes_of(const std::vector<KeptTrace>& kept) {
  std::size_t bytes = 0;
  for (const auto& [key, data] : kept)
    bytes += sizeof(TimeNs) * data->times_ns.size() + sizeof(double) * data->counts.size() +
             sizeof(TokenCount) * data->tokens.size();
  return bytes;
}

}  // namespace

TraceData read_trace(const std::string& file_name, std::string_view bytes, const TraceSpec& spec) {
  const std::string text = unpacked(file_name, bytes);
  TraceSpec known = spec;
  if (spec.format == "auto" && spec.column.empty() && spec.time_column.empty() && is_latency_report(text))
    throw input_error({file_name, 0, ""}, kBatchTable, kBatchTableImport);
  if (spec.format == "auto" && spec.time_column.empty()) known.format = detected_format(file_name, text);
  const TextLines lines(file_name, text);
  if (known.format == "auto") refuse_json_list(lines);
  TraceData data;
  if (const RequestLog* log = request_log(known.format)) {
    data = read_request_log(lines, *log);
  } else if (known.format == "azure_functions") {
    data.format = known.format;
    data.counts = read_azure_functions(lines, spec.column);
    constexpr double kMinute = 60;
    if (spec.bin_s > 0 && spec.bin_s != kMinute)
      throw input_error(place_of_field(spec, "bin_s"), text_of(spec.bin_s) + " for invocations by minute",
                        "60, or none");
    data.bin_s = kMinute;
    data.reading =
        "invocations by minute, " + (spec.column.empty() ? "all functions" : "functions " + spec.column);
  } else {
    data = read_plain(lines, known);
  }
  check_content(file_name, text, data);
  check_keys_of_file(spec, data.format);
  if (!data.times_ns.empty()) data.bin_s = spec.bin_s > 0 ? spec.bin_s : 1;
  return data;
}

std::shared_ptr<const TraceData> recorded_trace(const TraceSpec& spec) {
  constexpr std::size_t kMostKept = 4;
  constexpr std::size_t kMostBytes = std::size_t{1} << 29;
  static thread_local std::vector<KeptTrace> kept;
  struct stat status {};
  ::stat(spec.file.c_str(), &status);  // where it fails, reading says why
  const TraceKey key{spec.file,        state_of(status), spec.format, spec.column,
                     spec.time_column, spec.time_unit,   spec.bin_s};
  const auto known = std::ranges::find(kept, key, &KeptTrace::key);
  if (known != kept.end()) {
    check_keys_of_file(spec, known->data->format);
    std::rotate(known, known + 1, kept.end());
    return kept.back().data;
  }
  auto data = std::make_shared<const TraceData>(read_trace(spec.file, trace_bytes(spec), spec));
  while (kept.size() == kMostKept || bytes_of(kept) > kMostBytes) kept.erase(kept.begin());
  kept.push_back({key, data});
  return data;
}

TimeNs longest_gap(std::span<const TimeNs> times_ns) {
  TimeNs longest = 0;
  for (std::size_t i = 1; i < times_ns.size(); ++i)
    longest = std::max(longest, times_ns[i] - times_ns[i - 1]);
  return longest;
}

std::string described(const TraceData& data) {
  const bool is_published = data.format == "azure_functions" || request_log(data.format) != nullptr;
  std::string text = (is_published ? data.format + ": " : "") + data.reading;
  if (!data.times_ns.empty()) {
    const TimeNs longest = longest_gap(data.times_ns);
    return text + "; " + std::to_string(data.times_ns.size()) + " requests over " +
           text_of(ns_to_s(data.times_ns.back())) + " s, longest gap " + text_of(ns_to_s(longest)) + " s" +
           (data.times_ns.front() > longest
                ? ", the first at " + text_of(ns_to_s(data.times_ns.front())) + " s"
                : "");
  }
  double requests = 0;
  for (const double count : data.counts) requests += count;
  const auto empty = std::count(data.counts.begin(), data.counts.end(), 0.0);
  return text + "; " + text_of(requests) + " requests over " +
         text_of(data.bin_s * static_cast<double>(data.counts.size())) + " s, " + std::to_string(empty) +
         " of " + std::to_string(data.counts.size()) + " bins empty";
}

TraceTokens recorded_tokens(const TraceSpec& spec) {
  if (spec.shape != "file") return {};
  const std::shared_ptr<const TraceData> read = recorded_trace(spec);
  const TraceData& data = *read;
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
  const std::string found = spec.format == "auto" ? detected_format(spec.file, text) : spec.format;
  if (found != "azure_functions") {
    throw input_error(place_of_field(spec, "file"),
                      "a file of " + (found == "auto" ? "another format" : "format " + found),
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

std::map<std::string, std::vector<TimeNs>> times_by_module(const TraceSpec& spec) {
  const std::string text = unpacked(spec.file, trace_bytes(spec));
  return read_by_module(TextLines(spec.file, text), spec);
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
  const bool is_whole =
      std::all_of(counts.begin(), counts.end(), [](double count) { return std::floor(count) == count; });
  std::string text =
      "# " + title + "\n# bin_s = " + text_of(bin_s) + (is_whole ? "" : "\n# decimal = .") + "\ncount\n";
  for (const double count : counts) text += text_of(count) + "\n";
  return text;
}

}  // namespace harness
