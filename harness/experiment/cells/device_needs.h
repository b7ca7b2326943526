// The devices that an experiment's cells with runtime = "gpu" need, and whether the ranks have them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/cell_distribution.h"
#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// What cells have in common that need the same.
struct DeviceNeed {
  GpuParams gpu;
  int workers = 0;
  LiveParams live;
  std::set<std::string> profiled_on;  ///< devices that the profiles name
  std::set<Precision> profiled_in;    ///< precisions, of those that were measured here
  std::vector<std::uint32_t> cells;   ///< by index, rising
};

/// Adds a cell with runtime = "gpu" that can run, as far as its plan goes.
void add_need(std::vector<DeviceNeed>& needs, const PreparedCell& prepared, const RunSpec& world);

/// Whether one of them asks for CUDA.
bool asks_for_cuda(std::span<const DeviceNeed> needs);

/// Why some rank's devices are not to be had: no GPU, fewer than it needs, a build without them. Empty: they
/// are, or the ranks do not fit at all (layout_fault()), or `machines` is empty, as on ranks other than 0.
std::string why_no_devices(const DeviceNeed& need, std::span<const RankMachine> machines);

/// The cell's, null when it needs none.
const DeviceNeed* need_of(std::span<const DeviceNeed> needs, std::uint32_t cell);

/// What makes the results doubtful, a line each, with what to do: more threads than cores, GPUs that are left
/// alone, profiles of another device or in another precision.
std::vector<std::string> device_warnings(const DeviceNeed& need, std::span<const RankMachine> machines);

/// All of this for a user, each line once.
std::vector<std::string> device_notes(std::span<const DeviceNeed> needs,
                                      std::span<const RankMachine> machines);

}  // namespace harness
