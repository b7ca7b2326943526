#include "harness/experiment/rank_machines.h"

#include <cstdlib>
#include <sstream>

#include "harness/core/error.h"
#include "harness/gpu/device_module.h"
#include "harness/gpu/devices.h"
#include "harness/live/gpu_set.h"
#include "harness/live/host_name.h"

namespace harness {
namespace {

/// "0-3,8", as cores_in_list() reads it.
std::string list_of(const std::vector<int>& cores) {
  std::string list;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t end = i + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    list += (list.empty() ? "" : ",") + std::to_string(cores[i]);
    if (end > i + 1) list += "-" + std::to_string(cores[end - 1]);
    i = end;
  }
  return list;
}

void count_cuda(RankMachine& machine) {
  try {
    for (const DeviceInfo& info : list_devices()) {
      if (!info.name.starts_with("cuda")) continue;
      if (info.is_usable)
        ++machine.cuda;
      else
        machine.why_no_cuda = info.description;
    }
  } catch (const EnvironmentError& error) {
    machine.why_no_cuda = error.what();
  }
}

}  // namespace

RankMachine machine_of_this_rank(const MachineFiles& files, bool asks_for_cuda) {
  RankMachine machine;
  machine.host = host_name();
  machine.gpu_set = visible_gpu_set();
  machine.cores = usable_cores(files);
  while (files.exists("dev/nvidia" + std::to_string(machine.nvidia))) ++machine.nvidia;
  if (device_module_file().empty()) machine.why_no_network = "this build has no LibTorch";
  if (asks_for_cuda) count_cuda(machine);
  return machine;
}

std::string text_of(const RankMachine& machine) {
  std::ostringstream text;
  text << machine.host << '\n'
       << machine.gpu_set << '\n'
       << list_of(machine.cores.allowed) << '\n'
       << machine.cores.quota.value_or(0) << '\n'
       << machine.nvidia << '\n'
       << machine.cuda << '\n'
       << machine.why_no_network << '\n'
       << machine.why_no_cuda << '\n';
  return text.str();
}

RankMachine machine_in(const std::string& text) {
  RankMachine machine;
  std::istringstream lines(text);
  const auto next = [&lines] {
    std::string line;
    std::getline(lines, line);
    return line;
  };
  machine.host = next();
  machine.gpu_set = std::strtoull(next().c_str(), nullptr, 10);
  machine.cores.allowed = cores_in_list(next());
  const double quota = std::atof(next().c_str());
  if (quota > 0) machine.cores.quota = quota;
  machine.nvidia = std::atoi(next().c_str());
  machine.cuda = std::atoi(next().c_str());
  machine.why_no_network = next();
  machine.why_no_cuda = next();
  return machine;
}

std::vector<RankMachine> gather_machines(CellDistribution& ranks, bool asks_for_cuda) {
  const bool hosts = ranks.rank() > 0 || ranks.ranks() == 1;
  RankReport own;
  own.message = text_of(machine_of_this_rank(MachineFiles(), asks_for_cuda && hosts));
  std::vector<RankMachine> machines;
  for (const RankReport& report : ranks.gather(own)) machines.push_back(machine_in(report.message));
  return machines;
}

}  // namespace harness
