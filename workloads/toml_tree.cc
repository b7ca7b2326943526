#include "workloads/toml_tree.h"

#include <toml++/toml.h>

#include <cmath>

#include "harness/core/params.h"

namespace harness {
namespace {

TomlValue value_of(const std::string& file, const toml::node& node);

TomlValue table_of(const std::string& file, const toml::table& table) {
  std::vector<TomlEntry> entries;
  for (const auto& [key, node] : table) entries.push_back({std::string(key.str()), value_of(file, node)});
  return {static_cast<int>(table.source().begin.line), std::move(entries)};
}

TomlValue value_of(const std::string& file, const toml::node& node) {
  const int line = static_cast<int>(node.source().begin.line);
  if (const auto* table = node.as_table()) return table_of(file, *table);
  if (const auto* array = node.as_array()) {
    std::vector<TomlValue> values;
    for (const toml::node& element : *array) values.push_back(value_of(file, element));
    return {line, std::move(values)};
  }
  if (const auto* flag = node.as_boolean()) return {line, flag->get()};
  if (const auto* integer = node.as_integer()) return {line, static_cast<double>(integer->get())};
  if (const auto* number = node.as_floating_point()) return {line, number->get()};
  if (const auto* text = node.as_string()) return {line, text->get()};
  throw input_error({file, line, ""}, "a date or time", "booleans, numbers, strings, arrays and tables");
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string kind_of(const TomlValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value.data)) return text_of(*number);
  if (const auto* text = std::get_if<std::string>(&value.data)) return "'" + *text + "'";
  return std::holds_alternative<std::vector<TomlValue>>(value.data) ? "an array" : "a table";
}

std::string in_lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// The known key nearest to `key`, else one that begins with it (slo: slo_ms), or "".
std::string likely_key(const std::string& key, const std::vector<std::string>& known) {
  const std::string lower = in_lower_case(key);
  const std::string near = nearest_name(lower, known);
  if (!near.empty() || lower.empty()) return near;
  for (const std::string& name : known) {
    if (name.starts_with(lower)) return name;
  }
  return "";
}

}  // namespace

void check_key_depth(const std::string& file, std::string_view text) {
  int line = file == "--set" ? 0 : 1;
  int dots = 0;
  char before = 0;  // the last character that is not white
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == ' ' || c == '\t') continue;
    const bool part = c == '"' || c == '\'' || c == '_' || c == '-' || is_letter_or_digit(c);
    if (c == '.') {
      dots = before == '.' ? 0 : dots + 1;
    } else if (!part) {
      dots = 0;
    }
    if (dots >= kMostKeyParts) {
      throw input_error({file, line, ""}, "a dotted key of many parts",
                        "at most " + std::to_string(kMostKeyParts) + " parts");
    }
    before = c;
  }
}

TomlValue parse_toml(const std::string& file, std::string_view text) {
  check_key_depth(file, text);
  try {
    return table_of(file, toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    throw input_error({file, static_cast<int>(error.source().begin.line), ""}, error.description(),
                      "TOML 1.0");
  }
}

TomlFields::TomlFields(std::string file, const TomlValue& table)
    : file_(std::move(file)), table_(&table), entries_(std::get_if<std::vector<TomlEntry>>(&table.data)) {
  HARNESS_CHECK(entries_ != nullptr, "TomlFields needs a table");
}

InputPlace TomlFields::place(const std::string& key) const {
  const TomlValue* value = find(key);
  return {file_, value == nullptr ? table_->line : value->line, key};
}

const TomlValue* TomlFields::find(const std::string& key) const {
  for (const TomlEntry& entry : *entries_) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const TomlValue& TomlFields::get(const std::string& key, const char* allowed) const {
  const TomlValue* value = find(key);
  if (value == nullptr) throw input_error(place(key), "nothing", allowed);
  return *value;
}

void TomlFields::require_known(const std::vector<std::string>& known) const {
  for (const TomlEntry& entry : *entries_) {
    bool found = false;
    for (const std::string& name : known) found = found || name == entry.key;
    if (found) continue;
    const std::string near = likely_key(entry.key, known);
    throw input_error(place(entry.key), "an unknown key",
                      join_names(known) + (near.empty() ? "" : " (did you mean " + near + "?)"));
  }
}

std::string TomlFields::text(const std::string& key) const {
  const TomlValue& value = get(key, "a string");
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) throw input_error(place(key), kind_of(value), "a string");
  if (text->empty()) throw input_error(place(key), "an empty string", "a string that is not empty");
  return *text;
}

std::string TomlFields::text_or(const std::string& key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

double TomlFields::number_of(const TomlValue& value, const std::string& key, double low, double high) const {
  const auto* number = std::get_if<double>(&value.data);
  if (number == nullptr || !(*number >= low && *number <= high)) {
    throw input_error({file_, value.line, key}, kind_of(value),
                      "a number from " + text_of(low) + " to " + text_of(high));
  }
  return *number;
}

double TomlFields::number(const std::string& key, double low, double high) const {
  return number_of(get(key, "a number"), key, low, high);
}

double TomlFields::number_or(const std::string& key, double low, double high, double fallback) const {
  return has(key) ? number(key, low, high) : fallback;
}

bool TomlFields::flag_or(const std::string& key, bool fallback) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return fallback;
  const bool* flag = std::get_if<bool>(&value->data);
  if (flag == nullptr) throw input_error(place(key), "no truth value", "true or false");
  return *flag;
}

int TomlFields::integer(const std::string& key, int low, int high) const {
  const double value = number(key, low, high);
  if (std::floor(value) != value) {
    throw input_error(place(key), text_of(value),
                      "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return static_cast<int>(value);
}

std::vector<std::string> TomlFields::texts(const std::string& key) const {
  const TomlValue& value = get(key, "an array of strings");
  const auto* array = std::get_if<std::vector<TomlValue>>(&value.data);
  if (array == nullptr) throw input_error(place(key), kind_of(value), "an array of strings");
  std::vector<std::string> result;
  for (const TomlValue& element : *array) {
    const auto* text = std::get_if<std::string>(&element.data);
    if (text == nullptr)
      throw input_error({file_, element.line, key}, kind_of(element), "an array of strings");
    result.push_back(*text);
  }
  return result;
}

std::vector<double> TomlFields::numbers(const std::string& key, double low, double high) const {
  const TomlValue& value = get(key, "an array of numbers");
  const auto* array = std::get_if<std::vector<TomlValue>>(&value.data);
  if (array == nullptr) throw input_error(place(key), kind_of(value), "an array of numbers");
  std::vector<double> result;
  for (const TomlValue& element : *array) result.push_back(number_of(element, key, low, high));
  return result;
}

std::vector<TomlFields> TomlFields::tables(const std::string& key) const {
  const std::string allowed = "at least one [[" + key + "]]";
  const TomlValue& value = get(key, allowed.c_str());
  const auto* array = std::get_if<std::vector<TomlValue>>(&value.data);
  if (array == nullptr || array->empty()) throw input_error(place(key), kind_of(value), allowed);
  std::vector<TomlFields> result;
  for (const TomlValue& element : *array) {
    if (!std::holds_alternative<std::vector<TomlEntry>>(element.data)) {
      throw input_error({file_, element.line, key}, kind_of(element), allowed);
    }
    result.emplace_back(file_, element);
  }
  return result;
}

TomlFields TomlFields::table(const std::string& key) const {
  const TomlValue& value = get(key, "a table");
  if (!std::holds_alternative<std::vector<TomlEntry>>(value.data))
    throw input_error(place(key), kind_of(value), "a table");
  return {file_, value};
}

}  // namespace harness
