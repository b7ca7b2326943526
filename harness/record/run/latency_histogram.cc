#include "harness/record/run/latency_histogram.h"

#include "harness/record/run/rank_interval.h"

namespace harness {

TimeNs LatencyHistogram::upper_edge(std::size_t bucket) {
  constexpr std::size_t kLinear = std::size_t{2} << kSubBits;
  std::uint64_t scaled = bucket;
  int exponent = 0;
  if (bucket >= kLinear) {
    exponent = static_cast<int>(bucket >> kSubBits) - 1;
    scaled = bucket - (static_cast<std::size_t>(exponent) << kSubBits);
  }
  return static_cast<TimeNs>((((scaled + 1) << exponent) << (kShift - kSubBits)) - 1);
}

void LatencyHistogram::grow(std::size_t buckets) { counts_.resize(buckets, 0); }

void LatencyHistogram::add_all(const std::vector<std::uint64_t>& counts) {
  if (counts_.size() < counts.size()) counts_.resize(counts.size(), 0);
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) counts_[bucket] += counts[bucket];
}

void LatencyHistogram::remove_all(const std::vector<std::uint64_t>& counts) {
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) counts_[bucket] -= counts[bucket];
}

TimeNs LatencyHistogram::quantile(double q) const {
  const std::uint64_t all = total();
  return all == 0 ? 0 : of_rank(rank_of_quantile(all, q));
}

TimeNs LatencyHistogram::of_rank(std::uint64_t rank) const {
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return upper_edge(bucket);
  }
  return upper_edge(counts_.size() - 1);
}

}  // namespace harness
