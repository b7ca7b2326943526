#include "harness/machine/process_memory.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/control_groups.h"
#include "harness/machine/kernel_text.h"

namespace harness {
namespace {

/// Returns the number behind `name` in a file with a name and a number on each line ("MemAvailable:  12 kB").
std::optional<double> named_number(const std::optional<std::string>& text, std::string_view name) {
  std::optional<double> found;
  for_each_line(text.value_or(""), [&](std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 2 && words[0] == name) found = parsed<double>(words[1]);
  });
  return found;
}

}  // namespace

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
  return parsed<double>(words[1]).value_or(0) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace harness
