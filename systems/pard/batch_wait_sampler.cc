#include "systems/pard/batch_wait_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace harness {
namespace {

constexpr int kDrawBits = 16;
constexpr int kSegmentBits = 6;
constexpr int kFractionBits = kDrawBits - kSegmentBits;
static_assert(WaitTable::kSegments == 1 << kSegmentBits);

/// Number of samples at once. Every lane does the same as a loop over single samples, in the same order.
constexpr std::size_t kLanes = 4;
using Floats [[gnu::vector_size(16)]] = float;
using Ints [[gnu::vector_size(16)]] = std::int32_t;
using Words [[gnu::vector_size(16)]] = std::uint64_t;
static_assert(std::endian::native == std::endian::little);  // the lower half of a word is the first

template <class Vector, class Number>
Vector load(const Number* from) {
  Vector values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
template <class Vector, class Number>
void store(Number* to, Vector values) {
  std::memcpy(to, &values, sizeof values);
}

/// A segment of a table for drawing: the value at the middle of the segment's first step, and the step.
struct Segment {
  float start = 0;
  float step = 0;
};
using Segments = std::array<Segment, WaitTable::kSegments>;

void prepare(const WaitTable& table, Segments& segments) {
  constexpr float kStep = 1.0F / static_cast<float>(1 << kFractionBits);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const float step = (table.at[i + 1] - table.at[i]) * kStep;
    segments[i] = {table.at[i] + 0.5F * step, step};
  }
}

/// Returns the values, by the table, of the draws at place `m` of four words of the stream.
template <std::size_t m>
Floats draw(const Segments& segments, const std::array<std::uint64_t, kLanes>& words, Ints halves) {
  constexpr int kFractionMask = (1 << kFractionBits) - 1;
  constexpr std::uint64_t kSegmentMask = WaitTable::kSegments - 1;
  const auto segment_of = [&](std::uint64_t word) {
    return std::bit_cast<std::uint64_t>(segments[(word >> (m * kDrawBits + kFractionBits)) & kSegmentMask]);
  };
  const auto first = reinterpret_cast<Floats>(Words{segment_of(words[0]), segment_of(words[1])});
  const auto second = reinterpret_cast<Floats>(Words{segment_of(words[2]), segment_of(words[3])});
  const Floats starts = __builtin_shufflevector(first, second, 0, 2, 4, 6);
  const Floats steps = __builtin_shufflevector(first, second, 1, 3, 5, 7);
  const Ints fractions = (halves >> (m % 2 * kDrawBits)) & kFractionMask;
  return starts + steps * __builtin_convertvector(fractions, Floats);
}

}  // namespace

BatchWaitSampler::BatchWaitSampler(std::uint64_t seed, ModuleId module, int samples)
    : stream_(seed, "pard.batch_wait", module),
      samples_(static_cast<std::size_t>(samples)),
      sums_((samples_ + kLanes - 1) / kLanes * kLanes) {}

template <int kModules>
void BatchWaitSampler::add_draws(std::span<const WaitTable* const> path, bool first) {
  std::array<Segments, kModules> segments;
  for (std::size_t m = 0; m < kModules; ++m) prepare(*path[m], segments[m]);
  RandomStream stream = stream_;
  for (std::size_t at = 0; at < sums_.size(); at += kLanes) {
    std::array<std::uint64_t, kLanes> words;
    for (std::uint64_t& word : words) word = stream.bits();
    const auto one = reinterpret_cast<Ints>(Words{words[0], words[1]});
    const auto other = reinterpret_cast<Ints>(Words{words[2], words[3]});
    const Ints low = __builtin_shufflevector(one, other, 0, 2, 4, 6);
    const Ints high = __builtin_shufflevector(one, other, 1, 3, 5, 7);
    Floats sums = first ? Floats{} : load<Floats>(&sums_[at]);
    sums += draw<0>(segments[0], words, low);
    if constexpr (kModules > 1) sums += draw<1>(segments[1], words, low);
    if constexpr (kModules > 2) sums += draw<2>(segments[2], words, high);
    if constexpr (kModules > 3) sums += draw<3>(segments[3], words, high);
    store(&sums_[at], sums);
  }
  stream_.skip(samples_);
}

void BatchWaitSampler::draw_sums(std::span<const WaitTable* const> path) {
  for (bool first = true; !path.empty(); first = false) {
    switch (const std::size_t now = std::min<std::size_t>(path.size(), kDrawsPerWord); now) {
      case 1:
        add_draws<1>(path, first);
        break;
      case 2:
        add_draws<2>(path, first);
        break;
      case 3:
        add_draws<3>(path, first);
        break;
      default:
        add_draws<kDrawsPerWord>(path, first);
        break;
    }
    path = path.subspan(std::min<std::size_t>(path.size(), kDrawsPerWord));
  }
}

float BatchWaitSampler::select(std::size_t rank, float largest) {
  const float bins_per_ns = static_cast<float>(kBins - 1) / largest;
  const std::span<const float> sums(sums_);  // a span, so that the vector's end is not read in each round
  const auto bins_from = [&](std::size_t at) {
    return __builtin_convertvector(load<Floats>(&sums[at]) * bins_per_ns, Ints);
  };
  counts_.fill(0);
  for (std::size_t at = 0; at < sums.size(); at += kLanes) {
    const Ints bins = bins_from(at);
    for (std::size_t i = 0; i < kLanes; ++i) counts_[static_cast<std::size_t>(bins[i])] += at + i < samples_;
  }
  std::size_t below = 0;
  std::int32_t bin = 0;
  while (below + counts_[static_cast<std::size_t>(bin)] < rank) {
    below += counts_[static_cast<std::size_t>(bin++)];
  }
  in_bin_.clear();
  for (std::size_t at = 0; at < sums.size(); at += kLanes) {
    const Ints bins = bins_from(at);
    const auto hits = reinterpret_cast<Words>(bins == bin);
    if ((hits[0] | hits[1]) == 0) [[likely]]
      continue;
    for (std::size_t i = 0; i < kLanes && at + i < samples_; ++i) {
      if (bins[i] == bin) in_bin_.push_back(sums[at + i]);
    }
  }
  const auto nth = in_bin_.begin() + static_cast<std::ptrdiff_t>(rank - below - 1);
  std::nth_element(in_bin_.begin(), nth, in_bin_.end());
  return *nth;
}

double BatchWaitSampler::quantile(std::span<const WaitTable* const> path, double lambda) {
  float largest = 0;
  for (const WaitTable* table : path) largest += table->at.back();
  if (!(largest > 0)) return 0;
  draw_sums(path);
  const double rank = std::ceil(lambda * static_cast<double>(samples_));
  return static_cast<double>(
      select(std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, samples_), largest));
}

}  // namespace harness
