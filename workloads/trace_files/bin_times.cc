#include "workloads/trace_files/bin_times.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "harness/core/params.h"
#include "workloads/trace_files/time_text.h"

namespace harness {
namespace {

constexpr double kRounding = 0.05;  // of a step: 0.33, 0.67, 1.00

}  // namespace

void BinTimes::add(const TextLines& lines, std::string_view field) {
  if (!is_time_) return;
  double time = 0;
  const std::optional<TimeNs> date = read_timestamp(field);
  if (date) time = ns_to_s(*date);
  if (!date && !read_number(field, time)) {
    // Names of days order nothing; what is written as a time, or follows some, is meant as one.
    const bool is_meant = rows_ > 0 || field.find_first_of("0123456789") != std::string_view::npos;
    if (!name_.empty() && is_meant)
      throw lines.error(name_, quoted(field), "a date and time (ISO 8601), or a number");
    is_time_ = false;
    return;
  }
  if (date) offsets_.add(lines, name_.empty() ? "column 1" : name_, field);
  ++rows_;
  has_dates_ = date.has_value();
  const double step = time - before_;
  if (rows_ == 1) first_ = time;
  if (rows_ == 2) step_ = step;
  // Large times have few digits after the point.
  const double rounding = kRounding * step_ + 4 * std::abs(time) * std::numeric_limits<double>::epsilon();
  const bool good = rows_ == 1 || (step > 0 && std::abs(step - step_) <= rounding);
  if (!good) {
    InputError error = lines.error(
        name_.empty() ? "column 1" : name_, quoted(field) + " after " + quoted(before_text_),
        std::string("a row for every bin, in order") +
            (step_ > 0 ? ", each " + text_of(step_) + " after the one before, as the first two are" : "") +
            "; where no request came, the count 0");
    if (!name_.empty()) throw InputError(error);
    if (wrong_++ == 0) first_wrong_ = std::move(error);
  }
  before_ = time;
  before_text_ = field;
}

void BinTimes::check() const {
  constexpr std::size_t kFew = 10;
  if (is_time_ && step_ > 0 && first_wrong_ && wrong_ * kFew <= rows_) throw InputError(*first_wrong_);
}

double BinTimes::step() const {
  if (!is_time_ || wrong_ > 0 || rows_ < 2) return 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", (before_ - first_) / static_cast<double>(rows_ - 1));
  return std::strtod(text, nullptr);
}

}  // namespace harness
