#include "harness/record/run/arrival_variation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/record/run/module_totals.h"

namespace harness {

double variation_of(const GapTotals& gaps) {
  if (gaps.count < 2 || gaps.sum_ns <= 0) return kNoValue;
  const double mean = static_cast<double>(gaps.sum_ns) / static_cast<double>(gaps.count);
  const double mean_square = gaps.squares_ns2 / static_cast<double>(gaps.count);
  return std::sqrt(std::max(0.0, mean_square - mean * mean)) / mean;
}

ArrivalVariation arrival_variation(const RunRecord& record) {
  std::vector<double> modules;
  for (const ModuleTotals& module : record.modules) modules.push_back(variation_of(module.gaps));
  const bool known = modules.size() > 1 && std::ranges::none_of(modules, [](double cv) { return cv != cv; });
  if (!known) return {};
  ArrivalVariation result{.first = modules.front(), .last = modules.back()};
  const auto [least, largest] = std::ranges::minmax(modules);
  if (least > 0) result.max_over_min = largest / least;
  std::uint64_t rising = 0;
  for (std::size_t i = 1; i < modules.size(); ++i) rising += modules[i] > modules[i - 1] ? 1 : 0;
  result.rising_share = static_cast<double>(rising) / static_cast<double>(modules.size() - 1);
  return result;
}

}  // namespace harness
