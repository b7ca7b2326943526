// Texts, numbers, lists and objects as JSON.
#pragma once

#include <concepts>
#include <string>
#include <vector>

namespace harness {

/// A text that is JSON already.
struct Json {
  std::string text;
};

inline std::string json_of(const Json& json) { return json.text; }
/// Returns the text in quotes, with '"', '\' and control characters escaped.
std::string json_of(const std::string& text);
/// Returns the shortest form that reads back to the same value; null for NaN, which means no value, and the
/// text "inf" or "-inf" for infinities, for which JSON has no number.
std::string json_of(double value);
/// Returns true or false, or a whole number.
template <std::integral Value>
std::string json_of(Value value) {
  if constexpr (std::same_as<Value, bool>)
    return value ? "true" : "false";
  else
    return std::to_string(value);
}
/// Returns an array on one line.
template <class Value>
std::string json_of(const std::vector<Value>& values) {
  std::string list;
  for (const Value& value : values) list += (list.empty() ? "" : ", ") + json_of(value);
  return "[" + list + "]";
}

/// Returns an array with a line for each value.
std::string json_lines(const std::vector<Json>& values);

/// An object, with its members in the order in which they were added.
class JsonObject {
 public:
  template <class Value>
  void add(const std::string& name, const Value& value) {
    members_.push_back(json_of(name) + ": " + json_of(value));
  }
  Json json(const char* separator = ", ") const;

 private:
  std::vector<std::string> members_;
};

}  // namespace harness
