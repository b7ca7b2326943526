// A TOML document as plain values with line numbers, for the small files under workloads/.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/error.h"

namespace harness {

struct TomlEntry;

/// A value and the line it stands on. Integers are doubles; dates are not supported.
struct TomlValue {
  int line = 0;
  std::variant<bool, double, std::string, std::vector<TomlValue>, std::vector<TomlEntry>> data;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// No dotted key may have more parts: TOML readers nest a table in a table for each, and a file could exhaust
/// the stack.
inline constexpr int kMostKeyParts = 64;

/// Throws InputError when a line of `text` has a dotted key of more than kMostKeyParts parts.
void check_key_depth(const std::string& file, std::string_view text);

/// Parses a document; the result's data is its table. Throws InputError with the line of a syntax error or of
/// a key that is too deep.
TomlValue parse_toml(const std::string& file, std::string_view text);

/// Reads the fields of one table. Every mistake throws an InputError with file, line and key.
class TomlFields {
 public:
  /// `table` must hold a table and outlive this.
  TomlFields(std::string file, const TomlValue& table);

  /// Throws unless every key is one of `known`; names the nearest.
  void require_known(const std::vector<std::string>& known) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// The string, not empty.
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& fallback) const;
  /// The finite number within [low, high].
  double number(const std::string& key, double low, double high) const;
  double number_or(const std::string& key, double low, double high, double fallback) const;
  bool flag_or(const std::string& key, bool fallback) const;
  int integer(const std::string& key, int low, int high) const;
  std::vector<std::string> texts(const std::string& key) const;
  std::vector<double> numbers(const std::string& key, double low, double high) const;
  /// The tables of an array of tables, at least one.
  std::vector<TomlFields> tables(const std::string& key) const;
  /// The table of that key.
  TomlFields table(const std::string& key) const;
  /// Where a key (or, with "", the table) stands.
  InputPlace place(const std::string& key) const;

 private:
  const TomlValue* find(const std::string& key) const;
  const TomlValue& get(const std::string& key, const char* allowed) const;
  double number_of(const TomlValue& value, const std::string& key, double low, double high) const;

  std::string file_;
  const TomlValue* table_;
  const std::vector<TomlEntry>* entries_;
};

}  // namespace harness
