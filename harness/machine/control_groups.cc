#include "harness/machine/control_groups.h"

#include <cstddef>
#include <string_view>

#include "harness/machine/kernel_text.h"

namespace harness {

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

void take_lesser(std::optional<double>& least, std::optional<double> value) {
  if (value && (!least || *value < *least)) least = value;
}

}  // namespace harness
