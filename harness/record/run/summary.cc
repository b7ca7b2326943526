#include "harness/record/run/summary.h"

#include <algorithm>
#include <sstream>

#include "harness/core/error.h"
#include "harness/core/renamed.h"

namespace harness {
std::string hex16(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::istringstream words(cell.parameters);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      if (!pairs.empty()) pairs.back().second += " " + word;
      continue;
    }
    const std::string now = setting_now(word.substr(0, equals), word.substr(equals + 1));
    const std::string key = now.substr(0, now.find('='));
    std::erase_if(pairs, [&](const auto& earlier) { return earlier.first == key; });
    pairs.emplace_back(key, now.substr(key.size() + 1));
  }
  return pairs;
}

const char* name_of(Better better) {
  constexpr const char* kNames[] = {"higher", "lower", "neither"};
  return kNames[static_cast<std::size_t>(better)];
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::find_if(metrics().begin(), metrics().end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == metrics().end() ? nullptr : &*found;
}

double& SummaryRow::operator[](std::string_view metric) {
  const Metric* found = find_metric(metric);
  HARNESS_CHECK(found != nullptr, "no metric has this name");
  return values[static_cast<std::size_t>(found - metrics().data())];
}

double SummaryRow::operator[](std::string_view metric) const {
  return const_cast<SummaryRow&>(*this)[metric];
}

}  // namespace harness
