#include "harness/machine/machine_checks.h"

#include <dirent.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <vector>

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 16;
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

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Calls `take` with every line, without its line break.
template <class Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = text.find_first_not_of(" \t"); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(" \t", end);
  }
  return words;
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

/// Returns the quota, in cores, of a control group of version 2 ("50000 100000").
std::optional<double> quota_v2(const std::string& text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 2) return std::nullopt;
  const auto quota = parse<double>(words[0]);
  const auto period = parse<double>(words[1]);
  if (!quota || !period || *period <= 0) return std::nullopt;
  return *quota / *period;
}

void take_lesser(std::optional<double>& least, std::optional<double> value) {
  if (value && (!least || *value < *least)) least = value;
}

/// Calls `look` with the folder of each of this process's control groups that limits `controller`, and of
/// each group above it. The second argument is true for a group of version 2.
void for_each_group(const MachineFiles& files, const std::string& controller,
                    const std::vector<std::string>& mounts,
                    const std::function<void(const std::string&, bool)>& look) {
  const auto look_upwards = [&](const std::string& mount, std::string group, bool v2) {
    for (;;) {
      look(mount + group, v2);
      const std::size_t slash = group.find_last_of('/');
      if (group.empty() || slash == std::string::npos) return;
      group.resize(slash);
    }
  };
  for_each_line(files.read("proc/self/cgroup").value_or("0::/"), [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const std::string group(line.substr(second + 1));
    if (controllers == ",,") look_upwards("sys/fs/cgroup", group, true);
    if (controllers.find("," + controller + ",") == std::string::npos) return;
    for (const std::string& mount : mounts) look_upwards("sys/fs/cgroup/" + mount, group, false);
  });
}

/// Returns the smallest quota of the control groups.
std::optional<double> cpu_quota(const MachineFiles& files) {
  std::optional<double> least;
  for_each_group(files, "cpu", {"cpu", "cpu,cpuacct"}, [&](const std::string& folder, bool v2) {
    if (v2) {
      if (const auto text = files.read(folder + "/cpu.max")) take_lesser(least, quota_v2(*text));
      return;
    }
    const auto quota = files.read_number(folder + "/cpu.cfs_quota_us");
    const auto period = files.read_number(folder + "/cpu.cfs_period_us");
    if (quota && period && *quota > 0 && *period > 0)
      take_lesser(least, static_cast<double>(*quota) / static_cast<double>(*period));
  });
  return least;
}

/// Returns the number behind `name` in a file with a name and a number on each line ("MemAvailable:  12 kB").
std::optional<double> named_number(const std::optional<std::string>& text, std::string_view name) {
  std::optional<double> found;
  for_each_line(text.value_or(""), [&](std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 2 && words[0] == name) found = parse<double>(words[1]);
  });
  return found;
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
      return word == "unlimited" ? std::optional(kUnlimited) : parse<std::int64_t>(word);
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

std::string text_of(const Check& check) {
  constexpr const char* kLevels[] = {"ok    ", "warn  ", "fail  "};
  std::string text = kLevels[static_cast<std::size_t>(check.level)] + check.subject + ": " + check.found;
  if (!check.advice.empty()) text += "; " + check.advice;
  return text;
}

std::optional<std::string> MachineFiles::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kLongestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

bool MachineFiles::exists(const std::string& name) const { return ::access(path(name).c_str(), F_OK) == 0; }

std::optional<std::int64_t> MachineFiles::read_number(const std::string& name) const {
  const auto text = read(name);
  return text ? parse<std::int64_t>(*text) : std::nullopt;
}

std::vector<int> cores_in_list(std::string_view list) {
  constexpr int kMaxCores = 1 << 16;
  std::vector<int> cores;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    const std::size_t dash = part.find('-');
    const auto first = parse<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxCores) return {};
    for (int core = *first; core <= *last; ++core) cores.push_back(core);
    list.remove_prefix(std::min(part.size() + 1, list.size()));
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

UsableCores usable_cores(const MachineFiles& files) {
  UsableCores cores;
  constexpr std::string_view kName = "Cpus_allowed_list:";
  for_each_line(files.read("proc/self/status").value_or(""), [&](std::string_view line) {
    if (!line.starts_with(kName)) return;
    const std::vector<std::string_view> words = words_of(line.substr(kName.size()));
    if (words.size() == 1) cores.allowed = cores_in_list(words[0]);
  });
  cores.quota = cpu_quota(files);
  return cores;
}

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
  const auto load = words.empty() ? std::nullopt : parse<double>(words[0]);
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

std::optional<double> available_memory(const MachineFiles& files) {
  constexpr double kKiB = 1024;
  std::optional<double> least = named_number(files.read("proc/meminfo"), "MemAvailable:");
  if (least) *least *= kKiB;
  for_each_group(files, "memory", {"memory"}, [&](const std::string& folder, bool v2) {
    const auto limit = files.read_number(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    const auto used = files.read_number(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    if (!limit || !used) return;
    // The kernel frees the group's cached files when memory is needed.
    const char* const cached = v2 ? "inactive_file" : "total_inactive_file";
    const double kept = named_number(files.read(folder + "/memory.stat"), cached).value_or(0);
    take_lesser(least, std::max(0.0, static_cast<double>(*limit - *used) + kept));
  });
  return least;
}

double resident_memory() {
  const auto text = MachineFiles().read("proc/self/statm");
  if (!text) return 0;
  const std::vector<std::string_view> words = words_of(*text);
  if (words.size() < 2) return 0;
  return parse<double>(words[1]).value_or(0) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace harness
