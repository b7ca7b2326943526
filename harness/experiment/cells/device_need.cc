#include "harness/experiment/cells/device_need.h"

#include <algorithm>

#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/live/protocol/layout.h"

namespace harness {
namespace {

bool is_same(const DeviceNeed& a, const DeviceNeed& b) {
  return a.gpu.device == b.gpu.device && a.gpu.threads == b.gpu.threads &&
         a.gpu.precision == b.gpu.precision && a.workers == b.workers &&
         a.live.gpus_per_rank == b.live.gpus_per_rank && a.profiled_on == b.profiled_on &&
         a.profiled_in == b.profiled_in;
}

std::string rank_text(std::size_t rank) { return rank == 0 ? "" : "rank " + std::to_string(rank) + " on "; }

/// Returns true if devices of that kind run models on processor cores.
bool computes_on_cores(const DeviceTraits& kind) { return kind.computes && !kind.needs_gpu; }

/// The cores and workers of a host's ranks, or of one rank.
struct Place {
  std::string name;
  std::set<int> cores;
  std::optional<double> quota;
  int workers = 0;
  void add(const RankMachine& machine, int more) {
    cores.insert(machine.cores.allowed.begin(), machine.cores.allowed.end());
    if (machine.cores.quota) quota = machine.cores.quota;
    workers += more;
  }
  /// Returns "8 workers of 2 threads each on 4 cores of HOST" if they are too many, else "".
  std::string fault(int threads) const {
    const auto wanted = static_cast<double>(workers) * threads;
    double has = cores.empty() ? wanted : static_cast<double>(cores.size());
    if (quota) has = std::min(has, *quota);
    if (wanted <= has) return "";
    return counted(static_cast<std::size_t>(workers), "worker") + " of " +
           counted(static_cast<std::size_t>(threads), "thread") + (workers > 1 ? " each" : "") + " on " +
           text_of(ParamValue(has)) + (has == 1 ? " core of " : " cores of ") + name;
  }
};

/// Returns a warning if a host, or a rank by itself, has fewer cores than threads, else "".
std::string crowding(const DeviceNeed& need, std::span<const RankMachine> machines) {
  const Layout layout(need.workers, static_cast<int>(machines.size()), need.live);
  std::vector<Place> hosts;
  std::string of_rank;
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const RankMachine& machine = machines[rank];
    const int workers = layout.gpus(static_cast<int>(rank));
    if (workers == 0) continue;
    auto host = std::find_if(hosts.begin(), hosts.end(),
                             [&](const Place& place) { return place.name == machine.host; });
    if (host == hosts.end()) host = hosts.insert(hosts.end(), Place{machine.host, {}, {}, 0});
    host->add(machine, workers);
    Place own{"those of " + machine.host + " that rank " + std::to_string(rank) + " may use", {}, {}, 0};
    own.add(machine, workers);
    if (of_rank.empty()) of_rank = own.fault(need.gpu.threads);
  }
  for (const Place& host : hosts) {
    const std::string fault = host.fault(need.gpu.threads);
    if (!fault.empty())
      return fault + ": batches take longer than any profile says; fewer workers or gpu.threads" +
             (machines.size() > 1 ? ", or mpirun --bind-to none where that binds ranks to cores" : "");
  }
  if (of_rank.empty()) return "";
  return of_rank + ": batches take longer than any profile says; mpirun --bind-to none, or fewer workers";
}

/// Returns a note on the device that the profiles were measured on if it is not the cells' device, else "".
std::string other_device(const DeviceNeed& need, const std::string& profiled_on) {
  const DeviceTraits& own = traits_of(need.gpu.device);
  if (!own.computes) return "";
  const std::optional<DeviceKind> measured = kind_of_device(profiled_on);
  const std::string set = "the profiles are of " + profiled_on + ", gpu.";
  const bool is_other = measured ? *measured != need.gpu.device : computes_on_cores(own);
  if (is_other) return set + "device is " + own.name;
  if (!own.takes_threads) return "";
  const std::string threads = counted(static_cast<std::size_t>(need.gpu.threads), "thread") + ")";
  const bool says_threads = profiled_on.ends_with(" thread)") || profiled_on.ends_with(" threads)");
  if (!says_threads || profiled_on.ends_with(", " + threads)) return "";
  return set + "threads is " + std::to_string(need.gpu.threads);
}

/// Returns a note on the precision of the profiles if it is not the cells' precision, else "".
std::string other_precision(const DeviceNeed& need, Precision profiled_in) {
  if (!traits_of(need.gpu.device).computes || profiled_in == need.gpu.precision) return "";
  return std::string("the profiles are of models in ") + name_of(profiled_in) + ", gpu.precision is " +
         name_of(need.gpu.precision);
}

}  // namespace

void add_need(std::vector<DeviceNeed>& needs, const PreparedCell& prepared, const RunSpec& world) {
  DeviceNeed need{
      prepared.settings.gpu, prepared.settings.cluster.workers, prepared.settings.live, {}, {}, {}};
  for (const Profile& profile : world.profiles) {
    if (profile.service != Service::kBatch) continue;
    need.profiled_on.insert(profile.device);
    if (profile.precision) need.profiled_in.insert(*profile.precision);
  }
  auto found = std::find_if(needs.begin(), needs.end(),
                            [&need](const DeviceNeed& known) { return is_same(known, need); });
  if (found == needs.end()) found = needs.insert(needs.end(), std::move(need));
  found->cells.push_back(prepared.identity.index);
}

bool asks_for_gpus(std::span<const DeviceNeed> needs) {
  return std::any_of(needs.begin(), needs.end(),
                     [](const DeviceNeed& need) { return traits_of(need.gpu.device).needs_gpu; });
}

std::string why_no_devices(const DeviceNeed& need, std::span<const RankMachine> machines) {
  const int ranks = static_cast<int>(machines.size());
  if (ranks == 0 || !layout_fault(need.workers, ranks, need.live).empty()) return "";
  const DeviceTraits& kind = traits_of(need.gpu.device);
  const Layout layout(need.workers, ranks, need.live);
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const RankMachine& machine = machines[rank];
    int needed = layout.gpus(static_cast<int>(rank));
    if (needed == 0) continue;
    const std::string where = rank_text(rank) + machine.host + ": ";
    if (kind.needs_torch && !machine.why_no_network.empty()) return where + machine.why_no_network;
    if (!kind.needs_gpu) continue;
    for (std::size_t lower = 0; lower < rank; ++lower) {
      if (machines[lower].gpu_set == machine.gpu_set) needed += layout.gpus(static_cast<int>(lower));
    }
    if (machine.gpus == 0) return where + machine.why_no_gpu;
    if (machine.gpus < needed)
      return where + std::to_string(needed) + " GPUs are needed, " + std::to_string(machine.gpus) +
             (machine.gpus == 1 ? " is there" : " are there");
  }
  return "";
}

const DeviceNeed* need_of(std::span<const DeviceNeed> needs, std::uint32_t cell) {
  const auto found = std::find_if(needs.begin(), needs.end(), [cell](const DeviceNeed& need) {
    return std::binary_search(need.cells.begin(), need.cells.end(), cell);
  });
  return found == needs.end() ? nullptr : &*found;
}

std::vector<std::string> device_warnings(const DeviceNeed& need, std::span<const RankMachine> machines) {
  std::vector<std::string> warnings;
  const bool fits = layout_fault(need.workers, static_cast<int>(machines.size()), need.live).empty();
  const DeviceTraits& kind = traits_of(need.gpu.device);
  if (computes_on_cores(kind) && fits) {
    const std::string crowded = crowding(need, machines);
    if (!crowded.empty()) warnings.push_back(crowded);
    const auto with_gpu = std::find_if(machines.begin(), machines.end(),
                                       [](const RankMachine& machine) { return machine.nvidia > 0; });
    if (with_gpu != machines.end())
      warnings.push_back(with_gpu->host + " has " +
                         counted(static_cast<std::size_t>(with_gpu->nvidia), "GPU") + ", and gpu.device is " +
                         kind.name + ": the networks run on processor cores; gpu.device = \"" +
                         name_of(DeviceKind::kCuda) + "\" takes the GPUs");
  }
  const auto warn_of = [&warnings](const std::string& other) {
    if (!other.empty())
      warnings.push_back(other +
                         ": systems plan by latencies that these devices do not have; harness profile "
                         "measures them");
  };
  for (const std::string& device : need.profiled_on) warn_of(other_device(need, device));
  for (const Precision precision : need.profiled_in) warn_of(other_precision(need, precision));
  return warnings;
}

std::vector<std::string> device_notes(std::span<const DeviceNeed> needs,
                                      std::span<const RankMachine> machines) {
  std::vector<std::string> notes;
  const auto add = [&notes](const std::string& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  for (const DeviceNeed& need : needs) {
    const std::string missing = why_no_devices(need, machines);
    if (!missing.empty())
      add(counted(need.cells.size(), "cell") + " on gpu.device = " + name_of(need.gpu.device) +
          " cannot run: " + missing);
    for (const std::string& warning : device_warnings(need, machines)) add(warning);
  }
  return notes;
}

}  // namespace harness
