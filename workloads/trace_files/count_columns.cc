#include "workloads/trace_files/count_columns.h"

#include <cmath>

#include "harness/core/params.h"
#include "workloads/trace_files/time_text.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {
namespace {

/// Counts whose dots may stand before decimals or part thousands.
void check_dots(const LogTable& table, std::size_t column, const WrittenNumbers& written) {
  const bool is_rate = table.meaning(column).kind == ColumnMeaning::Kind::kRate;
  if (table.states_points() || written.dotted().empty() || (is_rate && !table.has_decimal_commas())) return;
  throw table.head().error(table.key_of(column), either_way(written.dotted()),
                           without_dots(written.dotted()) +
                               " where the dot parts thousands, or a line "
                               "\"# decimal = .\" in the file where decimals follow it");
}

/// Numbers with fractions may be means or rates where no name calls them counts.
void check_fractions(const LogTable& table, std::size_t column, std::string_view first) {
  const ColumnMeaning::Kind kind = table.meaning(column).kind;
  if (first.empty() || kind == ColumnMeaning::Kind::kCount || kind == ColumnMeaning::Kind::kRate) return;
  throw table.head().error("column", quoted(first) + " in " + table.called(column) + ", which may be a rate",
                           "whole numbers, or in the file's first line a name that says what they are: "
                           "requests (of a bin), rps, \"requests per minute\"");
}

}  // namespace

CountColumns::CountColumns(const LogTable& table, const LogReading& reading)
    : table_(table),
      reading_(reading),
      is_counter_(reading.format == "counter"),
      before_(reading.counts.size()),
      written_(reading.counts.size()),
      fractions_(reading.counts.size()) {}

std::optional<double> CountColumns::next() {
  double sum = 0;
  bool is_reset = false;
  for (std::size_t i = 0; i < reading_.counts.size(); ++i) {
    const std::string_view field = table_.fields()[reading_.counts[i]];
    const double value =
        log_number(table_.at(), "count in " + table_.called(reading_.counts[i]), field, 0, kLargestCount);
    written_[i].add(field);
    if (fractions_[i].empty() && std::floor(value) != value) fractions_[i] = field;
    const bool goes_on = is_counter_ && value >= before_[i];
    is_reset |= is_counter_ && !goes_on;
    sum += goes_on ? value - before_[i] : value;
    before_[i] = value;
  }
  if (rows_++ == 0 && is_counter_) return std::nullopt;
  resets_ += is_reset ? 1 : 0;
  return sum;
}

void CountColumns::check(const TraceSpec& spec, const std::vector<double>& sums) const {
  constexpr std::size_t kMany = 3;
  for (std::size_t i = 0; i < reading_.counts.size(); ++i) {
    check_dots(table_, reading_.counts[i], written_[i]);
    check_fractions(table_, reading_.counts[i], fractions_[i]);
  }
  if (resets_ * kMany > rows_)
    throw table_.head().error(
        "format",
        "a counter that falls in " + std::to_string(resets_) + " of " + std::to_string(rows_) + " rows",
        "format = \"counts\" (each line the requests of a bin; rates need a name such as rps)");
  check_first_column(sums);
  check_rises(spec, sums);
}

std::string CountColumns::called() const {
  const ColumnMeaning& meaning = table_.meaning(reading_.counts[0]);
  std::vector<std::string> names;
  for (const std::size_t column : reading_.counts) names.push_back(table_.called(column));
  const std::string text =
      (meaning.kind == ColumnMeaning::Kind::kRate ? "requests per " + unit_text(meaning.unit_s)
       : is_counter_                              ? std::string("differences of the counter")
                                                  : std::string("counts")) +
      " in " + join_names(names);
  return resets_ == 0 ? text : text + " (" + counted(resets_, "reset") + ")";
}

/// Throws InputError for a first column without a name in which numbers rise evenly: times of the bins.
void CountColumns::check_first_column(const std::vector<double>& sums) const {
  const bool may_be_times =
      !table_.has_header() && table_.width() > 1 && !reading_.time && reading_.counts[0] == 0;
  constexpr std::size_t kFew = 3;
  if (!may_be_times || rows_ < kFew) return;
  // Of a counter these are differences.
  const double step = is_counter_ ? sums[0] : sums[1] - sums[0];
  const double growth = is_counter_ ? 0 : step;
  for (std::size_t i = 1; i < sums.size(); ++i) {
    if (sums[i] - sums[i - 1] != growth) return;
  }
  if (step > 0)
    throw table_.head().error("column", "numbers that rise by " + text_of(step) + " in column 1, as times do",
                              "the position of another column, or a first line that names the columns");
}

/// Counts that number the rows are an index, unless the user has chosen them; numbers that hardly fall are a
/// counter's, unless the user has said that they count.
void CountColumns::check_rises(const TraceSpec& spec, const std::vector<double>& sums) const {
  constexpr std::size_t kFew = 4;
  constexpr std::size_t kMany = 20;
  constexpr std::size_t kTenth = 10;
  const bool says_what_it_is = table_.width() == 1 && table_.stated_bin_s() > 0;  // as an import writes it
  if (spec.format != "auto" || says_what_it_is || sums.size() < kFew || reading_.counts.size() != 1) return;
  const std::string called = table_.called(reading_.counts[0]);
  bool is_index = sums[0] <= 1;
  std::size_t falls = 0, rises = 0;
  for (std::size_t i = 1; i < sums.size(); ++i) {
    is_index &= sums[i] == sums[i - 1] + 1;
    falls += sums[i] < sums[i - 1] ? 1 : 0;
    rises += sums[i] > sums[i - 1] ? 1 : 0;
  }
  if (is_index && spec.column.empty())
    throw table_.head().error("column", "numbers of rows in " + called,
                              "a column of counts, or format = \"times\"");
  const bool is_total =
      names_counter(table_.key_of(reading_.counts[0])) && rises > 0 && falls * kTenth <= sums.size();
  const bool only_rises = table_.meaning(reading_.counts[0]).kind != ColumnMeaning::Kind::kRate &&
                          falls == 0 && sums.size() >= kMany &&
                          (rises + 1) * kTenth >= sums.size() * (kTenth - 1);
  if (is_total || only_rises)
    throw table_.head().error("format",
                              (is_total ? "a total that " : "numbers that ") +
                                  std::string(falls == 0 ? "never falls" : "hardly ever falls") + " in " +
                                  called,
                              "format = \"counter\" (each line the requests so far), or format = \"counts\" "
                              "(each line the requests of a bin)");
}

double CountColumns::requests_for_one(double bin_s) const {
  const std::vector<std::size_t>& columns = reading_.counts;
  const ColumnMeaning& first = table_.meaning(columns[0]);
  const bool is_rate = first.kind == ColumnMeaning::Kind::kRate;
  for (const std::size_t column : columns) {
    const ColumnMeaning& meaning = table_.meaning(column);
    if ((meaning.kind == ColumnMeaning::Kind::kRate) != is_rate ||
        (is_rate && meaning.unit_s != first.unit_s))
      throw table_.head().error("column", "counts and rates, or rates per different times",
                                "columns of one kind");
  }
  return is_rate ? bin_s / first.unit_s : 1;
}

}  // namespace harness
