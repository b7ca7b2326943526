// The devices that an experiment's cells with runtime = "gpu" need, and whether the ranks have them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/rank_machine.h"

namespace harness {

/// The needs that cells have in common, and the cells.
struct DeviceNeed {
  GpuParams gpu;
  int workers = 0;
  LiveParams live;
  std::set<std::string> profiled_on;  ///< devices that the profiles name
  std::set<Precision> profiled_in;    ///< precisions of the profiles that were measured here
  std::vector<std::uint32_t> cells;   ///< indices of the cells, rising
};

/// Adds a cell with runtime = "gpu", whose plan must allow it to run.
void add_need(std::vector<DeviceNeed>& needs, const PreparedCell& prepared, const RunSpec& world);

/// Returns true if one of the needs asks for GPUs.
bool asks_for_gpus(std::span<const DeviceNeed> needs);

/// Returns why some rank lacks devices: no GPU, fewer than it needs, a build without them. Returns "" if no
/// rank lacks any, if the ranks do not fit at all (layout_fault()), or if `machines` is empty, as on ranks
/// other than 0.
std::string why_no_devices(const DeviceNeed& need, std::span<const RankMachine> machines);

/// Returns the need of that cell; null if it has none.
const DeviceNeed* need_of(std::span<const DeviceNeed> needs, std::uint32_t cell);

/// Returns the reasons why the results are doubtful, a line each, with what to do: more threads than cores,
/// GPUs that are not used, profiles of another device or in another precision.
std::vector<std::string> device_warnings(const DeviceNeed& need, std::span<const RankMachine> machines);

/// Returns all reasons and warnings as lines for a user, each line once.
std::vector<std::string> device_notes(std::span<const DeviceNeed> needs,
                                      std::span<const RankMachine> machines);

}  // namespace harness
