// The devices that run a cell's batches on this rank.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/device/devices.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/transport/transport.h"
#include "harness/ranks/cell_distribution.h"

namespace harness {

/// Throws InputError if a cell with runtime = "gpu" cannot run on so many ranks, whatever the devices: for
/// modules without `input_size`, slow GPUs among the `faults`, or queues that span ranks, as the key at
/// `queue` sets them.
void check_on_devices(const RunSpec& spec, const Plan& plan, std::span<const FaultAt> faults,
                      const InputPlace& queue, int ranks);

/// Returns what keeps the tensors of a cell on devices from going from GPU to GPU as it asks; empty: nothing.
std::string why_no_exchange(const GpuParams& params);

/// Returns the exchanges of the rank's GPUs, empty if it has no GPUs (rank 0 of several); null if tensors go
/// in messages instead. They wake `transport`. Throws DeviceError if one cannot be had.
std::unique_ptr<DeviceExchanges> make_cell_exchanges(const RunSpec& spec, const PreparedCell& prepared,
                                                     Transport& transport);

/// Returns the largest batch of each module, 0 for modules that are not served in batches: as in `plan` or,
/// if the system may choose others during the run, as in the profile.
std::vector<int> largest_batches(const RunSpec& spec, const Plan& plan);

/// The devices of a rank's GPUs, with their models, kept from cell to cell because loading takes seconds. A
/// cell takes them, and gives them back if it has ended well; otherwise its devices, lost ones among them,
/// end with the cell. At most one cell's devices are in memory: kept ones serve a cell that needs nothing
/// else (DeviceWorkers::switch_to()), or are removed before others are made.
class CellDevices {
 public:
  using MakeDevice = std::function<std::unique_ptr<Device>(const DeviceSpec&, Device::Wake)>;

  /// `watch` has the rules for what the devices compute. Wakes `transport`, which must outlive this.
  CellDevices(Transport& transport, DeviceWatch::Rules watch, MakeDevice make = make_device)
      : transport_(transport), watch_(std::move(watch)), make_(std::move(make)) {}

  /// Returns the kept devices, or new ones with the pipeline's models, of which the largest planned batch of
  /// each has run on each device. Throws InputError if this build has no such device, DeviceError if a device
  /// or a model cannot be had, DeviceError or CellFailed if a batch cannot run.
  std::unique_ptr<DeviceWorkers> take(const RunSpec& spec, const PreparedCell& prepared);
  /// Takes back the devices of a cell that has ended well; waits for what the cell has left on them.
  void give_back(std::unique_ptr<DeviceWorkers> workers);

  /// The models loaded by the last take().
  struct Loading {
    std::string text;  ///< "loaded lenet, resnet18 in 1312 ms", "loaded nothing in 0 ms"
    int ms = -1;       ///< duration of the loading; -1: nothing was loaded
  };
  const Loading& loading() const { return loading_; }

 private:
  /// Returns new devices that serve the cell before as well, if possible: otherwise systems that plan larger
  /// batches in turn would load them in turn.
  std::unique_ptr<DeviceWorkers> renewed(std::unique_ptr<DeviceWorkers> before, DeviceWorkers::Models models,
                                         std::uint32_t first_gpu);
  std::unique_ptr<DeviceWorkers> make(const DeviceWorkers::Models& models, std::uint32_t first_gpu);

  Transport& transport_;
  DeviceWatch::Rules watch_;
  MakeDevice make_;
  std::vector<DeviceSpec> specs_;  ///< devices that were taken last
  std::unique_ptr<DeviceWorkers> kept_;
  Loading loading_;
};

/// Returns the text of the rank that loaded longest on rank 0, "" on the others. All ranks call it.
std::string longest_loading(const CellDevices::Loading& own, CellDistribution& ranks);

/// The time and the duration of a comparison of the devices with their profiles.
struct ProfileCheck {
  const char* when = "";               ///< "before" or "after" the load
  TimeNs wait_ns = 0;                  ///< time for which it checks again if they are not as fast
  std::function<void()> check_signal;  ///< called between rounds of batches
};
/// Returns "", or a text that says that the devices, with nothing else running, differ in speed from the
/// cell's profiles by more than gpu.profile_error_limit: then the cell would measure the machine. Throws as
/// DeviceWorkers::try_batches() does.
std::string profile_fault(DeviceWorkers& workers, const RunSpec& spec, const PreparedCell& prepared,
                          const ProfileCheck& look);

}  // namespace harness
