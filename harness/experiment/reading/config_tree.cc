#include "harness/experiment/reading/config_tree.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace harness {

TomlValue& member_to_set(TomlTable& table, const std::string& name) {
  const auto at =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const TomlEntry& entry, const std::string& key) { return entry.key < key; });
  if (at != table.end() && at->key == name) return at->value;
  return table.insert(at, {name, {kCommandLine, TomlTable()}})->value;
}

namespace {

TomlTable* table_in(TomlValue& value) { return std::get_if<TomlTable>(&value.data); }

void mark_command_line(TomlValue& value) {
  value.line = kCommandLine;
  if (auto* array = std::get_if<TomlArray>(&value.data)) {
    for (TomlValue& item : *array) mark_command_line(item);
  } else if (TomlTable* table = table_in(value)) {
    for (TomlEntry& entry : *table) mark_command_line(entry.value);
  }
}

TomlValue override_value(const InputPlace& place, const std::string& text) {
  TomlValue value;
  try {
    TomlValue document = parse_toml("--set", "value = " + text + "\n");
    TomlTable& table = *table_in(document);
    if (table.size() != 1) throw input_error(place, text, "one TOML value");
    value = std::move(table.front().value);
  } catch (const InexactInteger&) {
    throw InexactInteger(place, text);
  } catch (const InputError&) {
    if (!is_bare(text, "./:")) throw input_error(place, text, "a TOML value, such as 2, [1, 2] or \"late\"");
    value.data = text;
  }
  mark_command_line(value);
  return value;
}

/// Returns the tables of an array that have that name.
std::vector<TomlValue*> tables_named(TomlArray& array, const std::string& name) {
  std::vector<TomlValue*> named;
  for (TomlValue& item : array) {
    const auto* table = table_in(item);
    const TomlValue* its_name = table == nullptr ? nullptr : member_of(*table, "name");
    const auto* text = its_name == nullptr ? nullptr : std::get_if<std::string>(&its_name->data);
    if (text != nullptr && *text == name) named.push_back(&item);
  }
  return named;
}

/// Returns true if the key is one of a class of streams, but the table of the trace has no classes.
bool lacks_classes(const TomlTable& trace, const std::string& key, const std::string& part) {
  return part == "streams" && key.starts_with("trace.") && key.find(".streams.") != std::string::npos &&
         member_of(trace, "streams") == nullptr;
}

/// Returns the members `part` of `values`, the values that the earlier parts of `key` led to. They are
/// several if they are [[fault]] tables of one name.
std::vector<TomlValue*> below(const std::vector<TomlValue*>& values, const std::string& key,
                              const std::string& part, const InputPlace& place) {
  std::vector<TomlValue*> found;
  for (TomlValue* value : values) {
    auto* array = std::get_if<TomlArray>(&value->data);
    if (TomlTable* table = table_in(*value)) {
      if (lacks_classes(*table, key, part)) class_of_part(place, "", 0);
      found.push_back(&member_to_set(*table, part));
    } else if (array != nullptr && key.starts_with("trace.")) {
      found.push_back(&(*array)[class_of_part(place, part, array->size())]);
    } else if (array != nullptr && key.starts_with("fault.")) {
      found = tables_named(*array, part);
      if (found.empty()) throw input_error(place, "no fault of that name", "the name of a [[fault]]");
    } else {
      throw input_error(place, describe(*value) + " before '" + part + "'", "a table");
    }
  }
  return found;
}

TomlValue* table_member(TomlValue& value, const std::string& name) {
  TomlTable* table = table_in(value);
  return table == nullptr ? nullptr : const_cast<TomlValue*>(member_of(*table, name));
}

/// Returns the values of the [[sweep]] of that key; nullptr if the file has none.
TomlValue* swept_values(TomlValue& document, const std::string& key) {
  TomlValue* sweeps = table_member(document, "sweep");
  auto* array = sweeps == nullptr ? nullptr : std::get_if<TomlArray>(&sweeps->data);
  if (array == nullptr) return nullptr;
  for (TomlValue& sweep : *array) {
    const TomlValue* its_key = table_member(sweep, "key");
    const auto* text = its_key == nullptr ? nullptr : std::get_if<std::string>(&its_key->data);
    if (text != nullptr && *text == key) return table_member(sweep, "values");
  }
  return nullptr;
}

/// Returns true if --set gave the value or something in it.
bool has_command_line(const TomlValue& value) {
  const auto* table = std::get_if<TomlTable>(&value.data);
  const auto* array = std::get_if<TomlArray>(&value.data);
  return value.line == kCommandLine ||
         (array != nullptr && std::any_of(array->begin(), array->end(), has_command_line)) ||
         (table != nullptr && std::any_of(table->begin(), table->end(), [](const TomlEntry& entry) {
            return has_command_line(entry.value);
          }));
}

void write_value(std::string& out, const TomlValue& value) {
  ParamValue param;
  if (to_param_value(value, param)) {
    out += toml_text(param);
  } else if (const auto* array = std::get_if<TomlArray>(&value.data)) {
    out += "[";
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ", ";
      write_value(out, (*array)[i]);
    }
    out += "]";
  } else {
    out += "{";
    bool first = true;
    for (const TomlEntry& entry : std::get<TomlTable>(value.data)) {
      out += (first ? " " : ", ") + toml_key(entry.key) + " = ";
      write_value(out, entry.value);
      first = false;
    }
    out += first ? "}" : " }";
  }
}

bool has_heading(const TomlValue& value, int depth) {
  return depth < 2 && std::holds_alternative<TomlTable>(value.data);
}

/// Writes a table. Tables of the first two levels get a heading; deeper ones, and tables in arrays, are
/// written in line.
void write_table(std::string& out, const TomlTable& table, const std::string& heading, int depth) {
  const bool any_value = std::any_of(table.begin(), table.end(), [depth](const TomlEntry& entry) {
    return !has_heading(entry.value, depth);
  });
  if (!heading.empty() && (any_value || table.empty())) out += "\n[" + heading + "]\n";
  for (const TomlEntry& entry : table) {
    if (has_heading(entry.value, depth)) continue;
    out += toml_key(entry.key) + " = ";
    write_value(out, entry.value);
    out += "\n";
  }
  for (const TomlEntry& entry : table) {
    if (!has_heading(entry.value, depth)) continue;
    write_table(out, std::get<TomlTable>(entry.value.data),
                (heading.empty() ? "" : heading + ".") + toml_key(entry.key), depth + 1);
  }
}

bool lists(const TomlArray& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&name](const TomlValue& item) {
    const auto* text = std::get_if<std::string>(&item.data);
    return text != nullptr && *text == name;
  });
}

/// Returns the names of an axis of [workload] if --set gave them.
std::optional<TomlArray> listed_by_set(TomlValue& document, const std::string& axis) {
  TomlValue* workload = table_member(document, "workload");
  const TomlValue* list = workload == nullptr ? nullptr : table_member(*workload, axis);
  if (list == nullptr || list->line != kCommandLine) return std::nullopt;
  const auto* array = std::get_if<TomlArray>(&list->data);
  return array == nullptr ? TomlArray{*list} : *array;
}

void drop_traces(TomlValue& document, const TomlArray& listed) {
  TomlValue* traces = table_member(document, "trace");
  if (traces == nullptr || table_in(*traces) == nullptr) return;
  std::erase_if(*table_in(*traces), [&listed](const TomlEntry& entry) {
    return !has_command_line(entry.value) && !lists(listed, entry.key);
  });
}

/// Removes the names that are not listed from that axis of the system's `only`; returns true if no name is
/// left.
bool drop_names(TomlValue& system, const std::string& axis, const TomlArray& listed) {
  TomlValue* only = table_member(system, "only");
  TomlValue* names = only == nullptr ? nullptr : table_member(*only, axis);
  if (names == nullptr) return false;
  const auto unlisted = [&listed](const TomlValue& name) {
    const auto* text = std::get_if<std::string>(&name.data);
    return text != nullptr && !lists(listed, *text);
  };
  auto* array = std::get_if<TomlArray>(&names->data);
  if (array == nullptr) return unlisted(*names);
  return std::erase_if(*array, unlisted) > 0 && array->empty();
}

void drop_systems(TomlValue& document, const std::string& axis, const TomlArray& listed) {
  TomlValue* systems = table_member(document, "system");
  auto* tables = systems == nullptr ? nullptr : std::get_if<TomlArray>(&systems->data);
  if (tables == nullptr) return;
  TomlArray kept;
  for (TomlValue& system : *tables) {
    if (!drop_names(system, axis, listed)) kept.push_back(std::move(system));
  }
  *tables = std::move(kept);
}

}  // namespace

void apply_override(TomlValue& document, const std::string& override_text) {
  const std::size_t equals = override_text.find('=');
  std::string key = override_text.substr(0, equals);
  while (!key.empty() && key.back() == ' ') key.pop_back();
  if (equals == std::string::npos || key.empty() || key.back() == '.') {
    throw input_error({"--set", 0, ""}, override_text, "KEY=VALUE, such as planner.sizing_factor=2");
  }
  check_key_depth("--set", override_text);
  const InputPlace place{"--set", 0, key};
  if (TomlValue* swept = swept_values(document, key)) {
    *swept = override_value(place, override_text.substr(equals + 1));
    return;
  }
  std::vector<TomlValue*> values = {&document};
  std::istringstream parts(key);
  std::string part;
  while (std::getline(parts, part, '.')) {
    if (part.empty()) throw input_error(place, override_text, "KEY=VALUE with names between the dots");
    values = below(values, key, part, place);
  }
  for (TomlValue* value : values) *value = override_value(place, override_text.substr(equals + 1));
}

std::size_t class_of_part(const InputPlace& place, const std::string& part, std::size_t classes) {
  if (classes == 0) {
    throw input_error(place, "no classes of streams",
                      "a trace with [[trace.NAME.streams]] in the file (a shape that is streams already has "
                      "its classes in a [[sweep]] alone)");
  }
  std::size_t index = 0;
  const char* end = part.data() + part.size();
  const auto [rest, error] = std::from_chars(part.data(), end, index);
  if (error == std::errc() && rest == end && index < classes) return index;
  throw input_error(place, "class '" + part + "'",
                    "trace.NAME.streams.N.KEY, N the place of the class among its [[trace.NAME.streams]]: " +
                        (classes == 1 ? "0" : "0 to " + std::to_string(classes - 1)));
}

void drop_unlisted(TomlValue& document) {
  if (const std::optional<TomlArray> traces = listed_by_set(document, "traces")) {
    drop_traces(document, *traces);
    drop_systems(document, "traces", *traces);
  }
  if (const std::optional<TomlArray> pipelines = listed_by_set(document, "pipelines"))
    drop_systems(document, "pipelines", *pipelines);
}

TomlArray* tables_of(TomlValue& document, const std::string& key) {
  for (TomlEntry& entry : std::get<TomlTable>(document.data)) {
    if (entry.key == key) return std::get_if<TomlArray>(&entry.value.data);
  }
  return nullptr;
}

std::string text_member(const TomlValue& table, const std::string& key) {
  const TomlValue* value = member_of(std::get<TomlTable>(table.data), key);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  return text == nullptr ? "" : *text;
}

std::string to_toml(const TomlValue& document) {
  std::string out;
  write_table(out, std::get<TomlTable>(document.data), "", 0);
  return out;
}

}  // namespace harness
