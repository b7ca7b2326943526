// The devices that run a cell's batches on this rank.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/transport/transport.h"

namespace harness {

/// Throws InputError when a cell with runtime = "gpu" cannot run on so many ranks, whatever the devices:
/// modules without `input_size`, slow GPUs among the `faults`, queues that span ranks, as `queue` sets them.
void check_on_devices(const RunSpec& spec, const Plan& plan, std::span<const FaultAt> faults,
                      const InputPlace& queue, int ranks);

/// What keeps the tensors of a cell on devices from going from GPU to GPU as it asks; empty: nothing.
std::string why_no_exchange(const GpuParams& params);

/// The exchanges of the rank's GPUs, none on rank 0; null when messages do. Wakes `transport`.
/// Throws DeviceError where one cannot be had.
std::unique_ptr<DeviceExchanges> make_cell_exchanges(const RunSpec& spec, const PreparedCell& prepared,
                                                     Transport& transport);

/// The largest batch of each module, 0 for those that are not served in batches: `plan`'s, or the profile's
/// where the system may choose others during the run.
std::vector<int> largest_batches(const RunSpec& spec, const Plan& plan);

/// Makes the devices of the rank's GPUs, loads the pipeline's models and runs the largest batch that is
/// planned of each on each. `watch` are the rules for what they compute from then on. Wakes `transport`.
/// Throws InputError where this build has no such device, DeviceError where one or a model cannot be had,
/// that or CellFailed where a batch cannot run.
std::unique_ptr<DeviceWorkers> make_cell_devices(const RunSpec& spec, const PreparedCell& prepared,
                                                 Transport& transport, DeviceWatch::Rules watch);

/// When to compare the devices with their profiles.
struct ProfileCheck {
  const char* when = "";               ///< "before" or "after" the load
  TimeNs wait_ns = 0;                  ///< checks again, as long as they are not as fast, for so long
  std::function<void()> check_signal;  ///< called between rounds of batches
};
/// Empty, or that the devices, with nothing else running, are not as fast as the cell's profiles say, by more
/// than gpu.profile_error_limit: then the cell would measure the machine. Throws as
/// DeviceWorkers::try_batches().
std::string profile_fault(DeviceWorkers& workers, const RunSpec& spec, const PreparedCell& prepared,
                          const ProfileCheck& look);

}  // namespace harness
