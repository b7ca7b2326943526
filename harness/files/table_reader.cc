#include "harness/files/table_reader.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace harness {
namespace {

constexpr const char* kString = "a string that is not empty";

void collect(const std::string& file, const TomlTable& table, const std::string& prefix,
             std::vector<Assignment>& out) {
  for (const TomlEntry& entry : table) {
    const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
    if (const auto* inner = std::get_if<TomlTable>(&entry.value.data)) {
      collect(file, *inner, key, out);
      continue;
    }
    Assignment assignment{key, {}, place_of(file, entry.value, key)};
    if (!to_param_value(entry.value, assignment.value)) {
      throw input_error(assignment.place, describe(entry.value),
                        "one value (for several, a [[sweep]] with this key)");
    }
    out.push_back(std::move(assignment));
  }
}

}  // namespace

TableReader::TableReader(std::string file, const TomlValue& value, std::string path)
    : file_(std::move(file)), value_(&value), path_(std::move(path)) {
  if (!std::holds_alternative<TomlTable>(value.data))
    throw input_error(place_of(file_, value, path_), describe(value), "a table");
}

InputPlace TableReader::place(const std::string& key) const {
  const TomlValue* value = find(key);
  return at(key, value == nullptr ? *value_ : *value);
}

void TableReader::require_known(const std::vector<std::string>& known) const {
  for (const TomlEntry& entry : entries()) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      throw_unknown(place(entry.key), "key", entry.key, known);
  }
}

void TableReader::read(const ParamList& list, const std::vector<std::string>& more) const {
  std::vector<std::string> known = list.names();
  known.insert(known.end(), more.begin(), more.end());
  require_known(known);
  for (const Param& param : list.params()) {
    const TomlValue* found = find(param.name);
    if (found != nullptr) {
      read_value(param, *found);
    } else if (!param.required_as.empty()) {
      throw input_error(place(param.name), "nothing", param.required_as);
    }
  }
}

template <class Type>
const Type& TableReader::as(const std::string& key, const TomlValue& item, const std::string& allowed) const {
  const auto* found = std::get_if<Type>(&item.data);
  if (found == nullptr) throw input_error(at(key, item), describe(item), allowed);
  return *found;
}

template <class Type>
const Type& TableReader::get(const std::string& key, const std::string& allowed) const {
  const TomlValue* value = find(key);
  if (value == nullptr) throw input_error(place(key), "nothing", allowed);
  return as<Type>(key, *value, allowed);
}

double TableReader::number_in(const std::string& key, const TomlValue& item, double low, double high,
                              const std::string& allowed) const {
  const auto* number = std::get_if<double>(&item.data);
  if (number != nullptr && *number >= low && *number <= high) return *number;
  throw input_error(at(key, item), describe(item),
                    allowed.empty() ? "a number from " + text_of(low) + " to " + text_of(high) : allowed);
}

std::string TableReader::text_in(const std::string& key, const TomlValue& item,
                                 const std::string& allowed) const {
  const auto& text = as<std::string>(key, item, allowed);
  if (text.empty()) throw input_error(at(key, item), describe(item), allowed);
  return text;
}

std::string TableReader::text(const std::string& key) const {
  const auto& text = get<std::string>(key, kString);
  if (text.empty()) throw input_error(place(key), "\"\"", kString);
  return text;
}

std::string TableReader::text_or(const std::string& key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

bool TableReader::flag_or(const std::string& key, bool fallback) const {
  return has(key) ? get<bool>(key, "true or false") : fallback;
}

double TableReader::number(const std::string& key, double low, double high,
                           const std::string& allowed) const {
  if (!has(key)) throw input_error(place(key), "nothing", allowed.empty() ? "a number" : allowed);
  return number_in(key, *find(key), low, high, allowed);
}

double TableReader::number_or(const std::string& key, double low, double high, double fallback) const {
  return has(key) ? number(key, low, high) : fallback;
}

int TableReader::integer(const std::string& key, int low, int high) const {
  const std::string allowed = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  const double value = number(key, low, high, allowed);
  if (std::floor(value) != value) throw input_error(place(key), text_of(value), allowed);
  return static_cast<int>(value);
}

ParamValue TableReader::value(const std::string& key, const std::string& allowed) const {
  ParamValue value;
  if (!has(key) || !to_param_value(*find(key), value))
    throw input_error(place(key), has(key) ? describe(*find(key)) : "nothing", allowed);
  return value;
}

std::vector<std::string> TableReader::texts(const std::string& key) const {
  std::vector<std::string> result;
  for (const TomlValue& item : get<TomlArray>(key, "an array of strings"))
    result.push_back(as<std::string>(key, item, "an array of strings"));
  return result;
}

std::vector<const TomlValue*> TableReader::axis(const std::string& key, const std::string& allowed) const {
  const TomlValue* found = find(key);
  if (found == nullptr) return {};
  const auto* array = std::get_if<TomlArray>(&found->data);
  if (array == nullptr) return {found};
  if (array->empty()) throw input_error(place(key), "an empty array", "one or more: " + allowed);
  std::vector<const TomlValue*> result;
  std::set<ParamValue> before;
  ParamValue value;
  for (const TomlValue& item : *array) {
    const bool ordered = to_param_value(item, value) && value == value;  // which NaN is not
    if (ordered && !before.insert(value).second)
      throw input_error(at(key, item), describe(item) + " twice", "each value once");
    result.push_back(&item);
  }
  return result;
}

void TableReader::read_value(const Param& param, const TomlValue& found) const {
  ParamValue value;
  if (param.set && !(to_param_value(found, value) && param.set(value)))
    throw input_error(place(param.name), describe(found), param.wanted_text());
  if (param.elements == nullptr) return;
  std::vector<const TomlValue*> items;
  if (param.elements->is_axis) {
    items = axis(param.name, param.wanted_text());
  } else {
    for (const TomlValue& item : as<TomlArray>(param.name, found, param.wanted_text()))
      items.push_back(&item);
  }
  param.elements->clear();
  for (const TomlValue* item : items) {
    const InputPlace item_place = at(param.name, *item);
    if (!to_param_value(*item, value) || !param.elements->add(value, item_place))
      throw input_error(item_place, describe(*item), param.elements->allowed);
  }
}

std::vector<NamedAt> TableReader::text_axis(const std::string& key) const {
  std::vector<NamedAt> result;
  for (const TomlValue* item : axis(key, "a string"))
    result.push_back({text_in(key, *item, "strings that are not empty"), at(key, *item)});
  return result;
}

std::vector<double> TableReader::number_axis(const std::string& key, double low, double high,
                                             const std::string& allowed) const {
  std::vector<double> result;
  for (const TomlValue* item : axis(key, allowed))
    result.push_back(number_in(key, *item, low, high, allowed));
  return result;
}

std::vector<ParamValue> TableReader::value_axis(const std::string& key) const {
  std::vector<ParamValue> result;
  for (const TomlValue* item : axis(key, "a value")) {
    if (!to_param_value(*item, result.emplace_back()))
      throw input_error(at(key, *item), describe(*item), "numbers, strings, true and false");
  }
  return result;
}

TableReader TableReader::table(const std::string& key) const {
  get<TomlTable>(key, "a table");
  return {file_, *find(key), dotted(key)};
}

std::vector<TableReader> TableReader::tables(const std::string& key) const {
  return has(key) ? some_tables(key) : std::vector<TableReader>{};
}

std::vector<TableReader> TableReader::some_tables(const std::string& key) const {
  const std::string allowed = "at least one [[" + dotted(key) + "]]";
  const auto& array =
      get<TomlArray>(key, has(key) ? "tables with the heading [[" + dotted(key) + "]]" : allowed);
  if (array.empty()) throw input_error(place(key), "an empty array", allowed);
  std::vector<TableReader> result;
  for (const TomlValue& item : array) result.emplace_back(file_, item, dotted(key));
  return result;
}

std::vector<Assignment> TableReader::assignments(const std::string& prefix, const std::string& except) const {
  TomlTable table = entries();
  std::erase_if(table, [&except](const TomlEntry& entry) { return entry.key == except; });
  std::vector<Assignment> result;
  collect(file_, table, prefix, result);
  return result;
}

}  // namespace harness
