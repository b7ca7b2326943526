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
  keep_systems(top, rows);
  std::erase_if(top,
                [](const TomlEntry& entry) { return entry.key == "repeat_until" || entry.key == "name"; });
  return to_toml(document);
}

}  // namespace harness
