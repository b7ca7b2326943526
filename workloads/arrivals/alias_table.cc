#include "workloads/arrivals/alias_table.h"

#include <cstddef>

#include "harness/core/check.h"

namespace harness {

void AliasTable::build(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  HARNESS_CHECK(sum > 0, "an alias table of no weight");
  const std::size_t size = weights.size();
  columns_.resize(size);
  shares_.resize(size);
  small_.clear();
  large_.clear();
  for (std::size_t i = 0; i < size; ++i) {
    shares_[i] = weights[i] / sum * static_cast<double>(size);
    columns_[i] = {~std::uint64_t{0}, static_cast<std::uint32_t>(i)};
    (shares_[i] < 1 ? small_ : large_).push_back(static_cast<std::uint32_t>(i));
  }
  // Whatever rounding leaves in one of the lists keeps its column for itself.
  while (!small_.empty() && !large_.empty()) {
    const std::uint32_t low = small_.back();
    small_.pop_back();
    const std::uint32_t high = large_.back();
    columns_[low] = {static_cast<std::uint64_t>(shares_[low] * 0x1p64), high};
    shares_[high] -= 1 - shares_[low];
    if (shares_[high] >= 1) continue;
    large_.pop_back();
    small_.push_back(high);
  }
}

}  // namespace harness
