#include "harness/record/settings_difference.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace harness {
namespace {

constexpr const char* kAssigns = " = ";
constexpr const char* kChecksum = "# ";
constexpr const char* kRanks = "# on ";  // of live cells: "# on 3 ranks"
constexpr const char* kParams = "params";

using Settings = std::map<std::string, std::string>;

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Reads "{ a = 1, b = 2 }".
void add_inline(Settings& settings, const std::string& table, const std::string& prefix) {
  std::size_t begin = table.find_first_not_of("{ ");
  while (begin != std::string::npos && begin < table.size()) {
    const std::size_t end = std::min(table.find(", ", begin), table.find(" }", begin));
    const std::string pair = table.substr(begin, end == std::string::npos ? end : end - begin);
    const std::size_t equals = pair.find(kAssigns);
    if (equals != std::string::npos) settings[prefix + pair.substr(0, equals)] = pair.substr(equals + 3);
    if (end == std::string::npos || table[end] == ' ') return;
    begin = end + 2;
  }
}

Settings settings_of(const std::string& text) {
  Settings settings;
  std::istringstream lines(text);
  std::string prefix;
  std::string system;
  int faults = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) {
      prefix = line.substr(line.find_first_not_of('['), line.find(']') - line.find_first_not_of('[')) + ".";
      if (prefix == "fault.") prefix = "fault " + std::to_string(++faults) + ".";
      continue;
    }
    const std::size_t equals = line.find(kAssigns);
    if (line.starts_with(kRanks)) {
      settings["ranks"] = line.substr(5, line.find(' ', 5) - 5);
    } else if (line.starts_with(kChecksum)) {  // "# profiles 0123...", under the settings
      const std::size_t space = line.find(' ', 2);
      if (space != std::string::npos)
        settings[kChecksum + line.substr(2, space - 2)] = line.substr(space + 1);
    } else if (equals != std::string::npos) {
      const std::string key = line.substr(0, equals);
      const std::string value = line.substr(equals + 3);
      if (prefix + key == "system.name") system = unquoted(value);
      if (key == kParams) {
        add_inline(settings, value, system + ".");
      } else {
        settings[prefix + key] = value;
      }
    }
  }
  return settings;
}

/// What a cell has only when it is wanted: without it nothing of the kind happens.
bool is_optional(const std::string& key) { return key.starts_with("fault ") || key == "cell_limit_s"; }

/// Those of `some` that `others` have not, with `words` after each.
void add_one_sided(const Settings& some, const Settings& others, const char* words,
                   std::vector<std::string>& differences) {
  for (const auto& [key, value] : some) {
    if (is_optional(key) && others.count(key) == 0)
      differences.push_back(key + " " + unquoted(value) + words);
  }
}

}  // namespace

std::vector<std::string> settings_differences(const std::string& base, const std::string& now) {
  std::vector<std::string> differences;
  if (base == now) return differences;
  const Settings before = settings_of(base);
  const Settings after = settings_of(now);
  for (const auto& [key, value] : after) {
    const auto found = before.find(key);
    if (found == before.end() || found->second == value || key == "# cell") continue;
    differences.push_back(key.starts_with(kChecksum)
                              ? "contents of " + key.substr(2) + " differ"
                              : key + " " + unquoted(found->second) + ", now " + unquoted(value));
  }
  add_one_sided(before, after, " before, now none", differences);
  add_one_sided(after, before, " now, none before", differences);
  return differences;
}

}  // namespace harness
