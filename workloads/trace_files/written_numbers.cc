#include "workloads/trace_files/written_numbers.h"

#include <algorithm>
#include <charconv>

#include "harness/core/params.h"
#include "workloads/trace_files/time_text.h"

namespace harness {
namespace {

constexpr std::size_t kGroup = 3;  // digits between separators of thousands
constexpr std::string_view kDigits = "0123456789";

bool is_digits(std::string_view text) { return text.find_first_not_of(kDigits) == std::string_view::npos; }

/// "1,007", "1.013.250", "1'000", "0,5": digits and what may stand between them.
bool has_separators(std::string_view field) {
  return !field.empty() && is_digits(field.substr(0, 1)) &&
         field.find_first_not_of("0123456789.,'_ ") == std::string_view::npos;
}

constexpr const char* kHowWritten = " without separators of thousands and with a point before decimals";

}  // namespace

void WrittenNumbers::add(std::string_view field) {
  if (is_grouped_) {
    const std::size_t dot = field.find('.');
    const std::string_view before = field.substr(0, dot);
    is_grouped_ = !before.empty() && before.size() <= kGroup && is_digits(before);
    if (dot != std::string_view::npos) {
      const std::string_view behind = field.substr(dot + 1);
      is_grouped_ &=
          before != "0" && !before.starts_with('0') && behind.size() == kGroup && is_digits(behind);
      if (dotted_.empty()) dotted_ = field;
    }
  }
  const std::size_t mark = field.find_first_of("eE");
  if (mark == std::string_view::npos) return;
  std::string_view power = field.substr(mark + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  int exponent = 0;
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  const std::string_view mantissa = field.substr(0, mark);
  const auto digits = std::count_if(mantissa.begin(), mantissa.end(),
                                    [](char c) { return kDigits.find(c) != std::string_view::npos; });
  exponent_ = digits_ == 0 ? exponent : std::max(exponent_, exponent);
  digits_ = std::max(digits_, static_cast<int>(digits));
}

int WrittenNumbers::digits() const {
  constexpr int kOfG = 6;
  return std::max(digits_, kOfG);
}

double WrittenNumbers::step() const {
  if (digits_ == 0) return 0;
  double step = 1;
  for (int power = exponent_ - digits() + 1; power > 0; --power) step *= 10;
  for (int power = exponent_ - digits() + 1; power < 0; ++power) step /= 10;
  return step;
}

void WrittenOffsets::add(const TextLines& lines, const std::string& key, std::string_view date) {
  const bool is_local = is_local_time(date);
  if (!is_local_) is_local_ = is_local;
  if (*is_local_ != is_local)
    throw lines.error(key,
                      quoted(date) + (is_local ? " without" : " with") + " an offset from UTC below dates " +
                          (is_local ? "with" : "without") + " one",
                      "an offset (+02:00, Z) in every row or in none");
}

std::string without_dots(std::string_view number) {
  std::string digits(number);
  std::erase(digits, '.');
  return digits;
}

std::string either_way(std::string_view number) {
  return quoted(number) + ", which may be " + without_dots(number) + " or " + std::string(number);
}

double log_number(const TextLines& lines, const std::string& key, std::string_view field, double low,
                  double high) {
  double value = 0;
  if (!read_number(field, value) && has_separators(field))
    throw lines.error(key, quoted(field),
                      "a number from " + text_of(low) + " to " + text_of(high) + "," + kHowWritten);
  return number_field(lines, key, field, low, high);
}

std::string time_or_number(std::string_view field) {
  return std::string("a date and time (ISO 8601), or a number") + (has_separators(field) ? kHowWritten : "");
}

}  // namespace harness
