#include "harness/claims/interval.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <variant>

#include "harness/text/text_table.h"

namespace harness {
namespace {

constexpr const char* kAllowed =
    "[low, high] with low <= high (inf for no end), or comparisons such as \"> 1\" or [\"> 0\", \"<= 1\"]";

void require_not_empty(const Interval& interval, const InputPlace& place) {
  const bool ordered = interval.low < interval.high ||
                       (interval.low == interval.high && !interval.low_open && !interval.high_open);
  if (!ordered) throw input_error(place, interval.text() + ", in which nothing lies", kAllowed);
}

}  // namespace

bool Interval::contains(double value) const {
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Interval::text() const {
  if (std::isinf(high) && !std::isinf(low)) return (low_open ? "> " : ">= ") + number_text(low);
  if (std::isinf(low) && !std::isinf(high)) return (high_open ? "< " : "<= ") + number_text(high);
  return (low_open ? "(" : "[") + number_text(low) + ", " + number_text(high) + (high_open ? ")" : "]");
}

bool is_comparison(std::string_view text) { return text.starts_with('<') || text.starts_with('>'); }

void narrow(Interval& interval, const InputPlace& place, std::string_view comparison) {
  std::string_view rest = comparison;
  const bool above = rest.starts_with('>');
  if (is_comparison(rest)) rest.remove_prefix(1);
  const bool open = !rest.starts_with('=');
  if (!open) rest.remove_prefix(1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  double limit = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), limit);
  if (!is_comparison(comparison) || error != std::errc() || end != rest.data() + rest.size() ||
      !std::isfinite(limit)) {
    throw input_error(place, "\"" + std::string(comparison) + "\"", kAllowed);
  }
  if (above && limit >= interval.low) {
    interval.low = limit;
    interval.low_open = open;
  } else if (!above && limit <= interval.high) {
    interval.high = limit;
    interval.high_open = open;
  }
}

Interval read_interval(const InputPlace& place, const TomlValue& value) {
  Interval interval;
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    narrow(interval, place, *text);
    return interval;
  }
  const auto* items = std::get_if<TomlArray>(&value.data);
  if (items == nullptr || items->empty() || items->size() > 2)
    throw input_error(place, describe(value), kAllowed);
  if (std::holds_alternative<std::string>(items->front().data)) {
    for (const TomlValue& item : *items) {
      const auto* text = std::get_if<std::string>(&item.data);
      if (text == nullptr) throw input_error(place, "a mixed array", kAllowed);
      narrow(interval, place, *text);
    }
  } else {
    const auto* low = std::get_if<double>(&items->front().data);
    const auto* high = std::get_if<double>(&items->back().data);
    if (low == nullptr || high == nullptr || items->size() != 2 || std::isnan(*low) || std::isnan(*high))
      throw input_error(place, describe(value), kAllowed);
    interval.low = *low;
    interval.high = *high;
  }
  require_not_empty(interval, place);
  return interval;
}

Interval read_about(const InputPlace& place, const TomlValue& value) {
  constexpr double kShare = 0.25;
  double figure = 0;
  double base = 0;  // the value at which the figure says nothing
  if (const auto* number = std::get_if<double>(&value.data)) {
    figure = *number;
  } else if (const auto* text = std::get_if<std::string>(&value.data)) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), figure);
    if (error == std::errc() && std::string_view(end, text->data() + text->size()) == "x")
      base = 1;
    else
      figure = 0;
  }
  if (!std::isfinite(figure) || figure <= base)
    throw input_error(place, describe(value), "a number above 0, or a factor above 1 such as \"4.6x\"");
  return {base + (1 - kShare) * (figure - base), base + (1 + kShare) * (figure - base)};
}

}  // namespace harness
