#include "systems/pard/batch_wait.h"

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr int kDrawBits = 16;
constexpr int kSegmentBits = 6;
constexpr int kFractionBits = kDrawBits - kSegmentBits;
static_assert(WaitTable::kSegments == 1 << kSegmentBits);

/// A table for drawing: the value at the middle of the first of a segment's steps, and the step.
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

}  // namespace

WaitTable WaitTable::uniform(TimeNs exec_ns) {
  WaitTable table;
  for (int i = 0; i < kPoints; ++i) {
    table.at[static_cast<std::size_t>(i)] =
        static_cast<float>(static_cast<double>(exec_ns) * i / static_cast<double>(kSegments));
  }
  return table;
}

WaitWindow::WaitWindow(int size) : size_(static_cast<std::size_t>(size)) {}

void WaitWindow::set_exec(TimeNs exec_ns) {
  HARNESS_CHECK(exec_ns > 0, "an execution takes time");
  if (exec_ns == exec_ns_) return;
  exec_ns_ = exec_ns;
  bin_width_ = static_cast<float>(exec_ns) / kBinsPerExec;
  bins_per_ns_ = 1.0F / bin_width_;
  rebin();
}

void WaitWindow::rebin() {
  counts_.fill(0);
  for (const float wait : waits_) ++counts_[bin_of(wait)];
}

std::size_t WaitWindow::bin_of(float wait) const {
  if (wait <= 0) return 0;
  const float bin = wait * bins_per_ns_;
  return bin >= kBins - 1 ? kBins : 1 + static_cast<std::size_t>(bin);
}

void WaitWindow::add(double wait_ns) {
  const float wait = static_cast<float>(wait_ns);
  if (waits_.size() < size_) {
    waits_.push_back(wait);
  } else {
    --counts_[bin_of(waits_[oldest_])];
    waits_[oldest_] = wait;
    if (++oldest_ == size_) oldest_ = 0;
  }
  ++counts_[bin_of(wait)];
}

WaitTable WaitWindow::table() const {
  if (waits_.empty()) return WaitTable::uniform(exec_ns_);
  WaitTable table;
  std::size_t bin = 0;
  double below = 0;  // waits in the bins before `bin`
  for (int i = 0; i < WaitTable::kPoints; ++i) {
    const double rank = static_cast<double>(waits_.size()) * i / WaitTable::kSegments;
    while (bin < kBins && (counts_[bin] == 0 || below + counts_[bin] < rank)) below += counts_[bin++];
    double value = 0;
    if (bin > 0) {
      const double inside = counts_[bin] == 0 ? 1.0 : std::clamp((rank - below) / counts_[bin], 0.0, 1.0);
      value = (static_cast<double>(bin - 1) + inside) * static_cast<double>(bin_width_);
    }
    table.at[static_cast<std::size_t>(i)] = static_cast<float>(value);
  }
  return table;
}

BatchWaitSampler::BatchWaitSampler(std::uint64_t seed, ModuleId module, int samples)
    : stream_(seed, "pard.batch_wait", module), sums_(static_cast<std::size_t>(samples)) {}

template <int kModules>
void BatchWaitSampler::add_draws(std::span<const WaitTable* const> path, bool first) {
  constexpr std::uint64_t kDrawMask = (1U << kDrawBits) - 1;
  constexpr std::uint64_t kFractionMask = (1U << kFractionBits) - 1;
  std::array<Segments, kModules> segments;
  for (std::size_t m = 0; m < kModules; ++m) prepare(*path[m], segments[m]);
  RandomStream stream = stream_;
  for (float& total : sums_) {
    std::uint64_t word = stream.bits();
    float sum = first ? 0.0F : total;
    for (std::size_t m = 0; m < kModules; ++m) {
      const std::uint64_t draw = word & kDrawMask;
      const Segment segment = segments[m][draw >> kFractionBits];
      sum +=
          segment.start + segment.step * static_cast<float>(static_cast<std::int32_t>(draw & kFractionMask));
      word >>= kDrawBits;
    }
    total = sum;
  }
  stream_ = stream;
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
  counts_.fill(0);
  const float bins_per_ns = static_cast<float>(kBins - 1) / largest;
  const auto bin_of = [bins_per_ns](float sum) {
    return std::min(static_cast<std::int32_t>(sum * bins_per_ns), kBins - 1);
  };
  for (const float sum : sums_) ++counts_[static_cast<std::size_t>(bin_of(sum))];
  std::size_t below = 0;
  std::int32_t bin = 0;
  while (below + counts_[static_cast<std::size_t>(bin)] < rank) {
    below += counts_[static_cast<std::size_t>(bin++)];
  }
  in_bin_.resize(sums_.size() + 1);  // one more: every sum is stored, those of the bin stay
  std::size_t found = 0;
  for (const float sum : sums_) {
    in_bin_[found] = sum;
    found += bin_of(sum) == bin ? 1 : 0;
  }
  const auto begin = in_bin_.begin();
  const auto nth = begin + static_cast<std::ptrdiff_t>(rank - below - 1);
  std::nth_element(begin, nth, begin + static_cast<std::ptrdiff_t>(found));
  return *nth;
}

double BatchWaitSampler::quantile(std::span<const WaitTable* const> path, double lambda) {
  float largest = 0;
  for (const WaitTable* table : path) largest += table->at.back();
  if (!(largest > 0)) return 0;
  draw_sums(path);
  const double rank = std::ceil(lambda * static_cast<double>(sums_.size()));
  return static_cast<double>(
      select(std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, sums_.size()), largest));
}

}  // namespace harness
