#include "workloads/trace_files/plain_trace.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/trace_files/bin_times.h"
#include "workloads/trace_files/log_table.h"
#include "workloads/trace_files/time_text.h"

namespace harness {
namespace {

constexpr double kLatestS = 1e9;
constexpr std::size_t kMaxTimes = 100'000'000;
using Meaning = ColumnMeaning::Kind;

/// What a file is read as.
struct Reading {
  std::string format;
  std::optional<std::size_t> time;  ///< of the times or gaps; beside counts
  std::vector<std::size_t> counts;
};

/// Whether the numbers of a file of one column are whole as written, and rise.
struct Shape {
  bool is_whole = true;
  bool rises = true;
};

Shape shape_of(LogTable& table) {
  Shape shape;
  double before = 0;
  table.rewind();
  while (table.next()) {
    const double value = number_field(table.at(), table.key_of(0), table.fields()[0], -kLargestCount, 1e19);
    shape.is_whole &= table.fields()[0].find_first_of(".eE") == std::string_view::npos;
    shape.rises &= value >= before;
    before = value;
  }
  table.rewind();
  return shape;
}

const char* const kAsTimes = "format = \"times\" (each line a request, its time in time_unit or s)";
const char* const kAsCounts = "format = \"counts\" with bin_s (each line the requests of a bin)";
const char* const kAsGaps = "format = \"gaps\" (each line the time since the request before)";

InputError unclear(const LogTable& table, const std::string& found, const std::string& allowed) {
  return table.head().error("format", found, allowed);
}

class Decision {
 public:
  Decision(LogTable& table, const TraceSpec& spec) : table_(table), spec_(spec) {}

  Reading made() {
    Reading reading;
    reading.format = spec_.format;
    reading.counts = table_.named("column", spec_.column);
    const std::vector<std::size_t> time = table_.named("time_column", spec_.time_column);
    if (time.size() > 1) throw table_.head().error("time_column", quoted(spec_.time_column), "one column");
    if (time.size() == 1) reading.time = time[0];
    if (reading.format == "auto" && !reading.counts.empty()) reading.format = "counts";
    if (reading.format == "auto" && reading.time && no_counts_named()) reading.format = "times";
    if (reading.format == "auto") reading.format = table_.has_header() ? by_names() : by_values();
    if (reading.format == "counts") {
      if (reading.counts.empty()) reading.counts = {count_column(reading.time)};
      if (!reading.time) reading.time = time_beside(reading.counts);
    } else if (!reading.time) {
      reading.time = column_of(reading.format == "gaps" ? Meaning::kGap : Meaning::kTime);
    }
    return reading;
  }

 private:
  std::vector<std::size_t> count_columns() const {
    std::vector<std::size_t> columns = table_.all(Meaning::kCount);
    for (const std::size_t column : table_.all(Meaning::kRate)) columns.push_back(column);
    return columns;
  }
  bool no_counts_named() const { return count_columns().empty(); }

  /// Columns of numbers of which the name says nothing.
  std::vector<std::size_t> unknown_numbers() const {
    std::vector<std::size_t> columns;
    for (const std::size_t column : table_.all(Meaning::kUnknown)) {
      double number = 0;
      if (read_number(table_.first(column), number)) columns.push_back(column);
    }
    return columns;
  }

  std::string by_names() const {
    if (!count_columns().empty()) return "counts";
    const bool has_times = !table_.all(Meaning::kTime).empty();
    const bool has_gaps = !table_.all(Meaning::kGap).empty();
    if (has_times) {
      const std::vector<std::size_t> unknown = unknown_numbers();
      if (unknown.empty()) return "times";
      throw unclear(table_, "times beside " + table_.names_of(unknown) + ", which may be requests of a bin",
                    "column = \"" + table_.key_of(unknown[0]) +
                        "\" (requests of a bin), or format = \"times\" (each line a request)");
    }
    if (has_gaps) return "gaps";
    throw unclear(
        table_, "no column of times, gaps or counts among " + table_.all_names(),
        "time_column = NAME (each line a request), or column = NAME with bin_s (requests of a bin)");
  }

  std::string by_values() const {
    if (table_.width() > 1) {
      const bool has_stamps = starts_with_stamps();
      double number = 0;
      bool has_numbers = false;
      for (std::size_t i = 1; i < table_.width(); ++i) has_numbers |= read_number(table_.first(i), number);
      if (has_stamps && !has_numbers) return "times";
      throw unclear(
          table_, std::to_string(table_.width()) + " columns without names",
          "column = N (requests of a bin; one bin a line), or time_column = N (each line a request)");
    }
    if (table_.stated_bin_s() > 0) return "counts";
    if (table_.stated_unit_s() > 0 || spec_.time_unit != TimeUnit::kAuto || starts_with_stamps())
      return "times";
    const Shape shape = shape_of(table_);
    if (shape.rises && !shape.is_whole) return "times";
    if (shape.rises)
      throw unclear(table_, "whole numbers that rise, without a name",
                    std::string(kAsTimes) + ", or " + kAsCounts);
    if (shape.is_whole && spec_.bin_s > 0) return "counts";
    throw unclear(
        table_, std::string(shape.is_whole ? "whole " : "") + "numbers that rise and fall, without a name",
        std::string(kAsCounts) + ", or " + kAsGaps + ", or format = \"times\" (each line a request)");
  }

  bool starts_with_stamps() const {
    double number = 0;
    return read_timestamp(table_.first(0)) || (read_number(table_.first(0), number) && epoch_unit_s(number));
  }

  std::size_t only(const std::vector<std::size_t>& columns, const char* key, const std::string& what) const {
    if (columns.size() == 1) return columns[0];
    const std::string found = columns.empty()
                                  ? "no column of " + what + (table_.has_header() ? " by its name" : "")
                                  : std::to_string(columns.size()) + " columns of " + what;
    throw table_.head().error(key, found,
                              std::string(key) + " = one of " +
                                  (!columns.empty()      ? table_.names_of(columns)
                                   : table_.has_header() ? table_.all_names()
                                                         : "1 to " + std::to_string(table_.width()) +
                                                               "; one bin or request a line"));
  }

  std::size_t count_column(std::optional<std::size_t> time) const {
    std::vector<std::size_t> columns = count_columns();
    if (!columns.empty()) return only(columns, "column", "counts");
    for (std::size_t i = 0; i < table_.width(); ++i) {
      const bool is_time = i == time || table_.meaning(i).kind == Meaning::kTime ||
                           (!table_.has_header() && i == 0 && table_.width() == 2);
      if (!is_time) columns.push_back(i);
    }
    return only(columns, "column", "numbers that may be counts");
  }

  std::size_t column_of(Meaning kind) const {
    if (table_.width() == 1) return 0;
    if (!table_.has_header() && kind == Meaning::kTime && starts_with_stamps()) return 0;
    return only(table_.all(kind), "time_column", kind == Meaning::kTime ? "times" : "gaps");
  }

  std::optional<std::size_t> time_beside(const std::vector<std::size_t>& counts) const {
    std::vector<std::size_t> times;
    if (!table_.has_header() && table_.width() > 1) times = {0};
    for (const std::size_t column : table_.all(Meaning::kTime)) times.push_back(column);
    std::erase_if(times, [&](std::size_t column) {
      return std::find(counts.begin(), counts.end(), column) != counts.end();
    });
    if (times.empty()) return std::nullopt;
    return times.size() == 1 ? times[0] : only(times, "time_column", "times");
  }

  LogTable& table_;
  const TraceSpec& spec_;
};

constexpr double kUnitsS[] = {0, 1, 1e-3, 1e-6, 1e-9};  // by TimeUnit

/// The unit in seconds of the numbers of a column, by the user's words, the name or their size; 0: unknown.
double unit_of(const LogTable& table, std::size_t column, const TraceSpec& spec) {
  if (spec.time_unit != TimeUnit::kAuto) return kUnitsS[static_cast<std::size_t>(spec.time_unit)];
  if (table.meaning(column).unit_s > 0) return table.meaning(column).unit_s;
  if (table.stated_unit_s() > 0) return table.stated_unit_s();
  double number = 0;
  if (!read_number(table.first(column), number)) return 0;
  return epoch_unit_s(number).value_or(0);
}

std::string unit_text(double unit_s) {
  for (const char* name : {"s", "ms", "us", "ns", "minutes", "hours", "days"}) {
    if (unit_s_of(name) == unit_s) return name;
  }
  return text_of(unit_s) + " s";
}

/// A number that counts from 1970, to the nanosecond where it has no exponent.
TimeNs exact_ns(std::string_view field, double number, double unit_s) {
  constexpr double kPowers = 10;
  TimeNs unit_ns = static_cast<TimeNs>(std::llround(unit_s * static_cast<double>(kNsPerS)));
  TimeNs ns = 0;
  bool is_fraction = false;
  for (const char c : field.substr(field.starts_with('+') ? 1 : 0)) {
    if (c == '.') {
      is_fraction = true;
    } else if (c < '0' || c > '9') {
      return s_to_ns(number * unit_s);
    } else if (is_fraction) {
      unit_ns /= static_cast<TimeNs>(kPowers);
      ns += unit_ns * (c - '0');
    } else {
      ns = ns * static_cast<TimeNs>(kPowers) + unit_ns * (c - '0');
    }
  }
  return ns;
}

/// Times, one a row: stamps and numbers that count from 1970 from the first on, other numbers as they are.
void read_times(LogTable& table, const TraceSpec& spec, std::size_t column, TraceData& data) {
  const std::string key = table.key_of(column);
  const bool is_stamp = read_timestamp(table.first(column)).has_value();
  double first = 0;
  read_number(table.first(column), first);
  double unit_s = is_stamp ? 0 : unit_of(table, column, spec);
  const bool names_nothing = unit_s == 0 && !is_stamp;
  // A file of one column without a header is ours: seconds. A column with a name may be anything.
  if (names_nothing && table.has_header())
    throw table.head().error("time_unit", "times without a unit in " + table.called(column),
                             "time_unit = \"s\", \"ms\", \"us\" or \"ns\"");
  if (names_nothing) unit_s = 1;
  const bool is_absolute = is_stamp || first * unit_s >= kLatestS;
  std::size_t unsorted = 0;
  while (table.next()) {
    const std::string_view field = table.fields()[column];
    TimeNs time = 0;
    if (is_stamp) {
      const std::optional<TimeNs> stamp = read_timestamp(field);
      if (!stamp)
        throw table.at().error(key, quoted(field), "a date and time (ISO 8601), as in the first row");
      time = *stamp;
    } else {
      const double most = is_absolute ? 1e10 : kLatestS;
      const double number =
          number_field(table.at(), table.has_header() ? key : "send time", field, 0, most / unit_s);
      time = is_absolute ? exact_ns(field, number, unit_s) : s_to_ns(number * unit_s);
    }
    if (data.times_ns.size() == kMaxTimes)
      throw table.at().error("", "more than 100000000 times", "at most 100000000");
    unsorted += !data.times_ns.empty() && time < data.times_ns.back() ? 1 : 0;
    data.times_ns.push_back(time);
  }
  if (unsorted > 0) std::stable_sort(data.times_ns.begin(), data.times_ns.end());
  const TimeNs begin = is_absolute && !data.times_ns.empty() ? data.times_ns.front() : 0;
  for (TimeNs& time : data.times_ns) time -= begin;
  if (!data.times_ns.empty() && ns_to_s(data.times_ns.back()) > kLatestS)
    throw table.head().error(key, "times over " + text_of(ns_to_s(data.times_ns.back())) + " s",
                             "at most 1e9 s from the first to the last");
  data.reading =
      "times in " + table.called(column) + " (" + (is_stamp ? "dates" : unit_text(unit_s)) +
      (is_absolute ? ", from the first on" : "") + "), each line a request" +
      (unsorted > 0 ? ", sorted (" + std::to_string(unsorted) + " came before the one above)" : "");
}

void read_gaps(LogTable& table, const TraceSpec& spec, std::size_t column, TraceData& data) {
  double unit_s = table.meaning(column).unit_s;
  if (spec.time_unit != TimeUnit::kAuto) unit_s = unit_of(table, column, spec);
  if (unit_s == 0) unit_s = 1;
  double sum_s = 0;
  while (table.next()) {
    sum_s +=
        unit_s * number_field(table.at(), table.key_of(column), table.fields()[column], 0, kLatestS / unit_s);
    if (sum_s > kLatestS)
      throw table.at().error("", "gaps of " + text_of(sum_s) + " s in sum", "at most 1e9 s");
    if (data.times_ns.size() == kMaxTimes)
      throw table.at().error("", "more than 100000000 gaps", "at most 100000000");
    data.times_ns.push_back(s_to_ns(sum_s));
  }
  data.reading = "gaps in " + table.called(column) + " (" + unit_text(unit_s) + "), each line a request";
}

/// The length of a bin: by the times beside the counts, the user's words or the file's remark.
double bin_s_of(const LogTable& table, const TraceSpec& spec, const Reading& reading,
                const std::optional<BinTimes>& times, std::string& source) {
  const double said = spec.bin_s > 0 ? spec.bin_s : table.stated_bin_s();
  const double step = times ? times->step() : 0;
  const double unit_s = step > 0 ? (times->has_dates() ? 1 : unit_of(table, *reading.time, spec)) : 0;
  const double by_times = step * unit_s;
  constexpr double kRounding = 0.01;
  if (by_times > 0 && said > 0 && std::abs(by_times - said) > kRounding * said)
    throw table.head().error("bin_s",
                             text_of(said) + " beside rows that are " + text_of(by_times) + " s apart in " +
                                 table.called(*reading.time),
                             "bin_s as far as the rows are apart, or none");
  if (said > 0) return said;
  if (by_times > 0) {
    source = " by " + table.called(*reading.time);
    return by_times;
  }
  const std::string without =
      step > 0 ? "bins " + text_of(step) + " apart in " + table.called(*reading.time) + ", without a unit"
               : std::string("counts without the length of their bins");
  throw table.head().error(
      "bin_s", without,
      std::string("bin_s = X, or a line \"# bin_s = X\" in the file") + (step > 0 ? ", or time_unit" : ""));
}

void read_counts(LogTable& table, const TraceSpec& spec, const Reading& reading, TraceData& data) {
  std::optional<BinTimes> times;
  if (reading.time) times.emplace(table.has_header() ? table.key_of(*reading.time) : "");
  while (table.next()) {
    double count = 0;
    for (const std::size_t index : reading.counts) {
      count += number_field(table.at(), "count in " + table.called(index), table.fields()[index], 0,
                            kLargestCount);
    }
    if (data.counts.size() == kMaxBins)
      throw table.at().error("", "more than 50000000 bins", "at most 50000000");
    data.counts.push_back(count);
    if (times) times->add(table.at(), table.fields()[*reading.time]);
  }
  if (times) times->check();
  if (data.counts.empty()) return;
  std::string source;
  data.bin_s = bin_s_of(table, spec, reading, times, source);
  const ColumnMeaning& meaning = table.meaning(reading.counts[0]);
  const bool is_rate = reading.counts.size() == 1 && meaning.kind == Meaning::kRate;
  if (is_rate) {
    for (double& count : data.counts) count *= data.bin_s / meaning.unit_s;
  }
  std::vector<std::string> called;
  for (const std::size_t index : reading.counts) called.push_back(table.called(index));
  data.reading = (is_rate ? "requests per " + unit_text(meaning.unit_s) : std::string("counts")) + " in " +
                 join_names(called) + ", bins of " + text_of(data.bin_s) + " s" + source;
}

}  // namespace

TraceData read_plain(const TextLines& lines, const TraceSpec& spec) {
  TraceData data;
  data.format = spec.format == "auto" ? "times" : spec.format;
  LogTable table(lines, spec);
  if (table.is_empty()) return data;
  const Reading reading = Decision(table, spec).made();
  data.format = reading.format;
  table.rewind();
  if (reading.format == "counts") {
    read_counts(table, spec, reading, data);
  } else if (reading.format == "gaps") {
    read_gaps(table, spec, *reading.time, data);
  } else {
    read_times(table, spec, *reading.time, data);
  }
  return data;
}

}  // namespace harness
