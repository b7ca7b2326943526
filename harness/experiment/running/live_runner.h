// Runs an experiment's live cells on all ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/experiment/running/cell_devices.h"
#include "harness/experiment/running/cell_runner.h"
#include "harness/experiment/running/progress.h"
#include "harness/live/transport/transport.h"

namespace harness {

/// Runs live cells, each on all ranks at once. The transport and the devices stay from the first to the last.
/// All ranks make the same calls, which throw as on_all_ranks() does.
class LiveRunner {
 public:
  /// `cells` must outlive this.
  explicit LiveRunner(CellRunner& cells);
  void run(const std::vector<std::uint32_t>& cells, Progress& progress);

 private:
  void run_one(std::uint32_t cell, Progress& progress);
  void run_on_server(std::uint32_t cell, Progress& progress);

  CellRunner& cells_;
  std::unique_ptr<Transport> transport_;
  CellDevices devices_;
};

}  // namespace harness
