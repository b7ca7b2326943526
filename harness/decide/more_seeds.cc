#include "harness/decide/more_seeds.h"

#include <algorithm>
#include <set>

#include "harness/core/wording.h"
#include "harness/experiment/reading/config_tree.h"
#include "harness/files/table_reader.h"
#include "harness/files/toml_value.h"

namespace harness {
namespace {

using Names = std::set<std::string>;

Names values_of(const std::vector<const ResultRow*>& rows, const char* key) {
  Names names;
  for (const ResultRow* row : rows) {
    if (const FieldValue* value = row->find(key)) names.insert(value->text);
  }
  return names;
}

/// Narrows the axis of [workload] to those names, unless it has others than the results have (paths).
void narrow_axis(TomlValue& document, const std::string& key, const Names& names) {
  const TableReader top("", document);
  const std::vector<NamedAt> all = top.table("workload").text_axis(key);
  std::string kept;
  std::size_t found = 0;
  for (const NamedAt& one : all) {
    if (names.count(one.name) == 0) continue;
    kept += (kept.empty() ? "" : ", ") + toml_text(one.name);
    ++found;
  }
  if (found == names.size()) apply_override(document, "workload." + key + "=[" + kept + "]");
}

std::string member_text(const TomlValue& table, const std::string& key) {
  const TomlValue* value = member_of(std::get<TomlTable>(table.data), key);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  return text == nullptr ? "" : *text;
}

/// Returns the name of the [[system]]'s variant; "" if its parameters make one.
std::string variant_of(const TomlValue& system) {
  const std::string named = member_text(system, "variant");
  if (!named.empty()) return named;
  const auto& table = std::get<TomlTable>(system.data);
  for (const char* key : {"params", "planner", "planner_params", "set"}) {
    if (member_of(table, key) != nullptr) return "";
  }
  return "default";
}

/// Keeps each [[system]] that has a row. One whose variant has no name stays if its system has a row.
void keep_systems(TomlTable& document, const std::vector<const ResultRow*>& rows) {
  Names series;
  for (const ResultRow* row : rows) {
    const std::string& system = row->find("system")->text;
    series.insert({system, system + "/" + row->find("variant")->text});
  }
  for (TomlEntry& entry : document) {
    auto* systems = entry.key == "system" ? std::get_if<TomlArray>(&entry.value.data) : nullptr;
    if (systems == nullptr) continue;
    std::erase_if(*systems, [&](const TomlValue& system) {
      const std::string variant = variant_of(system);
      return series.count(member_text(system, "name") + (variant.empty() ? "" : "/" + variant)) == 0;
    });
  }
}

/// Removes the sweeps of keys of systems and traces that are left out.
void drop_sweeps(TomlTable& document, const Names& systems_before) {
  Names systems;
  Names traces;
  for (const TomlEntry& entry : document) {
    if (entry.key == "system") {
      for (const TomlValue& system : std::get<TomlArray>(entry.value.data)) {
        systems.insert(member_text(system, "name"));
        systems.insert(member_text(system, "planner"));
      }
    }
    if (entry.key != "trace") continue;
    for (const TomlEntry& trace : std::get<TomlTable>(entry.value.data)) traces.insert(trace.key);
  }
  for (TomlEntry& entry : document) {
    auto* sweeps = entry.key == "sweep" ? std::get_if<TomlArray>(&entry.value.data) : nullptr;
    if (sweeps == nullptr) continue;
    std::erase_if(*sweeps, [&](const TomlValue& sweep) {
      const std::string key = member_text(sweep, "key");
      const std::string section = key.substr(0, key.find('.'));
      if (section != "trace") return systems_before.count(section) > 0 && systems.count(section) == 0;
      const std::string rest = key.substr(section.size() + 1);
      return std::ranges::none_of(traces,
                                  [&](const std::string& trace) { return rest.starts_with(trace + "."); });
    });
  }
  std::erase_if(document, [](const TomlEntry& entry) {
    return entry.key == "sweep" && std::get<TomlArray>(entry.value.data).empty();
  });
}

/// True if the value, or one in it, is a path from the experiment's folder. `key` is the value's key.
bool has_relative_path(const std::string& key, const TomlValue& value) {
  if (const auto* table = std::get_if<TomlTable>(&value.data)) {
    return std::ranges::any_of(
        *table, [](const TomlEntry& entry) { return has_relative_path(entry.key, entry.value); });
  }
  if (const auto* items = std::get_if<TomlArray>(&value.data)) {
    return std::ranges::any_of(*items, [&](const TomlValue& item) { return has_relative_path(key, item); });
  }
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr || text->empty() || text->front() == '/' || text->front() == '$') return false;
  if (key == "file" || key == "library") return true;
  return (key == "pipelines" || key == "profiles" || key == "values") && text->ends_with(".toml");
}

}  // namespace

std::string text_with_seeds(const std::string& file, const std::string& text,
                            const std::vector<const ResultRow*>& rows,
                            const std::vector<std::uint64_t>& seeds) {
  TomlValue document = parse_toml(file, text);
  std::vector<std::string> words;
  for (const std::uint64_t seed : seeds) words.push_back(std::to_string(seed));
  apply_override(document, "workload.seeds=[" + join_names(words) + "]");
  narrow_axis(document, "pipelines", values_of(rows, "pipeline"));
  narrow_axis(document, "traces", values_of(rows, "trace"));
  drop_unlisted(document);
  auto& top = std::get<TomlTable>(document.data);
  Names systems_before;
  for (const TomlEntry& entry : top) {
    if (entry.key != "system") continue;
    for (const TomlValue& system : std::get<TomlArray>(entry.value.data))
      systems_before.insert(member_text(system, "name"));
  }
  keep_systems(top, rows);
  drop_sweeps(top, systems_before);
  for (const char* key :
       {"repeat_until", "name", "record"})  // numbers of cells in [record] are of other cells
    std::erase_if(top, [&](const TomlEntry& entry) { return entry.key == key; });
  apply_override(document, "record.rows=false");
  return to_toml(document);
}

bool names_relative_files(const std::string& file, const std::string& text) {
  return has_relative_path("", parse_toml(file, text));
}

}  // namespace harness
