#include "harness/experiment/table_reader.h"

#include <algorithm>

namespace harness {

TableReader::TableReader(std::string file, const TomlValue& value, std::string path)
    : file_(std::move(file)), value_(&value), path_(std::move(path)) {
  if (!std::holds_alternative<TomlTable>(value.data)) {
    throw input_error(place_of(file_, value, path_), describe(value), "a table");
  }
}

std::string TableReader::dotted(const std::string& name) const {
  return path_.empty() ? name : path_ + "." + name;
}

InputPlace TableReader::place(const std::string& name) const {
  const TomlValue* value = find(name);
  return place_of(file_, value == nullptr ? *value_ : *value, dotted(name));
}

void TableReader::require_known(const std::vector<std::string>& known, const char* what) const {
  for (const TomlEntry& entry : entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    throw_unknown(place(entry.key), what, entry.key, known);
  }
}

std::optional<std::string> TableReader::text(const std::string& name) const {
  const TomlValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  if (text == nullptr || text->empty())
    throw input_error(place(name), describe(*value), "a text that is not empty");
  return *text;
}

std::optional<bool> TableReader::flag(const std::string& name) const {
  const TomlValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool* flag = std::get_if<bool>(&value->data);
  if (flag == nullptr) throw input_error(place(name), describe(*value), "true or false");
  return *flag;
}

std::vector<const TomlValue*> TableReader::items(const std::string& name, const std::string& allowed) const {
  const TomlValue* value = find(name);
  if (value == nullptr) return {};
  const auto* array = std::get_if<TomlArray>(&value->data);
  if (array == nullptr) return {value};
  if (array->empty()) throw input_error(place(name), "an empty array", "one or more: " + allowed);
  std::vector<const TomlValue*> result;
  for (const TomlValue& item : *array) result.push_back(&item);
  return result;
}

std::vector<NamedAt> TableReader::texts(const std::string& name) const {
  std::vector<NamedAt> result;
  for (const TomlValue* item : items(name, "a text")) {
    const InputPlace at = place_of(file_, *item, dotted(name));
    const auto* text = std::get_if<std::string>(&item->data);
    if (text == nullptr || text->empty()) throw input_error(at, describe(*item), "texts that are not empty");
    for (const NamedAt& other : result) {
      if (other.name == *text) throw input_error(at, describe(*item) + " twice", "each value once");
    }
    result.push_back({*text, at});
  }
  return result;
}

std::vector<double> TableReader::numbers(const std::string& name, double low, double high,
                                         const std::string& allowed) const {
  std::vector<double> result;
  for (const TomlValue* item : items(name, allowed)) {
    const InputPlace at = place_of(file_, *item, dotted(name));
    const auto* number = std::get_if<double>(&item->data);
    if (number == nullptr || !(*number >= low && *number <= high))
      throw input_error(at, describe(*item), allowed);
    if (std::find(result.begin(), result.end(), *number) != result.end()) {
      throw input_error(at, describe(*item) + " twice", "each value once");
    }
    result.push_back(*number);
  }
  return result;
}

std::vector<TableReader> TableReader::tables(const std::string& name) const {
  const TomlValue* value = find(name);
  if (value == nullptr) return {};
  const auto* array = std::get_if<TomlArray>(&value->data);
  if (array == nullptr)
    throw input_error(place(name), describe(*value), "tables with the heading [[" + dotted(name) + "]]");
  if (array->empty())
    throw input_error(place(name), "an empty array", "tables with the heading [[" + dotted(name) + "]]");
  std::vector<TableReader> result;
  for (const TomlValue& item : *array) result.emplace_back(file_, item, dotted(name));
  return result;
}

std::vector<Assignment> TableReader::assignments(const std::string& prefix, const std::string& except) const {
  TomlTable table = entries();
  std::erase_if(table, [&except](const TomlEntry& entry) { return entry.key == except; });
  std::vector<Assignment> result;
  collect(table, prefix, result);
  return result;
}

void TableReader::collect(const TomlTable& table, const std::string& prefix,
                          std::vector<Assignment>& out) const {
  for (const TomlEntry& entry : table) {
    const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
    if (const auto* inner = std::get_if<TomlTable>(&entry.value.data)) {
      collect(*inner, key, out);
      continue;
    }
    ParamValue value;
    const InputPlace at = place_of(file_, entry.value, key);
    if (!to_param_value(entry.value, value)) {
      throw input_error(at, describe(entry.value), "one value (for several, a [[sweep]] with this key)");
    }
    out.push_back({key, value, at});
  }
}

std::vector<ParamValue> TableReader::values(const std::string& name) const {
  std::vector<ParamValue> result;
  for (const TomlValue* item : items(name, "a value")) {
    ParamValue value;
    const InputPlace at = place_of(file_, *item, dotted(name));
    if (!to_param_value(*item, value))
      throw input_error(at, describe(*item), "numbers, texts, true and false");
    if (std::find(result.begin(), result.end(), value) != result.end()) {
      throw input_error(at, describe(*item) + " twice", "each value once");
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace harness
