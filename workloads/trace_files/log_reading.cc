#include "workloads/trace_files/log_reading.h"

#include <algorithm>

#include "harness/core/error.h"
#include "workloads/files/batch_table.h"
#include "workloads/trace_files/bin_times.h"
#include "workloads/trace_files/column_names.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {
namespace {

using Meaning = ColumnMeaning::Kind;

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
const char* const kInText = "format = \"times\" (each line a request), or the counts as a column";
// What is in a line of one request.
constexpr const char* kOfOneRequest[] = {"GET ",  "POST ",  "PUT ",     "DELETE ",
                                         "HEAD ", "PATCH ", "OPTIONS ", "HTTP/"};
// A number of another kind is no count, whatever one chooses: what to write where it is one after all.
const char* const kByName =
    "requests of a bin or a rate in a column named for it (requests, rps, \"requests per minute\")";
const std::string kOrTimes = kByName + std::string(", or format = \"times\" (each line a request)");
const char* const kAsGaps = "format = \"gaps\" (each line the time since the request before)";

InputError unclear(const LogTable& table, const std::string& found, const std::string& allowed) {
  return table.head().error("format", found, allowed);
}

class Decision {
 public:
  Decision(LogTable& table, const TraceSpec& spec) : table_(table), spec_(spec) {}

  LogReading made() {
    LogReading reading;
    reading.format = spec_.format;
    reading.counts = table_.named("column", spec_.column);
    const std::vector<std::size_t> time = table_.named("time_column", spec_.time_column);
    if (time.size() > 1) throw table_.head().error("time_column", quoted(spec_.time_column), "one column");
    if (time.size() == 1) reading.time = time[0];
    if (reading.format == "auto" && !reading.counts.empty()) reading.format = "counts";
    if (reading.format == "auto")
      reading.format = table_.has_header() ? by_names(reading.time) : by_values(reading.time.has_value());
    if (reading.format == "counts" || reading.format == "counter") {
      if (reading.counts.empty()) reading.counts = {count_column(reading)};
      if (!reading.time) reading.time = time_beside(reading.counts);
    } else if (!reading.time) {
      reading.time = column_of(reading.format == "gaps" ? Meaning::kGap : Meaning::kTime);
    }
    for (const std::size_t column : reading.counts) check_count(column, reading);
    if (reading.format == "times" && names_end(table_.key_of(*reading.time))) throw ends_in(*reading.time);
    if (reading.time) check_time(*reading.time, reading.format);
    return reading;
  }

 private:
  /// Throws InputError for a column of other numbers than counts, whoever has chosen it.
  void check_count(std::size_t column, const LogReading& reading) const {
    const Meaning kind = table_.meaning(column).kind;
    const bool may_be_stamp = kind == Meaning::kUnknown || kind == Meaning::kAttribute;
    const bool has_stamps =
        may_be_stamp && table_.width() > 1 && reading.format != "counter" && table_.has_stamps(column);
    std::string found;
    if (column == reading.time || is_time(kind) || has_stamps) found = "times";
    if (kind == Meaning::kAggregate || kind == Meaning::kQuantity)
      found = "by its name neither requests of a bin nor a rate of them";
    const bool is_rate = found.empty() && kind == Meaning::kRate && reading.format == "counter";
    if (is_rate) found = "a rate, which is no counter,";
    if (found.empty()) return;
    throw table_.head().error("column", found + " in " + table_.called(column),
                              is_rate ? "format = \"counts\" (reads rates, too)" : kByName);
  }

  /// Throws InputError for a column of times that is by its name one of numbers of requests, or of gaps.
  void check_time(std::size_t column, const std::string& format) const {
    const Meaning kind = table_.meaning(column).kind;
    const bool is_arrivals = table_.key_of(column) == "arrivals";  // of requests, or when they arrived
    const bool counts = (kind == Meaning::kCount && !is_arrivals) || kind == Meaning::kRate;
    if (counts && !table_.has_stamps(column))
      throw table_.head().error("time_column", "numbers of requests in " + table_.called(column),
                                "times; requests of a bin are read with format = \"counts\"");
    if (kind == Meaning::kGap && format == "times")
      throw table_.head().error("format", "gaps in " + table_.called(column), kAsGaps);
  }

  static bool is_time(Meaning kind) {
    return kind == Meaning::kTime || kind == Meaning::kOtherTime || kind == Meaning::kGap;
  }

  /// When requests ended is not when they arrived.
  InputError ends_in(std::size_t column) const {
    std::string allowed = "the times at which requests arrived";
    for (std::size_t i = 0; i < table_.width(); ++i) {
      if (i != column && names_duration(table_.key_of(i)))
        allowed = "a column of arrivals: " + table_.key_of(column) + " less " + table_.key_of(i);
    }
    const std::vector<std::size_t> times = table_.all(Meaning::kTime);
    if (!times.empty()) allowed = "time_column = " + table_.choices_of(times);
    return table_.head().error("time_column", "ends of requests in " + table_.called(column), allowed);
  }

  std::vector<std::size_t> count_columns() const {
    std::vector<std::size_t> columns = table_.all(Meaning::kCount);
    for (const std::size_t column : table_.all(Meaning::kRate)) columns.push_back(column);
    return columns;
  }
  /// Columns that a name calls times; without one, one of dates of which the name says nothing.
  std::vector<std::size_t> time_columns() const {
    std::vector<std::size_t> columns = table_.all(Meaning::kTime);
    for (std::size_t i = 0; i < table_.width() && columns.empty(); ++i) {
      const Meaning kind = table_.meaning(i).kind;
      const bool may_be = kind == Meaning::kUnknown || kind == Meaning::kOtherTime;
      if (may_be && table_.has_stamps(i)) columns.push_back(i);
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
  /// an index; with nothing, it follows a comma at the end of the lines.
  std::vector<std::size_t> unknown_numbers(std::size_t time) const {
    std::vector<std::size_t> columns;
    for (const std::size_t column : table_.all(Meaning::kUnknown)) {
      const std::string& first = table_.first(column);
      const bool is_index = table_.key_of(column).empty() && (first.empty() || first == "0" || first == "1");
      if (column != time && !is_index && may_be_number(first)) columns.push_back(column);
    }
    return columns;
  }

  /// True if all columns beside the times hold numbers.
  bool has_numbers_alone(std::size_t time) const {
    double number = 0;
    bool has_others = false;
    for (std::size_t i = 0; i < table_.width(); ++i) {
      if (i == time || table_.key_of(i).empty()) continue;
      if (!read_number(table_.first(i), number)) return false;
      has_others = true;
    }
    return has_others;
  }

  /// True if the times are equally far apart beside numbers: it may be a table of bins.
  bool may_be_bins(std::size_t time) const { return has_numbers_alone(time) && are_even(time); }

  InputError times_of_bins() const {
    return unclear(table_, "times that are equally far apart beside numbers alone", kOrTimes);
  }

  /// Throws InputError for numbers of many requests that are no counts: a line is hardly one request.
  void check_no_aggregates(std::optional<std::size_t> time) const {
    std::vector<std::size_t> columns = table_.all(Meaning::kAggregate);
    std::erase_if(columns, [this](std::size_t column) { return !may_be_number(table_.first(column)); });
    if (columns.empty()) return;
    throw unclear(table_,
                  (time ? "times beside " : "") + table_.names_of(columns) +
                      ", by name neither requests of a bin nor a rate of them",
                  kByName);
  }

  /// Whether the times are equally far apart.
  bool are_even(std::size_t time) const {
    BinTimes times("");
    std::size_t rows = 0;
    table_.rewind();
    while (table_.next()) {
      times.add(table_.at(), table_.fields()[time]);
      ++rows;
    }
    table_.rewind();
    constexpr std::size_t kFew = 3;
    return rows >= kFew && times.step() > 0;
  }

  /// Whether a word of it names a number of requests: "requests=120", "120 requests".
  static bool names_count(std::string_view words) {
    const auto is_count = [](std::string_view word) {
      const ColumnMeaning::Kind kind = meaning_of(word).kind;
      return kind == Meaning::kCount || kind == Meaning::kRate;
    };
    std::string_view before;
    double number = 0;
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find_first_of(" ,;", begin), words.size());
      const std::string_view word = words.substr(begin, end - begin);
      const std::size_t equals = word.find('=');
      if (equals != std::string_view::npos && is_count(word.substr(0, equals))) return true;
      if (read_number(before, number) && is_count(word)) return true;
      before = word;
      begin = end + 1;
    }
    return false;
  }

  /// Whether lines of words tell of many requests: a word names their number, or each line ends in a number
  /// and nothing in it is of one request, as a method or a status of HTTP is.
  bool tell_counts() const {
    bool ends_in_numbers = true;
    bool names_counts = false;
    table_.rewind();
    while (table_.next()) {
      const std::string_view words = table_.fields()[1];
      names_counts |= names_count(words);
      const bool is_of_one =
          std::any_of(std::begin(kOfOneRequest), std::end(kOfOneRequest),
                      [&](const char* word) { return words.find(word) != std::string_view::npos; });
      double number = 0;
      ends_in_numbers =
          ends_in_numbers && !is_of_one && read_number(words.substr(words.rfind(' ') + 1), number);
    }
    table_.rewind();
    return names_counts || ends_in_numbers;
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
      if (!unknown.empty()) throw times_beside(unknown);
      check_no_aggregates(times[0]);
      if (times.size() == 1 && may_be_bins(times[0])) throw times_of_bins();
      return "times";
    }
    if (!table_.all(Meaning::kGap).empty()) return "gaps";
    for (std::size_t i = 0; i < table_.width(); ++i) {
      if (names_end(table_.key_of(i)) && table_.has_stamps(i)) throw ends_in(i);
    }
    if (table_.all(Meaning::kAggregate).size() == table_.width()) check_no_aggregates(std::nullopt);
    std::string heading;
    for (std::size_t i = 0; i < table_.width(); ++i) heading += table_.key_of(i) + ",";
    if (table_.all(Meaning::kOtherTime).empty() && may_be_batch_table(heading))
      throw table_.head().error("", kBatchTable, kBatchTableImport);
    throw unclear(table_, "no column of times, gaps or counts among " + table_.all_names(),
                  "time_column = NAME (arrivals, each line a request), or column = NAME with bin_s (requests "
                  "of a bin)");
  }

  InputError times_beside(const std::vector<std::size_t>& unknown) const {
    const auto counter = std::find_if(unknown.begin(), unknown.end(), [this](std::size_t column) {
      return names_counter(table_.key_of(column));
    });
    const auto choice = std::find_if(unknown.begin(), unknown.end(), [this](std::size_t column) {
      return may_name_counts(table_.key_of(column));
    });
    std::string allowed;
    if (counter != unknown.end())
      allowed = "format = \"counter\" (" + table_.key_of(*counter) + ": the requests so far), ";
    if (choice == unknown.end())
      allowed += kOrTimes;
    else
      allowed +=
          "column = " + table_.choices_of({*choice}) +
          " (requests of a bin), or format = \"times\" (each line a request); rates need a name such as rps";
    return unclear(table_, "times beside " + table_.names_of(unknown) + ", which may be requests of a bin",
                   allowed);
  }

  std::string by_values(bool has_chosen) const {
    if (has_chosen) return "times";
    if (table_.is_text() && are_even(0))
      throw unclear(table_, "lines that are equally far apart, which may each tell of many requests",
                    kInText);
    if (table_.is_text() && tell_counts())
      throw unclear(table_, "words with numbers that may count requests", kInText);
    if (table_.width() > 1) {
      const bool has_stamps = table_.has_stamps(0);
      double number = 0;
      bool has_numbers = false;
      for (std::size_t i = 1; i < table_.width(); ++i) has_numbers |= read_number(table_.first(i), number);
      if (has_stamps && !has_numbers) return "times";
      throw unclear(
          table_, std::to_string(table_.width()) + " columns without names",
          "column = N (requests of a bin, one bin a line; rates need a name such as rps), or time_column = N "
          "(each line a request; dates in ISO 8601)");
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
                              std::string(key) + " = " +
                                  (!columns.empty()      ? table_.choices_of(columns)
                                   : table_.has_header() ? "one of " + table_.all_names()
                                                         : "one of 1 to " + std::to_string(table_.width()) +
                                                               "; one bin or request a line"));
  }

  std::size_t count_column(const LogReading& reading) const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < table_.width() && reading.format == "counter"; ++i) {
      if (names_counter(table_.key_of(i))) columns.push_back(i);
    }
    if (columns.empty()) columns = count_columns();
    if (!columns.empty()) return only(columns, "column", "counts");
    for (std::size_t i = 0; i < table_.width(); ++i) {
      const bool is_time_column = i == reading.time || table_.meaning(i).kind == Meaning::kTime ||
                                  table_.has_stamps(i) ||
                                  (!table_.has_header() && i == 0 && table_.width() == 2);
      if (!is_time_column && !(table_.has_header() && table_.key_of(i).empty())) columns.push_back(i);
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

}  // namespace

LogReading reading_of(LogTable& table, const TraceSpec& spec) { return Decision(table, spec).made(); }

}  // namespace harness
