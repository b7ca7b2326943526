#include "workloads/trace_files/plain_trace.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/trace_files/bin_times.h"
#include "workloads/trace_files/column_names.h"
#include "workloads/trace_files/count_columns.h"
#include "workloads/trace_files/log_reading.h"
#include "workloads/trace_files/time_text.h"
#include "workloads/trace_files/written_numbers.h"

namespace harness {
namespace {

constexpr double kLatestS = 1e9;
constexpr std::size_t kMaxTimes = 100'000'000;
using Meaning = ColumnMeaning::Kind;

constexpr double kUnitsS[] = {0, 1, 1e-3, 1e-6, 1e-9};  // by TimeUnit

/// The unit in seconds of the numbers of a column, by the user's words, the name or their size; 0: unknown.
/// Throws InputError where two of them differ: time_s of milliseconds since 1970.
double unit_of(const LogTable& table, std::size_t column, const TraceSpec& spec) {
  double number = 0;
  std::optional<double> by_size;
  if (read_number(table.first(column), number)) by_size = epoch_unit_s(number);
  double by_name = table.meaning(column).unit_s;
  if (spec.time_unit != TimeUnit::kAuto) {
    const double given = kUnitsS[static_cast<std::size_t>(spec.time_unit)];
    // The minute of a bin may be in seconds.
    const bool names_unit = by_name > 0 && by_name <= 1;
    if (names_unit && by_name != given && by_size != given && table.stated_unit_s() != given)
      throw input_error(
          place_of_field(spec, "time_unit"),
          unit_text(given) + " for " + table.called(column) + ", whose name says " + unit_text(by_name),
          "no such key, or a column whose name says nothing else");
    return given;
  }
  if (by_name == 0) by_name = table.stated_unit_s();
  if (!by_size || by_name == 0) return by_name > 0 ? by_name : by_size.value_or(0);
  if (by_name > 1) return *by_size;  // the minute of a bin, in seconds since 1970
  if (by_name != *by_size)
    throw table.head().error("time_unit",
                             "numbers since 1970 in " + unit_text(*by_size) + " in " + table.called(column),
                             "time_unit, which says what they are in");
  return by_name;
}

/// Throws InputError where the user gives a unit for a column of dates.
void refuse_unit(const LogTable& table, const TraceSpec& spec, std::size_t column) {
  if (spec.time_unit == TimeUnit::kAuto) return;
  throw input_error(place_of_field(spec, "time_unit"), "time_unit with dates in " + table.called(column),
                    "no such key: dates have no unit");
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

/// Times whose dots may stand before decimals or, as commas do in other columns, part thousands.
void check_commas(const LogTable& table, const std::string& key, const WrittenNumbers& written) {
  if (!table.has_decimal_commas() || table.states_points() || written.dotted().empty()) return;
  throw table.head().error(key, either_way(written.dotted()) + ", since commas stand before decimals",
                           "numbers without separators of thousands and with a point before decimals, or a "
                           "line \"# decimal = .\" in the file");
}

/// The times of one column: stamps and numbers that count from 1970, or other numbers.
class TimeColumn {
 public:
  TimeColumn(const LogTable& table, const TraceSpec& spec, std::size_t column)
      : table_(table), spec_(spec), column_(column), key_(table.key_of(column)) {
    const std::string& text = table.first(column);
    double first = 0;
    is_stamp_ = read_timestamp(text).has_value();
    if (!is_stamp_ && !read_number(text, first) && table.has_header())
      throw table.head().error(key_, quoted(text), time_or_number(text));
    if (is_stamp_) refuse_unit(table, spec, column);
    if (!is_stamp_) unit_s_ = unit_of(table, column, spec);
    const bool names_nothing = unit_s_ == 0 && !is_stamp_;
    // A file of one column without a header is ours: seconds. A column with a name may be anything.
    if (names_nothing && table.has_header())
      throw table.head().error("time_unit", "times without a unit in " + table.called(column),
                               "time_unit = \"s\", \"ms\", \"us\" or \"ns\"");
    if (names_nothing) unit_s_ = 1;
    is_absolute_ = is_stamp_ || first * unit_s_ >= kLatestS;
  }

  bool is_absolute() const { return is_absolute_; }
  std::size_t unsorted() const { return unsorted_; }
  std::string kind() const {
    return (is_stamp_ ? "dates" : unit_text(unit_s_)) +
           std::string(is_absolute_ ? ", from the first on" : "");
  }
  bool has_dates_alone() const { return is_stamp_ && table_.first(column_).size() == kDateSize; }

  /// The time of the table's row.
  TimeNs next() {
    const std::string_view field = table_.fields()[column_];
    const TimeNs time = is_stamp_ ? stamp(field) : number(field);
    if (has_before_ && time < before_) note_fall(field, time);
    before_ = time;
    has_before_ = true;
    return time;
  }

  /// After the last row: throws InputError for times that may be others than those written.
  void check(std::size_t rows) const {
    constexpr std::size_t kMany = 3;  // a third of the rows: durations rise and fall so
    if (spec_.format == "auto" && spec_.time_column.empty() && !is_absolute_ && unsorted_ * kMany > rows &&
        unsorted_ > 1)
      throw table_.head().error(
          "format", "numbers that rise and fall in " + table_.called(column_),
          "format = \"times\" (each line a request at that time), or time_column = another");
    if (spec_.format == "auto" && hour_twice_ && hours_ == far_ && hours_ <= kSummers)
      throw InputError(*hour_twice_);
    if (written_.step() * unit_s_ > 1)
      throw table_.head().error(key_,
                                "times of " + std::to_string(written_.digits()) +
                                    " significant digits, steps of " + text_of(written_.step() * unit_s_) +
                                    " s: what is finer is lost",
                                "times with all their digits (printed by %.6f in place of %.6g)");
    check_commas(table_, key_, written_);
  }

 private:
  static constexpr std::size_t kSummers = 3;  // that end in one log

  TimeNs stamp(std::string_view field) {
    constexpr std::size_t kShown = 60;
    const std::optional<TimeNs> time = read_timestamp(field);
    if (time) offsets_.add(table_.at(), key_, field);
    if (time) return *time;
    throw table_.at().error(key_, quoted(field.substr(0, kShown)),
                            "a date and time (ISO 8601), as in the first row");
  }

  TimeNs number(std::string_view field) {
    const double most = (is_absolute_ ? kLatestEpochS : kLatestS) / unit_s_;
    const double number = log_number(table_.at(), table_.has_header() ? key_ : "send time", field, 0, most);
    written_.add(field);
    return is_absolute_ ? exact_ns(field, number, unit_s_) : s_to_ns(number * unit_s_);
  }

  /// At the end of summer time, on a Sunday before 4 h, clocks show the last hour again.
  void note_fall(std::string_view field, TimeNs time) {
    constexpr TimeNs kMinuteNs = 60 * kNsPerS;
    constexpr TimeNs kDayNs = 24 * 60 * kMinuteNs;
    constexpr TimeNs kFirstSunday = 3;  // 1970-01-04
    ++unsorted_;
    const TimeNs fall = before_ - time;
    if (!is_stamp_ || fall < kMinuteNs) return;  // threads and hosts differ by less
    ++far_;
    const bool is_night = time / kDayNs % 7 == kFirstSunday && time % kDayNs < kDayNs / 6;
    if (!is_local_time(field) || fall > 60 * kMinuteNs || (fall < 30 * kMinuteNs && !is_night)) return;
    ++hours_;
    if (hour_twice_) return;
    hour_twice_ =
        table_.at().error(key_,
                          quoted(field) + ", " + text_of(ns_to_s(fall)) +
                              " s before the row above, where hardly any falls: an hour "
                              "that comes twice (the end of summer time), or rows out of order",
                          "times with an offset from UTC (+01:00), or format = \"times\", which sorts them");
  }

  const LogTable& table_;
  const TraceSpec& spec_;
  std::size_t column_;
  std::string key_;
  bool is_stamp_ = false;
  bool is_absolute_ = false;
  double unit_s_ = 0;
  WrittenNumbers written_;
  WrittenOffsets offsets_;
  bool has_before_ = false;
  TimeNs before_ = 0;
  std::size_t unsorted_ = 0;
  std::size_t far_ = 0;    ///< of them by a minute or more ...
  std::size_t hours_ = 0;  ///< ... and of those by about an hour
  std::optional<InputError> hour_twice_;
};

/// Times, one a row: those that count from 1970 from the first on, other numbers as they are. `on_row`, where
/// given, is called for each row with its time as written.
void read_times(LogTable& table, const TraceSpec& spec, std::size_t column, TraceData& data,
                const std::function<void(TimeNs)>& on_row = {}) {
  TimeColumn times(table, spec, column);
  while (table.next()) {
    const TimeNs time = times.next();
    if (data.times_ns.size() == kMaxTimes)
      throw table.at().error("", "more than 100000000 times", "at most 100000000");
    data.times_ns.push_back(time);
    if (on_row) on_row(time);
  }
  if (times.unsorted() > 0) std::stable_sort(data.times_ns.begin(), data.times_ns.end());
  const std::string key = table.key_of(column);
  if (times.has_dates_alone() &&
      std::adjacent_find(data.times_ns.begin(), data.times_ns.end()) != data.times_ns.end())
    throw table.head().error(key, "dates without a time of day, some twice", "the times of the requests");
  const TimeNs begin = times.is_absolute() && !data.times_ns.empty() ? data.times_ns.front() : 0;
  for (TimeNs& time : data.times_ns) time -= begin;
  if (!data.times_ns.empty() && ns_to_s(data.times_ns.back()) > kLatestS)
    throw table.head().error(key, "times over " + text_of(ns_to_s(data.times_ns.back())) + " s",
                             "at most 1e9 s from the first to the last");
  times.check(data.times_ns.size());
  data.reading =
      "times in " + table.called(column) + " (" + times.kind() + "), each line a request" +
      (times.unsorted() > 0 ? ", sorted (" + std::to_string(times.unsorted()) + " came before the one above)"
                            : "");
}

/// The column that names modules.
std::size_t module_column(const LogTable& table, const TraceSpec& spec) {
  std::vector<std::size_t> found = table.named("column", spec.column);
  const bool is_chosen = !found.empty();
  for (std::size_t column = 0; !is_chosen && table.has_header() && column < table.width(); ++column) {
    if (table.key_of(column) == "module" || table.key_of(column) == "model") found.push_back(column);
  }
  if (found.size() == 1) return found[0];
  if (!is_chosen && found.size() > 1)
    throw table.head().error("column", std::to_string(found.size()) + " columns of modules",
                             "column = " + table.choices_of(found));
  throw table.head().error("column", !is_chosen ? "no column 'module' or 'model'" : quoted(spec.column),
                           "one column, whose names are those of modules");
}

void read_gaps(LogTable& table, const TraceSpec& spec, std::size_t column, TraceData& data) {
  double unit_s = table.meaning(column).unit_s;
  if (spec.time_unit != TimeUnit::kAuto) unit_s = unit_of(table, column, spec);
  if (unit_s == 0) unit_s = 1;
  double sum_s = 0;
  WrittenNumbers written;
  while (table.next()) {
    written.add(table.fields()[column]);
    sum_s +=
        unit_s * log_number(table.at(), table.key_of(column), table.fields()[column], 0, kLatestS / unit_s);
    if (sum_s > kLatestS)
      throw table.at().error("", "gaps of " + text_of(sum_s) + " s in sum", "at most 1e9 s");
    if (data.times_ns.size() == kMaxTimes)
      throw table.at().error("", "more than 100000000 gaps", "at most 100000000");
    data.times_ns.push_back(s_to_ns(sum_s));
  }
  check_commas(table, table.key_of(column), written);
  data.reading = "gaps in " + table.called(column) + " (" + unit_text(unit_s) + "), each line a request";
}

/// The length of a bin: by the times beside the counts, the user's words or the file's remark.
double bin_s_of(const LogTable& table, const TraceSpec& spec, const LogReading& reading,
                const std::optional<BinTimes>& times, std::string& source) {
  const double said = spec.bin_s > 0 ? spec.bin_s : table.stated_bin_s();
  const double step = times ? times->step() : 0;
  if (times && times->has_dates()) refuse_unit(table, spec, *reading.time);
  if (!times && spec.time_unit != TimeUnit::kAuto)
    throw input_error(place_of_field(spec, "time_unit"), "time_unit with counts without a column of times",
                      said > 0 ? "bin_s, the length of their bins in s" : "bin_s, or time_column");
  const double unit_s = step > 0 ? (times->has_dates() ? 1 : unit_of(table, *reading.time, spec)) : 0;
  const double by_times = unit_s > 0 && unit_s < 1 ? step / std::round(1 / unit_s) : step * unit_s;
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

void read_counts(LogTable& table, const TraceSpec& spec, const LogReading& reading, TraceData& data) {
  std::optional<BinTimes> times;
  if (reading.time) {
    const bool is_known = table.has_header() || table.has_stamps(*reading.time);
    times.emplace(is_known ? table.key_of(*reading.time) : "");
  }
  CountColumns columns(table, reading);
  while (table.next()) {
    if (table.is_after_empty_line() && !data.counts.empty())
      throw table.at().error("", "an empty line above",
                             "a row for every bin; where no request came, the count 0");
    const std::optional<double> count = columns.next();
    if (times) times->add(table.at(), table.fields()[*reading.time]);
    if (!count) continue;
    if (data.counts.size() == kMaxBins)
      throw table.at().error("", "more than 50000000 bins", "at most 50000000");
    data.counts.push_back(*count);
  }
  if (times) times->check();
  if (data.counts.empty()) return;
  columns.check(spec, data.counts);
  std::string source;
  data.bin_s = bin_s_of(table, spec, reading, times, source);
  const double each = columns.requests_for_one(data.bin_s);
  for (double& count : data.counts) count *= each;
  data.reading = columns.called() + ", bins of " + text_of(data.bin_s) + " s" + source;
}

}  // namespace

TraceData read_plain(const TextLines& lines, const TraceSpec& spec) {
  TraceData data;
  data.format = spec.format == "auto" ? "times" : spec.format;
  LogTable table(lines, spec);
  if (table.is_empty()) return data;
  const LogReading reading = reading_of(table, spec);
  data.format = reading.format;
  table.rewind();
  if (reading.format == "counts" || reading.format == "counter") {
    read_counts(table, spec, reading, data);
  } else if (reading.format == "gaps") {
    read_gaps(table, spec, *reading.time, data);
  } else {
    read_times(table, spec, *reading.time, data);
  }
  return data;
}

std::map<std::string, std::vector<TimeNs>> read_by_module(const TextLines& lines, const TraceSpec& spec) {
  TraceSpec times = spec;
  times.format = "times";
  times.column.clear();
  std::map<std::string, std::vector<TimeNs>> found;
  LogTable table(lines, times);
  if (table.is_empty()) throw table.head().error("", "no data", "at least one request");
  const std::size_t names = module_column(table, spec);
  const LogReading reading = reading_of(table, times);
  table.rewind();
  TraceData data;
  TimeNs first = kNever;
  read_times(table, times, *reading.time, data, [&](TimeNs time) {
    found[std::string(table.fields()[names])].push_back(time);
    first = std::min(first, time);
  });
  const TimeNs begin = first - data.times_ns.front();
  for (auto& [name, sent] : found) {
    std::sort(sent.begin(), sent.end());
    for (TimeNs& time : sent) time -= begin;
  }
  return found;
}

}  // namespace harness
