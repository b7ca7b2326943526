// The batch waits that a module has observed lately (PARD section 4.2, State Planner).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "systems/pard/wait_table.h"

namespace harness {

/// The observed batch waits of a module's most recent arrivals, kept as a histogram: adding is O(1), and the
/// table needs no sorting. Bins are 1/256 of the module's execution time wide, waits of 0 have their own bin,
/// and waits of 4 executions and more count as 4.
class WaitWindow {
 public:
  explicit WaitWindow(int size);

  /// Sets the execution time d of a batch. The waits in the window are binned again.
  void set_exec(TimeNs exec_ns);
  void add(double wait_ns);
  /// Returns the number of waits in the window, at most its size.
  std::size_t count() const { return waits_.size(); }
  /// Returns the quantiles of the window; uniform while it is empty.
  WaitTable table() const;

 private:
  static constexpr int kBins = 1024;
  static constexpr int kBinsPerExec = 256;

  std::size_t bin_of(float wait) const;
  void rebin();

  std::size_t size_;
  std::size_t oldest_ = 0;
  std::vector<float> waits_;  ///< a ring once it is full
  std::array<std::uint32_t, kBins + 1> counts_{};
  TimeNs exec_ns_ = 0;
  float bin_width_ = 1;
  float bins_per_ns_ = 1;
};

}  // namespace harness
