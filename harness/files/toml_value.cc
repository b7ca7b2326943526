#include "harness/files/toml_value.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>

#include "harness/files/text_lines.h"

namespace harness {
namespace {

TomlValue value_of(const std::string& file, const toml::node& node, const std::string& path);

double exact(const InputPlace& place, std::int64_t integer) {
  constexpr double kTooLarge = 9223372036854775808.0;  // 2^63, to which the largest would be rounded
  const auto number = static_cast<double>(integer);
  if (number < kTooLarge && static_cast<std::int64_t>(number) == integer) return number;
  throw InexactInteger(place, std::to_string(integer));
}

TomlValue table_of(const std::string& file, const toml::table& table, const std::string& path) {
  TomlTable entries;
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    entries.push_back({key, value_of(file, node, path.empty() ? key : path + "." + key)});
  }
  return {static_cast<int>(table.source().begin.line), std::move(entries)};
}

TomlValue value_of(const std::string& file, const toml::node& node, const std::string& path) {
  const int line = static_cast<int>(node.source().begin.line);
  if (const auto* table = node.as_table()) return table_of(file, *table, path);
  if (const auto* array = node.as_array()) {
    TomlArray values;
    for (const toml::node& element : *array) values.push_back(value_of(file, element, path));
    return {line, std::move(values)};
  }
  if (const auto* flag = node.as_boolean()) return {line, flag->get()};
  if (const auto* integer = node.as_integer()) return {line, exact({file, line, path}, integer->get())};
  if (const auto* number = node.as_floating_point()) return {line, number->get()};
  if (const auto* text = node.as_string()) return {line, text->get()};
  throw input_error({file, line, ""}, "a date or time", "booleans, numbers, strings, arrays and tables");
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr const char* kDigits = "0123456789ABCDEF";
      out += std::string("\\u00") + kDigits[byte >> 4] + kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
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
    if (dots >= kMaxKeyParts) {
      throw input_error({file, line, ""}, "a dotted key of many parts",
                        "at most " + std::to_string(kMaxKeyParts) + " parts");
    }
    before = c;
  }
}

TomlValue parse_toml(const std::string& file, std::string_view bytes) {
  const std::string_view text = plain_text(file, bytes);
  check_key_depth(file, text);
  try {
    return table_of(file, toml::parse(text, file), "");
  } catch (const toml::parse_error& error) {
    throw input_error({file, static_cast<int>(error.source().begin.line), ""}, error.description(),
                      "TOML 1.0");
  }
}

const TomlValue* member_of(const TomlTable& table, const std::string& name) {
  for (const TomlEntry& entry : table) {
    if (entry.key == name) return &entry.value;
  }
  return nullptr;
}

InputPlace place_of(const std::string& file, const TomlValue& value, std::string key) {
  if (value.line == kCommandLine) return {"--set", 0, std::move(key)};
  return {file, value.line, std::move(key)};
}

std::string describe(const TomlValue& value) {
  ParamValue param;
  if (to_param_value(value, param)) return toml_text(param);
  if (const auto* array = std::get_if<TomlArray>(&value.data))
    return array->empty() ? "an empty array" : "an array";
  return "a table";
}

bool to_param_value(const TomlValue& value, ParamValue& param) {
  if (const bool* flag = std::get_if<bool>(&value.data))
    param = *flag;
  else if (const double* number = std::get_if<double>(&value.data))
    param = *number;
  else if (const std::string* text = std::get_if<std::string>(&value.data))
    param = *text;
  else
    return false;
  return true;
}

bool is_bare(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [more](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '-' || more.find(c) != std::string_view::npos;
  });
}

std::string toml_key(const std::string& key) { return is_bare(key) ? key : toml_string(key); }

std::string toml_text(const ParamValue& value) {
  if (const std::string* text = std::get_if<std::string>(&value)) return toml_string(*text);
  return text_of(value);
}

}  // namespace harness
