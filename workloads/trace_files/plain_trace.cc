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
    if (reading.format == "auto")
      reading.format = table_.has_header() ? by_names(reading.time) : by_values(reading.time.has_value());
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
  /// Columns that a name calls times; without one, one of dates of which the name says nothing.
  std::vector<std::size_t> time_columns() const {
    std::vector<std::size_t> columns = table_.all(Meaning::kTime);
    for (const std::size_t column : table_.all(Meaning::kUnknown)) {
      if (columns.empty() && table_.has_stamps(column)) columns.push_back(column);
    }
    return columns;
  }

  static bool is_empty_value(std::string_view text) {
    return text.empty() || text == "NULL" || text == "null" || text == "NaN" || text == "nan" ||
           text == "None" || text == "NA";
  }
  /// "7 req/s", "1,007" and "-" are meant as numbers.
  static bool may_be_number(std::string_view text) {
    return is_empty_value(text) || text.find_first_of("0123456789+-.") == 0;
  }

  /// Columns that may be numbers and whose names say nothing. One without a name that begins with 0 or 1 is
  /// an index.
  std::vector<std::size_t> unknown_numbers(std::size_t time) const {
    std::vector<std::size_t> columns;
    for (const std::size_t column : table_.all(Meaning::kUnknown)) {
      const std::string& first = table_.first(column);
      const bool is_index = table_.key_of(column).empty() && (first == "0" || first == "1");
      if (column != time && !is_index && may_be_number(first)) columns.push_back(column);
    }
    return columns;
  }

  /// Whether the times are equally far apart and all other columns hold numbers: a table of bins may be.
  bool may_be_bins(std::size_t time) const {
    double number = 0;
    bool has_others = false;
    for (std::size_t i = 0; i < table_.width(); ++i) {
      if (i == time || table_.key_of(i).empty()) continue;
      if (!read_number(table_.first(i), number)) return false;
      has_others = true;
    }
    if (!has_others) return false;
    BinTimes times("");
    std::size_t rows = 0;
    table_.rewind();
    while (table_.next()) {
      times.add(table_.at(), table_.fields()[time]);
      ++rows;
    }
    table_.rewind();
    constexpr std::size_t kFew = 4;
    return rows >= kFew && times.step() > 0;
  }

  std::string by_names(std::optional<std::size_t> chosen) const {
    // A column of requests as a gateway logs them, "GET /", is no count.
    const std::vector<std::size_t> counts = count_columns();
    if (std::any_of(counts.begin(), counts.end(),
                    [this](std::size_t column) { return may_be_number(table_.first(column)); }))
      return "counts";
    const std::vector<std::size_t> times = chosen ? std::vector<std::size_t>{*chosen} : time_columns();
    if (!times.empty()) {
      const std::vector<std::size_t> unknown = unknown_numbers(times[0]);
      if (!unknown.empty())
        throw unclear(table_, "times beside " + table_.names_of(unknown) + ", which may be requests of a bin",
                      "column = \"" + table_.key_of(unknown[0]) +
                          "\" (requests of a bin), or format = \"times\" (each line a request)");
      if (times.size() == 1 && may_be_bins(times[0]))
        throw unclear(table_, "times that are equally far apart beside numbers alone",
                      "column = NAME (requests of a bin), or format = \"times\" (each line a request)");
      return "times";
    }
    if (!table_.all(Meaning::kGap).empty()) return "gaps";
    throw unclear(
        table_, "no column of times, gaps or counts among " + table_.all_names(),
        "time_column = NAME (each line a request), or column = NAME with bin_s (requests of a bin)");
  }

  std::string by_values(bool has_chosen) const {
    if (has_chosen) return "times";
    if (table_.width() > 1) {
      const bool has_stamps = table_.has_stamps(0);
      double number = 0;
      bool has_numbers = false;
      for (std::size_t i = 1; i < table_.width(); ++i) has_numbers |= read_number(table_.first(i), number);
      if (has_stamps && !has_numbers) return "times";
      throw unclear(
          table_, std::to_string(table_.width()) + " columns without names",
          "column = N (requests of a bin; one bin a line), or time_column = N (each line a request)");
    }
    if (table_.stated_bin_s() > 0) return "counts";
    if (table_.stated_unit_s() > 0 || spec_.time_unit != TimeUnit::kAuto || table_.has_stamps(0))
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
      const bool is_time = i == time || table_.meaning(i).kind == Meaning::kTime || table_.has_stamps(i) ||
                           (!table_.has_header() && i == 0 && table_.width() == 2);
      if (!is_time && !(table_.has_header() && table_.key_of(i).empty())) columns.push_back(i);
    }
    return only(columns, "column", "numbers that may be counts");
  }

  std::size_t column_of(Meaning kind) const {
    if (table_.width() == 1) return 0;
    if (!table_.has_header() && kind == Meaning::kTime && table_.has_stamps(0)) return 0;
    return only(kind == Meaning::kTime ? time_columns() : table_.all(kind), "time_column",
                kind == Meaning::kTime ? "times" : "gaps");
  }

  /// No times that can be read are passed over.
  std::optional<std::size_t> time_beside(const std::vector<std::size_t>& counts) const {
    const auto is_count = [&](std::size_t column) {
      return std::find(counts.begin(), counts.end(), column) != counts.end();
    };
    std::vector<std::size_t> times = table_.all(Meaning::kTime);
    std::erase_if(times, is_count);
    for (std::size_t i = 0; i < table_.width() && times.empty(); ++i) {
      if (!is_count(i) && table_.has_stamps(i)) times.push_back(i);
    }
    if (times.empty() && !table_.has_header() && table_.width() > 1 && !is_count(0)) times = {0};
    if (times.empty()) return std::nullopt;
    return times.size() == 1 ? times[0] : only(times, "time_column", "times");
  }

  LogTable& table_;
  const TraceSpec& spec_;
};

constexpr double kUnitsS[] = {0, 1, 1e-3, 1e-6, 1e-9};  // by TimeUnit

std::string unit_text(double unit_s) {
  for (const char* name : {"s", "ms", "us", "ns", "minute", "hour", "day"}) {
    if (unit_s_of(name) == unit_s) return name;
  }
  return text_of(unit_s) + " s";
}

/// The unit in seconds of the numbers of a column, by the user's words, the name or their size; 0: unknown.
/// Throws InputError where name and size differ: time_s of milliseconds since 1970.
double unit_of(const LogTable& table, std::size_t column, const TraceSpec& spec) {
  if (spec.time_unit != TimeUnit::kAuto) return kUnitsS[static_cast<std::size_t>(spec.time_unit)];
  double number = 0;
  std::optional<double> by_size;
  if (read_number(table.first(column), number)) by_size = epoch_unit_s(number);
  double by_name = table.meaning(column).unit_s;
  if (by_name == 0) by_name = table.stated_unit_s();
  if (!by_size || by_name == 0) return by_name > 0 ? by_name : by_size.value_or(0);
  if (by_name > 1) return *by_size;  // the minute of a bin, in seconds since 1970
  if (by_name != *by_size)
    throw table.head().error("time_unit",
                             "numbers since 1970 in " + unit_text(*by_size) + " in " + table.called(column),
                             "time_unit, which says what they are in");
  return by_name;
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
  const bool is_number = read_number(table.first(column), first);
  if (!is_stamp && !is_number && table.has_header())
    throw table.head().error(key, quoted(table.first(column)), "a date and time (ISO 8601), or a number");
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
      const double most = is_absolute ? kLatestEpochS : kLatestS;
      const double number =
          number_field(table.at(), table.has_header() ? key : "send time", field, 0, most / unit_s);
      time = is_absolute ? exact_ns(field, number, unit_s) : s_to_ns(number * unit_s);
    }
    if (data.times_ns.size() == kMaxTimes)
      throw table.at().error("", "more than 100000000 times", "at most 100000000");
    unsorted += !data.times_ns.empty() && time < data.times_ns.back() ? 1 : 0;
    data.times_ns.push_back(time);
  }
  constexpr std::size_t kMany = 3;  // a third of the rows: durations rise and fall so
  if (spec.format == "auto" && spec.time_column.empty() && !is_absolute &&
      unsorted * kMany > data.times_ns.size() && unsorted > 1)
    throw table.head().error(
        "format", "numbers that rise and fall in " + table.called(column),
        "format = \"times\" (each line a request at that time), or time_column = another");
  if (unsorted > 0) std::stable_sort(data.times_ns.begin(), data.times_ns.end());
  if (is_stamp && table.first(column).size() == kDateSize &&
      std::adjacent_find(data.times_ns.begin(), data.times_ns.end()) != data.times_ns.end())
    throw table.head().error(key, "dates without a time of day, some twice", "the times of the requests");
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
  constexpr double kNear = 0.01;
  if (by_times > 0 && said > 0 && std::abs(by_times - said) > kNear * said)
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

/// Counts that number the rows are an index, unless the user has chosen them; a total that never falls is a
/// counter's, unless the user has said that it counts.
void check_counts(const LogTable& table, const TraceSpec& spec, const Reading& reading,
                  const std::vector<double>& counts) {
  constexpr std::size_t kFew = 4;
  if (counts.size() < kFew || reading.counts.size() != 1) return;
  const std::string called = table.called(reading.counts[0]);
  bool is_index = counts[0] <= 1;
  bool falls = false;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    is_index &= counts[i] == counts[i - 1] + 1;
    falls |= counts[i] < counts[i - 1];
  }
  if (is_index && spec.format == "auto" && spec.column.empty())
    throw table.head().error("column", "numbers of rows in " + called,
                             "a column of counts, or format = \"times\"");
  const std::string name = table.key_of(reading.counts[0]);
  const bool is_total = name.find("otal") != std::string::npos || name.find("umul") != std::string::npos;
  if (spec.format == "auto" && is_total && !falls && counts.back() > counts.front())
    throw table.head().error(
        "column", "a total that never falls in " + called,
        "another column with the differences of a counter, or format = \"counts\" where it "
        "holds the requests of each bin");
}

/// How many requests a number in the columns stands for in a bin of bin_s.
double requests_for_one(const LogTable& table, const std::vector<std::size_t>& columns, double bin_s) {
  const ColumnMeaning& first = table.meaning(columns[0]);
  const bool is_rate = first.kind == Meaning::kRate;
  for (const std::size_t column : columns) {
    const ColumnMeaning& meaning = table.meaning(column);
    if ((meaning.kind == Meaning::kRate) != is_rate || (is_rate && meaning.unit_s != first.unit_s))
      throw table.head().error("column", "counts and rates, or rates per different times",
                               "columns of one kind");
  }
  return is_rate ? bin_s / first.unit_s : 1;
}

void read_counts(LogTable& table, const TraceSpec& spec, const Reading& reading, TraceData& data) {
  std::optional<BinTimes> times;
  if (reading.time) {
    const bool is_known = table.has_header() || table.has_stamps(*reading.time);
    times.emplace(is_known ? table.key_of(*reading.time) : "");
  }
  while (table.next()) {
    if (table.is_after_empty_line() && !data.counts.empty())
      throw table.at().error("", "an empty line above",
                             "a row for every bin; where no request came, the count 0");
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
  check_counts(table, spec, reading, data.counts);
  std::string source;
  data.bin_s = bin_s_of(table, spec, reading, times, source);
  const double each = requests_for_one(table, reading.counts, data.bin_s);
  for (double& count : data.counts) count *= each;
  const ColumnMeaning& meaning = table.meaning(reading.counts[0]);
  std::vector<std::string> called;
  for (const std::size_t index : reading.counts) called.push_back(table.called(index));
  data.reading =
      (meaning.kind == Meaning::kRate ? "requests per " + unit_text(meaning.unit_s) : std::string("counts")) +
      " in " + join_names(called) + ", bins of " + text_of(data.bin_s) + " s" + source;
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
