// Reads the keys of one table of a TOML file; every mistake is an InputError with file, line and key.
#pragma once

#include <string>
#include <vector>

#include "workloads/files/toml_tree.h"

namespace harness {

/// A name in an axis, and where it was written.
struct NamedAt {
  std::string name;
  InputPlace place;
};

/// A value for a dotted key ("serving.commit", "pard.lambda") and where it was written.
struct Assignment {
  std::string key;
  ParamValue value;
  InputPlace place;
};

/// One table.
class TableReader {
 public:
  /// `value` must outlive this. `path` is the table's dotted name for messages, "" for the top level. Throws
  /// when `value` is no table.
  TableReader(std::string file, const TomlValue& value, std::string path = "");

  const TomlValue* find(const std::string& key) const { return member_of(entries(), key); }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// Where a key (or, when it is missing, the table) stands.
  InputPlace place(const std::string& key) const;
  /// Throws unless every key is one of `known`.
  void require_known(const std::vector<std::string>& known) const;

  // Values of keys. Without a fallback the key must be there.
  /// The string, not empty.
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& fallback) const;
  bool flag_or(const std::string& key, bool fallback) const;
  /// The number within [low, high]. `allowed` says that otherwise than by these limits.
  double number(const std::string& key, double low, double high, const std::string& allowed = "") const;
  double number_or(const std::string& key, double low, double high, double fallback) const;
  int integer(const std::string& key, int low, int high) const;
  ParamValue value(const std::string& key, const std::string& allowed) const;
  /// The elements of an array; it may be empty.
  std::vector<std::string> texts(const std::string& key) const;
  std::vector<double> numbers(const std::string& key, double low, double high) const;

  // Axes: one value or an array, with at least one, none twice. Empty when the key is missing.
  std::vector<NamedAt> text_axis(const std::string& key) const;
  std::vector<double> number_axis(const std::string& key, double low, double high,
                                  const std::string& allowed) const;
  std::vector<ParamValue> value_axis(const std::string& key) const;

  /// The table of that key.
  TableReader table(const std::string& key) const;
  /// The tables of an array of tables, at least one; none when the key is missing.
  std::vector<TableReader> tables(const std::string& key) const;
  /// The same, with at least one.
  std::vector<TableReader> some_tables(const std::string& key) const;
  /// Every value below this table as assignments: `prefix` + "." + its dotted name. Without the key `except`.
  std::vector<Assignment> assignments(const std::string& prefix, const std::string& except = "") const;

  const std::string& path() const { return path_; }
  const std::string& file() const { return file_; }
  const TomlTable& entries() const { return std::get<TomlTable>(value_->data); }

 private:
  std::string dotted(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  InputPlace at(const std::string& key, const TomlValue& item) const {
    return place_of(file_, item, dotted(key));
  }
  /// The key's value as a `Type`. Throws when it is missing or another.
  template <class Type>
  const Type& get(const std::string& key, const std::string& allowed) const;
  /// The element as a `Type`.
  template <class Type>
  const Type& as(const std::string& key, const TomlValue& item, const std::string& allowed) const;
  double number_in(const std::string& key, const TomlValue& item, double low, double high,
                   const std::string& allowed) const;
  std::string text_in(const std::string& key, const TomlValue& item, const std::string& allowed) const;
  std::vector<const TomlValue*> axis(const std::string& key, const std::string& allowed) const;

  std::string file_;
  const TomlValue* value_;
  std::string path_;
};

}  // namespace harness
