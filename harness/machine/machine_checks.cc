#include "harness/machine/machine_checks.h"

#include <dirent.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/wording.h"
#include "harness/machine/check.h"
#include "harness/machine/kernel_text.h"
#include "harness/machine/machine_files.h"
#include "harness/machine/usable_cores.h"

namespace harness {
namespace {

// Size of Open MPI's segment of shared memory for one rank, with its queues.
constexpr double kSegmentBytes = 5e6;
// Number of files that the program, MPI and HDF5 hold open, beside the sockets for each rank.
constexpr std::int64_t kOwnFiles = 128;
constexpr std::int64_t kFilesPerRank = 3;

Check not_visible(std::string subject, std::string advice) {
  return {CheckLevel::kWarn, std::move(subject), "not visible here", std::move(advice)};
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Returns the names in a folder that begin with `prefix` and a digit: cpu0, cpu1, but not cpufreq.
std::vector<std::string> numbered(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  DIR* listing = ::opendir(folder.c_str());
  if (listing == nullptr) return names;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= '0' &&
        name[prefix.size()] <= '9')
      names.push_back(name);
  }
  ::closedir(listing);
  std::sort(names.begin(), names.end());
  return names;
}

/// The soft and the hard limit of /proc/self/limits; "unlimited" is kUnlimited.
struct Limit {
  std::int64_t soft = 0;
  std::int64_t hard = 0;
};
constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;

std::optional<Limit> limit(const MachineFiles& files, std::string_view name) {
  std::optional<Limit> found;
  for_each_line(files.read("proc/self/limits").value_or(""), [&](std::string_view line) {
    if (!line.starts_with(name)) return;
    const std::vector<std::string_view> words = words_of(line.substr(name.size()));
    if (words.size() < 2) return;
    const auto value = [](std::string_view word) {
      return word == "unlimited" ? std::optional(kUnlimited) : parsed<std::int64_t>(word);
    };
    const auto soft = value(words[0]);
    const auto hard = value(words[1]);
    if (soft && hard) found = Limit{*soft, *hard};
  });
  return found;
}

std::string turbo_text(const MachineFiles& files) {
  if (const auto off = files.read_number("sys/devices/system/cpu/intel_pstate/no_turbo"))
    return *off != 0 ? "turbo off" : "turbo on";
  if (const auto on = files.read_number("sys/devices/system/cpu/cpufreq/boost"))
    return *on != 0 ? "turbo on" : "turbo off";
  return "turbo not visible";
}

}  // namespace

Check check_cores(const UsableCores& cores, int ranks) {
  if (cores.allowed.empty() && !cores.quota) return not_visible("cores", "see that every rank has a core");
  std::string found = counted(ranks, "rank");
  if (!cores.allowed.empty()) found += " on " + counted(cores.allowed.size(), "core");
  const double wanted =
      cores.allowed.empty() ? ranks : std::min<double>(ranks, static_cast<double>(cores.allowed.size()));
  if (cores.quota) found += ", with a quota of " + number(*cores.quota) + " cores";
  if (cores.quota && *cores.quota < wanted) {
    return {CheckLevel::kWarn, "cores", found,
            "ranks that have used the quota stand still: raise it (docker --cpus, cpu.max)"};
  }
  if (wanted < ranks) {
    return {CheckLevel::kWarn, "cores", found,
            "oversubscribed, so ranks delay each other: more hosts, or more GPUs a rank"};
  }
  return {CheckLevel::kOk, "cores", found, ""};
}

Check check_clock_source(const MachineFiles& files) {
  const std::string folder = "sys/devices/system/clocksource/clocksource0/";
  const auto source = files.read(folder + "current_clocksource");
  if (!source || source->empty())
    return not_visible("clock source", "look on the host: it should be tsc or the hypervisor's");
  for (const char* fast : {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}) {
    if (*source == fast) return {CheckLevel::kOk, "clock source", *source, ""};
  }
  const std::string others = files.read(folder + "available_clocksource").value_or("");
  return {CheckLevel::kWarn, "clock source", *source + " (available: " + others + ")",
          "reading the time may take microseconds; write tsc to current_clocksource if it is available"};
}

Check check_frequency(const MachineFiles& files) {
  const std::string folder = "sys/devices/system/cpu";
  std::map<std::string, int> governors;
  for (const std::string& cpu : numbered(files.path(folder), "cpu")) {
    if (const auto governor = files.read(folder + "/" + cpu + "/cpufreq/scaling_governor"))
      ++governors[*governor];
  }
  if (governors.empty())
    return not_visible("processor frequency", "on the host: cpupower frequency-set -g performance");
  std::string found;
  for (const auto& [governor, cpus] : governors)
    found += (found.empty() ? "governor " : ", ") + governor + " on " + counted(cpus, "core");
  found += ", " + turbo_text(files);
  if (governors.size() == 1 && governors.begin()->first == "performance")
    return {CheckLevel::kOk, "processor frequency", found, ""};
  return {CheckLevel::kWarn, "processor frequency", found,
          "a core that wakes slowly sends late: cpupower frequency-set -g performance"};
}

Check check_load(const MachineFiles& files) {
  const auto text = files.read("proc/loadavg");
  const std::vector<std::string_view> words = words_of(text ? *text : std::string_view());
  const auto load = words.empty() ? std::nullopt : parsed<double>(words[0]);
  if (!load) return not_visible("load", "see that nothing else runs");
  const std::string found = number(*load) + " in the last minute";
  // The cores of the whole machine, to which the load average also refers.
  const std::size_t cores = cores_in_list(files.read("sys/devices/system/cpu/online").value_or("0")).size();
  if (*load < 0.25 * static_cast<double>(std::max<std::size_t>(cores, 1)))
    return {CheckLevel::kOk, "load", found, ""};
  return {CheckLevel::kWarn, "load", found, "something else runs here, or ran just now: wait or stop it"};
}

Check check_stolen_time(std::optional<double> share) {
  constexpr double kMuch = 0.05;  // more than the error from ticks of 10 ms
  if (!share) return not_visible("stolen time", "see steal in top on a virtual machine");
  const std::string found =
      "other virtual machines took " + number(std::round(100 * *share)) + " % of a busy quarter of a second";
  if (*share < kMuch) return {CheckLevel::kOk, "stolen time", found, ""};
  return {CheckLevel::kWarn, "stolen time", found,
          "live runs will stand still at times: wait, or take a machine with cores of its own"};
}

Check check_open_files(const MachineFiles& files, int ranks) {
  const auto found = limit(files, "Max open files");
  if (!found) return not_visible("open files", "see ulimit -n");
  const std::int64_t needed = kOwnFiles + kFilesPerRank * ranks;
  const std::string text = found->soft == kUnlimited ? "unlimited" : std::to_string(found->soft);
  if (found->soft >= needed) return {CheckLevel::kOk, "open files", "limit " + text, ""};
  return {CheckLevel::kFail, "open files", "limit " + text,
          counted(ranks, "rank") + (ranks == 1 ? " needs" : " need") + " about " + std::to_string(needed) +
              ": ulimit -n " + std::to_string(needed) +
              (found->hard < needed ? " (as root: above the hard limit)" : "")};
}

Check check_locked_memory(const MachineFiles& files) {
  const auto found = limit(files, "Max locked memory");
  if (!found) return not_visible("locked memory", "see ulimit -l");
  constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
  const bool unlimited = found->soft == kUnlimited;
  const std::string text =
      "limit " + (unlimited ? "none" : number(static_cast<double>(found->soft) / kMegabyte) + " MiB");
  const bool infiniband = !numbered(files.path("sys/class/infiniband"), "mlx5_").empty();
  if (infiniband && found->soft < 64 * kMegabyte) {
    return {
        CheckLevel::kWarn, "locked memory", text,
        "InfiniBand needs more: ulimit -l unlimited (limits.conf; in Slurm PropagateResourceLimitsExcept)"};
  }
  return {CheckLevel::kOk, "locked memory", text, ""};
}

Check check_shared_memory(const MachineFiles& files, int ranks) {
  struct statvfs status = {};
  if (::statvfs(files.path("dev/shm").c_str(), &status) != 0)
    return not_visible("shared memory", "Open MPI puts it into /dev/shm");
  const double free = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
  const double needed = ranks == 1 ? 0 : kSegmentBytes * ranks;
  const std::string found = number(free / 1e6) + " MB free in /dev/shm";
  if (free >= needed) return {CheckLevel::kOk, "shared memory", found, ""};
  return {CheckLevel::kFail, "shared memory", found,
          counted(ranks, "rank") + (ranks == 1 ? " here needs " : " here need ") + number(needed / 1e6) +
              " MB: docker --shm-size, or mount -o remount,size=1G /dev/shm"};
}

}  // namespace harness
