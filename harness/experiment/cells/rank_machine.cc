#include "harness/experiment/cells/rank_machine.h"

#include <cstddef>
#include <span>

#include "harness/core/environment_error.h"
#include "harness/gpu/device/device_info.h"
#include "harness/gpu/device/device_module.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/gpu/device/devices.h"
#include "harness/machine/host_name.h"
#include "harness/machine/visible_gpus.h"
#include "harness/ranks/rank_report.h"

namespace harness {
namespace {

void count_gpus(RankMachine& machine) {
  try {
    for (const DeviceInfo& info : list_devices()) {
      if (!traits_of(info.kind).needs_gpu) continue;
      if (info.is_usable)
        ++machine.gpus;
      else
        machine.why_no_gpu = info.description;
    }
  } catch (const EnvironmentError& error) {
    machine.why_no_gpu = error.what();
  }
}

RankMachine machine_of_this_rank(bool asks_for_gpus) {
  const MachineFiles files;
  RankMachine machine;
  machine.host = host_name();
  machine.gpu_set = visible_gpu_set();
  machine.cores = usable_cores(files);
  while (files.exists("dev/nvidia" + std::to_string(machine.nvidia))) ++machine.nvidia;
  if (device_module_file().empty()) machine.why_no_network = "this build has no LibTorch";
  if (asks_for_gpus) count_gpus(machine);
  return machine;
}

}  // namespace

std::vector<RankMachine> gather_machines(CellDistribution& ranks, bool asks_for_gpus) {
  const bool hosts = ranks.rank() > 0 || ranks.ranks() == 1;
  RankReport own;
  const std::vector<std::byte> bytes = packed(machine_of_this_rank(asks_for_gpus && hosts));
  own.message.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<RankMachine> machines;
  for (const RankReport& report : ranks.gather(own))
    machines.push_back(unpacked<RankMachine>(std::as_bytes(std::span(report.message))));
  return machines;
}

}  // namespace harness
