#include "harness/machine/cpu_facts.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "harness/core/wording.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int64_t> number_in(const fs::path& path) {
  const std::optional<std::string> line = first_line(path);
  if (!line) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// Returns the folders cpu0, cpu1, ... of /sys.
std::vector<fs::path> processor_folders(const std::string& root) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root + "/sys/devices/system/cpu", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("cpu") && name.size() > 3 && name[3] >= '0' && name[3] <= '9')
      folders.push_back(entry.path());
  }
  return folders;
}

/// Returns the values of a field of /proc/cpuinfo, one for each processor.
std::vector<std::string> cpuinfo(const std::string& root, const std::string& field) {
  std::vector<std::string> values;
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(field) && colon != std::string::npos) values.push_back(line.substr(colon + 2));
  }
  return values;
}

void take_frequencies(const std::vector<double>& mhz, CpuClocks& clocks) {
  if (mhz.empty()) return;
  double sum = 0;
  for (const double each : mhz) sum += each;
  clocks.mean_mhz = sum / static_cast<double>(mhz.size());
  clocks.least_mhz = *std::min_element(mhz.begin(), mhz.end());
}

/// Reads the first line of /proc/stat: "cpu" user nice system idle iowait irq softirq steal guest guest_nice.
void take_ticks(const std::string& root, CpuClocks& clocks) {
  constexpr int kIdle = 3;
  constexpr int kIoWait = 4;
  constexpr int kSteal = 7;
  const std::optional<std::string> line = first_line(root + "/proc/stat");
  if (!line) return;
  std::istringstream words(*line);
  std::string name;
  words >> name;
  std::int64_t value = 0;
  for (int i = 0; i <= kSteal && words >> value; ++i) {
    clocks.ticks += value;
    if (i == kIdle || i == kIoWait) clocks.idle_ticks += value;
    if (i == kSteal) clocks.stolen_ticks = value;
  }
  timespec own{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  clocks.own_ns = static_cast<TimeNs>(own.tv_sec) * kNsPerS + own.tv_nsec;
}

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string clock_text(const CpuClocks& clocks) {
  return number("%.2f", *clocks.mean_mhz / 1000) + " GHz (least " + number("%.2f", *clocks.least_mhz / 1000) +
         ")";
}

std::string frequency_note(const CpuClocks& before, const CpuClocks& after) {
  if (!before.mean_mhz || !after.mean_mhz) return "the processors' clock is not visible here";
  std::string note = "clock " + clock_text(before) + " before, " + clock_text(after) + " after";
  const double change = *after.mean_mhz / *before.mean_mhz - 1;
  if (std::abs(change) >= 0.01)
    note += ": " + number("%.0f", 100 * std::abs(change)) + (change < 0 ? " % slower" : " % faster");
  return note;
}

/// The shares of all processors' time that others took.
struct Others {
  double processes = 0;  ///< share of other processes
  double machines = 0;   ///< share of other virtual machines
};
std::optional<Others> others_between(const CpuClocks& before, const CpuClocks& after) {
  if (!before.stolen_ticks || !after.stolen_ticks || after.ticks <= before.ticks) return std::nullopt;
  const auto all = static_cast<double>(after.ticks - before.ticks);
  const auto stolen = static_cast<double>(*after.stolen_ticks - *before.stolen_ticks);
  const auto idle = static_cast<double>(after.idle_ticks - before.idle_ticks);
  const double own = ns_to_s(after.own_ns - before.own_ns) * static_cast<double>(::sysconf(_SC_CLK_TCK));
  return Others{std::max(0.0, all - stolen - idle - own) / all, stolen / all};
}

void add_load_notes(const CpuClocks& before, const CpuClocks& after, std::vector<std::string>& notes) {
  const std::optional<Others> others = others_between(before, after);
  if (!others) return;
  notes.push_back("other processes took " + number("%.0f", 100 * others->processes) +
                  " % of the processors' time");
  notes.push_back("other virtual machines took " + number("%.1f", 100 * others->machines) + " % of it");
}

}  // namespace

CpuFacts read_cpu_facts(const std::string& root) {
  CpuFacts facts;
  const std::vector<std::string> models = cpuinfo(root, "model name");
  if (!models.empty()) facts.model = models.front();
  facts.processors = static_cast<int>(cpuinfo(root, "processor").size());
  return facts;
}

CpuClocks read_cpu_clocks(const std::string& root) {
  CpuClocks clocks;
  std::vector<double> mhz;
  for (const fs::path& folder : processor_folders(root)) {
    if (const auto khz = number_in(folder / "cpufreq/scaling_cur_freq"))
      mhz.push_back(static_cast<double>(*khz) / 1000);
    if (const auto governor = first_line(folder / "cpufreq/scaling_governor")) {
      const bool same = clocks.governor.empty() || clocks.governor == *governor;
      clocks.governor = same ? *governor : "mixed";
    }
    if (const auto count = number_in(folder / "thermal_throttle/core_throttle_count"))
      clocks.throttled = clocks.throttled.value_or(0) + *count;
  }
  if (mhz.empty()) {
    for (const std::string& text : cpuinfo(root, "cpu MHz"))
      mhz.push_back(std::strtod(text.c_str(), nullptr));
  }
  take_frequencies(mhz, clocks);
  take_ticks(root, clocks);
  return clocks;
}

std::optional<double> share_of_others(const CpuClocks& before, const CpuClocks& after) {
  const std::optional<Others> others = others_between(before, after);
  return others ? std::optional(others->processes + others->machines) : std::nullopt;
}

std::optional<double> share_stolen(const CpuClocks& before, const CpuClocks& after) {
  if (!before.stolen_ticks || !after.stolen_ticks) return std::nullopt;
  const std::int64_t wanted = after.ticks - before.ticks - (after.idle_ticks - before.idle_ticks);
  if (wanted <= 0) return std::nullopt;
  return static_cast<double>(*after.stolen_ticks - *before.stolen_ticks) / static_cast<double>(wanted);
}

std::vector<std::string> clock_notes(const CpuClocks& before, const CpuClocks& after) {
  std::vector<std::string> notes = {frequency_note(before, after)};
  notes.push_back(after.governor.empty() ? "the frequency governor is not visible here"
                                         : "frequency governor " + after.governor);
  if (!before.throttled || !after.throttled) {
    notes.emplace_back("throttling is not visible here");
  } else {
    notes.push_back("throttled " + counted(*after.throttled - *before.throttled, "time"));
  }
  add_load_notes(before, after, notes);
  return notes;
}

}  // namespace harness
