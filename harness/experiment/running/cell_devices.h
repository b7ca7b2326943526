// The devices that run a cell's batches on this rank.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/cell_distribution.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/gpu/device/devices.h"
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

/// The devices of a rank's GPUs, with their models, from cell to cell: loading is a matter of seconds. A cell
/// takes them, and gives them back when it has ended well; those of any other cell are gone with it, lost
/// ones among them. At most one cell's devices are in memory: kept ones serve a cell that needs nothing else
/// (DeviceWorkers::turn_to()), or go before others are made.
class CellDevices {
 public:
  using MakeDevice = std::function<std::unique_ptr<Device>(const DeviceSpec&, Device::Wake)>;

  /// `watch` are the rules for what the devices compute. Wakes `transport`, which outlives this.
  CellDevices(Transport& transport, DeviceWatch::Rules watch, MakeDevice make = make_device)
      : transport_(transport), watch_(std::move(watch)), make_(std::move(make)) {}

  /// Those kept, or new ones with the pipeline's models, of which the largest batch that is planned of each
  /// has run on each. Throws InputError where this build has no such device, DeviceError where one or a model
  /// cannot be had, that or CellFailed where a batch cannot run.
  std::unique_ptr<DeviceWorkers> take(const RunSpec& spec, const PreparedCell& prepared);
  /// Of a cell that has ended well; waits for what it has left on them.
  void give_back(std::unique_ptr<DeviceWorkers> workers);

  /// What the last take() has loaded.
  struct Loading {
    std::string text;  ///< "loaded lenet, resnet18 in 1312 ms", "loaded nothing in 0 ms"
    int ms = -1;       ///< that it took; -1: nothing was loaded
  };
  const Loading& loading() const { return loading_; }

 private:
  /// New ones that serve the cell before as well, where nothing speaks against it: systems that plan larger
  /// batches in turn would else load them in turn.
  std::unique_ptr<DeviceWorkers> renewed(std::unique_ptr<DeviceWorkers> before, DeviceWorkers::Models models,
                                         std::uint32_t first_gpu);
  std::unique_ptr<DeviceWorkers> make(const DeviceWorkers::Models& models, std::uint32_t first_gpu);

  Transport& transport_;
  DeviceWatch::Rules watch_;
  MakeDevice make_;
  std::vector<DeviceSpec> specs_;  ///< of those that were taken last
  std::unique_ptr<DeviceWorkers> kept_;
  Loading loading_;
};

/// Text of the rank that loaded longest, for rank 0; empty elsewhere. All ranks call it.
std::string longest_loading(const CellDevices::Loading& own, CellDistribution& ranks);

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
