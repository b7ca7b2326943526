#include "workloads/trace_files/column_names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "workloads/files/text_lines.h"
#include "workloads/trace_files/time_text.h"

namespace harness {
namespace {

using Kind = ColumnMeaning::Kind;
using Names = std::vector<std::string_view>;
using Words = std::vector<std::string>;

bool holds(const Names& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}
bool holds_all(const Names& names, const Words& words) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return holds(names, word); });
}
bool holds_any(const Names& names, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(names, word); });
}

// What one request has: how much of it ...
const Names kQuantities = {"latency", "duration", "elapsed", "token",      "tokens",  "length",
                           "len",     "size",     "bytes",   "processing", "timeout", "cost",
                           "slo",     "deadline", "lat",     "rtt",        "ttfb"};
// ... and what else.
const Names kAttributes = {
    "id",     "ids",   "model",   "user",   "client",   "status",   "code",    "method", "path", "url",
    "prompt", "type",  "input",   "output", "name",     "endpoint", "service", "host",   "ip",   "error",
    "wait",   "queue", "waiting", "errors", "timeouts", "success",  "cpu",     "memory", "gpu"};
const Names kEnds = {"end",      "ends",      "ended",      "finish",    "finished", "complete", "completed",
                     "done",     "stop",      "completion", "stopped",   "close",    "closed",   "exit",
                     "exited",   "departure", "departed",   "response",  "resp",     "reply",    "replied",
                     "finishes", "stops",     "terminated", "responded", "completes"};
const Names kBegins = {"start",   "started",  "arrival", "arrived",   "begin",  "sent",
                       "created", "received", "submit",  "submitted", "issued", "send"};
const Names kDurations = {"latency", "duration", "elapsed", "took", "runtime", "processing"};
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
const Names kMayCount = {"requests", "count", "counts", "calls", "hits", "queries", "total"};
const Names kCounters = {"total", "totals", "counter", "cumulative", "cumulated", "cumsum", "cum"};
const Names kBins = {"bin", "bucket", "interval", "window", "slot", "step", "row", "line", "period"};

/// Before or behind a rate they leave it one.
const Names kOfRates = {"avg", "average", "mean", "total", "overall"};
const Names kRates = {"rate", "throughput", "arrival", "rps", "qps"};  // "throughput (req/s)"
/// A word of these alone says that numbers are none of requests in a bin.
const Names kAggregates = {
    "rps",       "qps",         "rpm",         "qpm",         "rph",         "qph",      "rpd",
    "tps",       "tpm",         "tph",         "eps",         "cps",         "hps",      "pps",
    "iops",      "ops",         "krps",        "kqps",        "mrps",        "bps",      "kbps",
    "mbps",      "hz",          "rate",        "rates",       "irate",       "increase", "kreq",
    "kreqs",     "mreqs",       "frequency",   "freq",        "speed",       "users",    "sessions",
    "clients",   "connections", "concurrency", "utilization", "utilisation", "inflight", "throughput",
    "bandwidth", "percent"};
const Names kStatistics = {"avg",      "average",    "mean",       "median",   "max",      "maximum",
                           "min",      "minimum",    "peak",       "std",      "stddev",   "stdev",
                           "var",      "variance",   "quantile",   "pct",      "ratio",    "share",
                           "fraction", "normalized", "normalised", "relative", "smoothed", "rolling",
                           "moving",   "limit",      "target",     "forecast", "predicted"};
/// With a count they are its scale ...
const Names kScales = {"k",    "m",  "thousand", "thousands", "million", "millions", "mio", "mega",
                       "kilo", "1k", "1000",     "1000s",     "x1000",   "1e3",      "1e6"};
/// ... or say that those requests are there at a moment; alone they are no counts either.
const Names kStates = {"active",  "concurrent",  "running",  "pending", "queued",
                       "queue",   "waiting",     "flight",   "open",    "ongoing",
                       "backlog", "outstanding", "progress", "lambda",  "intensity"};
/// With a count they say that it is of other requests than those that arrived.
const Names kLost = {"failed",  "failure",   "failures",  "dropped",     "rejected", "lost",
                     "error",   "errors",    "timeout",   "timeouts",    "timed",    "canceled",
                     "aborted", "cancelled", "throttled", "denied",      "retried",  "retry",
                     "retries", "fault",     "faults",    "unsuccessful"};
const Names kManyRequests = {"requests", "reqs", "queries", "calls", "invocations"};

/// "10s", "5m", "1min": a length of time; "p99".
bool is_span(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view unit = word.substr(digits);
  return unit == "m" || unit == "d" || unit_s_of(unit).has_value();
}
bool is_percentile(std::string_view word) {
  return word.size() > 1 && word[0] == 'p' && word.find_first_not_of("0123456789", 1) == std::string::npos;
}

/// True for a status of HTTP that tells of a failure: "404", "5xx".
bool is_failure_status(std::string_view word) {
  return word.size() == 3 && (word[0] == '4' || word[0] == '5') &&
         (word.substr(1) == "xx" || word.find_first_not_of("0123456789") == std::string_view::npos);
}

bool has_statistic(const Words& words) {
  return holds_any(kStatistics, words) || std::any_of(words.begin(), words.end(), is_percentile);
}

/// Of "Request-Time (ms)", "requestTimeMs": request, time, ms. Of "req/s": req, per, s.
Words words_of(std::string_view name) {
  Words words;
  bool goes_on = false;
  bool was_lower = false;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!is_upper && !is_lower) {
      goes_on = was_lower = false;
      if (c == '%') words.emplace_back("percent");
      if (c == '/' && name[0] != '/') words.emplace_back("/");
      continue;
    }
    if (!goes_on || (is_upper && was_lower)) words.emplace_back();
    words.back() += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    goes_on = true;
    was_lower = is_lower;
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "/" && is_span(words[i + 1])) words[i] = "per";
  }
  std::erase(words, "/");
  return words;
}

/// A name without the unit at its end.
struct Name {
  explicit Name(Words all) : words(std::move(all)) {
    while (words.size() > 1 && holds(kZones, words.back())) words.pop_back();
    if (words.size() > 2 && words[words.size() - 2] == "per" && holds(kBins, words.back()))
      words.resize(words.size() - 2);
    if (const std::optional<double> unit = unit_s_of(words.back())) {
      unit_s = *unit;
      if (words.size() > 1) words.pop_back();
    }
    while (words.size() > 1 && (words.back() == "in" || words.back() == "per")) {
      is_per = words.back() == "per";
      words.pop_back();
    }
    is_per &= unit_s > 0;
  }

  Words words;
  double unit_s = 0;
  bool is_per = false;
};

bool is_time(const Words& words) {
  if (words.size() == 1 && (holds(kTimesAlone, words[0]) || holds(kTimes, words[0]))) return true;
  if (words.size() < 2 || !holds(kTimes, words.back())) return false;
  // nginx calls request_time what a request took.
  if (words.size() == 2 && words[0] == "request" && words[1] == "time") return false;
  return holds_all(kOfTimes, {words.begin(), words.end() - 1});
}

bool is_count(const Words& words) {
  Names known = kCounts;
  known.insert(known.end(), kOfCounts.begin(), kOfCounts.end());
  return holds_any(kCounts, words) && holds_all(known, words);
}

Words without(const Names& names, Words words) {
  std::erase_if(words, [&](const std::string& word) { return holds(names, word); });
  return words;
}

/// Returns the text between "function(" and the last ")".
std::string_view inside(std::string_view text, std::string_view function) {
  if (!text.starts_with(function) || !text.ends_with(")")) return {};
  text = text.substr(function.size(), text.size() - function.size() - 1);
  return text.starts_with("(") ? text.substr(1) : std::string_view();
}

/// "rate(http_requests_total[5m])", "sum(irate(http_request_duration_seconds_count[1m]))" of Prometheus.
bool is_rate_of_counter(std::string_view name) {
  if (const std::string_view summed = inside(name, "sum"); !summed.empty()) name = summed;
  std::string_view counter = inside(name, "rate");
  if (counter.empty()) counter = inside(name, "irate");
  if (!counter.ends_with("]") || counter.find_first_of("()") != std::string_view::npos) return false;
  Words words = words_of(counter.substr(0, counter.find_first_of("{[")));
  if (words.size() < 2) return false;
  const std::string last = words.back();
  words.pop_back();
  const bool has_others = holds_any(kAttributes, words) || holds_any(kQuantities, words);
  return holds_any(kCounts, words) && (last == "count" || (last == "total" && !has_others));
}

/// Returns the unit of time, in seconds, of a rate of requests; nothing for other names.
std::optional<double> rate_unit_s(const Words& words) {
  const Words plain = without(kOfRates, words);
  if (plain.empty()) return std::nullopt;
  const Name name(plain);
  const Words& rest = name.words;
  if (has_statistic(rest) || holds_any(kLost, rest) || holds_any(kAttributes, rest) ||
      holds_any(kQuantities, rest) || holds_any(kEnds, rest) || holds_any(kScales, rest))
    return std::nullopt;
  if (name.is_per) {
    const Words counted = without(kRates, rest);
    const bool is_bare = counted.empty() && rest.back() == "rate";  // arrival rate per s
    return is_bare || is_count(counted) ? std::optional(name.unit_s) : std::nullopt;
  }
  if (name.unit_s > 0) return std::nullopt;
  constexpr double kMinuteS = 60;
  if (rest.back() == "rps" || rest.back() == "qps") return 1;
  if (rest.back() == "rpm" || rest.back() == "qpm") return kMinuteS;
  const bool is_rate = rest.back() == "rate" && (words.size() == 1 || rest.front() == "arrival" ||
                                                 is_count({rest.begin(), rest.end() - 1}));
  return is_rate ? std::optional(1.0) : std::nullopt;
}

/// True if the numbers are of many requests, but neither those in a bin nor a rate.
bool is_aggregate(const Name& name) {
  const Words& words = name.words;
  const auto has = [&](const Names& names) { return holds_any(names, words); };
  const bool counts = has(kCounts);
  const bool is_rate = holds({"rate", "rps", "qps"}, words.back());
  if ((has(kAttributes) || has(kEnds)) && !counts && !is_rate) return false;  // of one request: output tps
  if (has(kAggregates) || name.is_per || has_statistic(words)) return true;
  if (has(kStates) && words.size() == 1) return true;
  if (has(kStates) && has(kManyRequests) && !holds(kTimes, words.back())) return true;
  // requests_min: a minute, or a least number.
  const bool has_unit = name.unit_s >= 1 && (is_count(words) || has(kManyRequests));
  return counts && (has_unit || has(kScales) || has(kLost) || has({"per"}) ||
                    std::any_of(words.begin(), words.end(), is_failure_status) ||
                    std::any_of(words.begin(), words.end(), is_span));
}

}  // namespace

ColumnMeaning meaning_of(std::string_view column_name) {
  if (is_rate_of_counter(column_name)) return {Kind::kRate, 1};
  for (const char* function : {"rate(", "increase("}) {
    if (column_name.find(function) != std::string_view::npos) return {Kind::kAggregate, 0};
  }
  const Words all = words_of(column_name);
  if (all.empty()) return {};
  if (const std::optional<double> unit_s = rate_unit_s(all)) return {Kind::kRate, *unit_s};
  const Name name(all);
  const Words& words = name.words;
  const auto meaning = [&](Kind kind) { return ColumnMeaning{kind, name.unit_s}; };
  // "Requests Length" is of one request.
  const bool may_count = words.size() > 1 && holds(kMayCount, words.back());
  if (holds_any(kQuantities, words) && !may_count) return meaning(Kind::kQuantity);
  if (is_aggregate(name) || (holds_any(kQuantities, words) && words.back() == "total"))
    return meaning(Kind::kAggregate);
  if (holds_any(kQuantities, words)) return meaning(Kind::kUnknown);
  if (holds_any(kAttributes, words) || holds_any(kEnds, words)) {
    const bool is_quantity = name.unit_s > 0 || holds(kTimes, words.back()) ||
                             holds_any(kAggregates, words) || has_statistic(words);
    return meaning(may_count ? Kind::kUnknown : is_quantity ? Kind::kQuantity : Kind::kAttribute);
  }
  if (words.size() > 1 && holds(kIndices, words.back())) return meaning(Kind::kAttribute);
  if (holds_any(kGaps, words)) return meaning(Kind::kGap);
  if (is_time(words)) return meaning(Kind::kTime);
  if (is_count(words) && name.unit_s == 0) return {Kind::kCount, 0};
  const bool is_other_time = holds(kTimes, words.back()) || (name.unit_s > 0 && name.unit_s <= 1);
  return meaning(is_other_time ? Kind::kOtherTime : Kind::kUnknown);
}

bool may_name_counts(std::string_view column_name) {
  const Words words = words_of(column_name);
  const bool is_number = column_name.find_first_not_of("0123456789") == std::string_view::npos;
  const bool is_value = words.size() == 1 && (words[0] == "value" || words[0] == "values");
  return is_number || is_value || holds_any(kCounts, words);
}

bool names_counter(std::string_view column_name) {
  const Kind kind = meaning_of(column_name).kind;
  return kind != Kind::kRate && kind != Kind::kAggregate && holds_any(kCounters, words_of(column_name));
}

bool names_end(std::string_view column_name) {
  const Words words = words_of(column_name);
  return holds_any(kEnds, words) && !holds_any(kBegins, words);
}

bool names_duration(std::string_view column_name) { return holds_any(kDurations, words_of(column_name)); }

}  // namespace harness
