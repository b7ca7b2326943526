#include "systems/pard/wait_window.h"

#include <algorithm>

#include "harness/core/check.h"

namespace harness {

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
  // There is no branch because waits of 0 and others alternate at random.
  const auto bin = static_cast<std::int32_t>(std::min(wait * bins_per_ns_, static_cast<float>(kBins - 1)));
  return static_cast<std::size_t>(wait > 0 ? 1 + bin : 0);
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

}  // namespace harness
