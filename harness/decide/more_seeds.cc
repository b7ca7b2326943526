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

/// Returns the name of the [[system]]'s variant; "" if its parameters make one.
std::string variant_of(const TomlValue& system) {
  const std::string named = text_member(system, "variant");
  if (!named.empty()) return named;
  const auto& table = std::get<TomlTable>(system.data);
  for (const char* key : {"params", "planner", "planner_params", "set"}) {
    if (member_of(table, key) != nullptr) return "";
  }
  return "default";
}

/// Keeps each [[system]] that has a row. One whose variant has no name stays if its system has a row.
void keep_systems(TomlArray& systems, const std::vector<const ResultRow*>& rows) {
  Names series;
  for (const ResultRow* row : rows) {
    const std::string& system = row->find("system")->text;
    series.insert({system, system + "/" + row->find("variant")->text});
  }
  std::erase_if(systems, [&](const TomlValue& system) {
    const std::string variant = variant_of(system);
    return series.count(text_member(system, "name") + (variant.empty() ? "" : "/" + variant)) == 0;
  });
}

Names values_of(const TomlArray& tables, const char* key) {
  Names names;
  for (const TomlValue& table : tables) names.insert(text_member(table, key));
  return names;
}

void drop(TomlValue& document, const std::string& key) {
  std::erase_if(std::get<TomlTable>(document.data), [&](const TomlEntry& entry) { return entry.key == key; });
}

/// Removes the sweeps of keys of traces and of `systems_before` that are left out.
void drop_sweeps(TomlValue& document, const TomlArray& systems, const Names& systems_before) {
  TomlArray* sweeps = tables_of(document, "sweep");
  if (sweeps == nullptr) return;
  Names left = values_of(systems, "name");
  left.merge(values_of(systems, "planner"));
  const TomlValue* traces = member_of(std::get<TomlTable>(document.data), "trace");
  std::erase_if(*sweeps, [&](const TomlValue& sweep) {
    const std::string key = text_member(sweep, "key");
    const std::string section = key.substr(0, key.find('.'));
    if (section != "trace") return systems_before.count(section) > 0 && left.count(section) == 0;
    return traces == nullptr ||
           std::ranges::none_of(std::get<TomlTable>(traces->data), [&](const TomlEntry& trace) {
             return key.starts_with("trace." + trace.key + ".");
           });
  });
  if (sweeps->empty()) drop(document, "sweep");
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
  TomlArray* systems = tables_of(document, "system");
  if (systems == nullptr) throw input_error({file, 0, "system"}, "nothing", "an experiment");
  const Names systems_before = values_of(*systems, "name");
  keep_systems(*systems, rows);
  drop_sweeps(document, *systems, systems_before);
  drop(document, "repeat_until");
  drop(document, "name");
  drop(document, "record");  // it may number cells, which are other ones here
  apply_override(document, "record.rows=false");
  return to_toml(document);
}

bool names_relative_files(const std::string& file, const std::string& text) {
  return has_relative_path("", parse_toml(file, text));
}

}  // namespace harness
