#include "harness/record/analysis/settings_differences.h"

#include <algorithm>
#include <sstream>

namespace harness {
namespace {

constexpr const char* kAssigns = " = ";
constexpr const char* kChecksum = "# ";
constexpr const char* kPlace = "# cell";  // its index in the experiment
constexpr const char* kRanks = "# on ";   // live cells have "# on 3 ranks"
constexpr const char* kParams = "params";

using Settings = std::map<std::string, std::string>;

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Adds the settings of an inline table, "{ a = 1, b = 2 }".
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

/// Returns the name or path of the file to which a checksum belongs; "" if it is not known.
std::string name_of_contents(const Settings& settings, const std::string& kind) {
  for (const auto& [key, value] : settings) {
    const bool names = kind == "pipeline"   ? key == "workload.pipelines"
                       : kind == "profiles" ? key == "cluster.profiles"
                       : kind == "library"  ? key == "system.library"
                                            : key.starts_with("trace.") && key.ends_with(".file");
    if (!names) continue;
    const bool is_list = value.size() >= 2 && value.front() == '[';
    return unquoted(is_list ? value.substr(1, value.size() - 2) : value);
  }
  return "";
}

/// True for a setting that a cell has only if something is wanted; without it nothing of the kind happens.
bool is_optional(const std::string& key) { return key.starts_with("fault ") || key == "cell_limit_s"; }

/// Adds the optional settings of `some` that `others` lack, with `words` after each.
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
    if (found == before.end() || found->second == value || key == kPlace) continue;
    if (!key.starts_with(kChecksum)) {
      differences.push_back(key + " " + unquoted(found->second) + ", now " + unquoted(value));
      continue;
    }
    const std::string kind = key.substr(2);
    const std::string name = name_of_contents(after, kind);
    const std::string note = kind == "profiles" ? " (or a file that it names)" : "";
    differences.push_back("contents of " + kind + " differ" + (name.empty() ? "" : ": " + name + note));
  }
  add_one_sided(before, after, " before, now none", differences);
  add_one_sided(after, before, " now, none before", differences);
  return differences;
}

std::map<std::string, std::string> contents_of(const std::string& effective_toml) {
  std::map<std::string, std::string> contents;
  const Settings settings = settings_of(effective_toml);
  for (const auto& [key, value] : settings) {
    if (!key.starts_with(kChecksum) || key == kPlace) continue;
    const std::string kind = key.substr(2);
    contents[kind + " " + name_of_contents(settings, kind)] = value;
  }
  return contents;
}

}  // namespace harness
