#include "harness/machine/usable_cores.h"

#include <algorithm>
#include <string>

#include "harness/machine/control_groups.h"
#include "harness/machine/kernel_text.h"

namespace harness {
namespace {

/// Returns the quota, in cores, of a control group of version 2 ("50000 100000").
std::optional<double> quota_v2(const std::string& text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 2) return std::nullopt;
  const auto quota = parsed<double>(words[0]);
  const auto period = parsed<double>(words[1]);
  if (!quota || !period || *period <= 0) return std::nullopt;
  return *quota / *period;
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

}  // namespace

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

std::vector<int> cores_in_list(std::string_view list) {
  constexpr int kMaxCores = 1 << 16;
  std::vector<int> cores;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    const std::size_t dash = part.find('-');
    const auto first = parsed<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parsed<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxCores) return {};
    for (int core = *first; core <= *last; ++core) cores.push_back(core);
    list.remove_prefix(std::min(part.size() + 1, list.size()));
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

}  // namespace harness
