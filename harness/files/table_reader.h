// Reads the keys of one table of a TOML file; every mistake is an InputError with file, line and key.
#pragma once

#include <string>
#include <vector>

#include "harness/files/toml_value.h"

namespace harness {

struct Assignment;

/// Reads one table.
class TableReader {
 public:
  /// `value` must outlive this. `path` is the table's dotted name for messages, "" for the top level. Throws
  /// if `value` is no table.
  TableReader(std::string file, const TomlValue& value, std::string path = "");

  const TomlValue* find(const std::string& key) const { return member_of(entries(), key); }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// Returns the place of a key, or of the table if the key is missing.
  InputPlace place(const std::string& key) const;
  /// Throws unless every key is one of `known`.
  void require_known(const std::vector<std::string>& known) const;
  /// Reads the table through its declarations: every key must be one of them or of `more`, and the ones that
  /// are needed must be there. Leaves out `more` and keys without a field.
  void read(const ParamList& list, const std::vector<std::string>& more = {}) const;
  /// Returns a struct with the values of the table, read through what it lists.
  template <class Listed>
  Listed read_as() const {
    Listed listed;
    ParamList list;
    listed.list(list);
    read(list);
    return listed;
  }

  // The functions that follow return values of keys. Without a fallback the key must be there.
  /// Returns a string, which must not be empty.
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& fallback) const;
  bool flag_or(const std::string& key, bool fallback) const;
  /// Returns the number, which must be within [low, high]. `allowed` replaces these limits in messages.
  double number(const std::string& key, double low, double high, const std::string& allowed = "") const;
  double number_or(const std::string& key, double low, double high, double fallback) const;
  int integer(const std::string& key, int low, int high) const;
  ParamValue value(const std::string& key, const std::string& allowed) const;
  /// Returns the elements of an array; it may be empty.
  std::vector<std::string> texts(const std::string& key) const;

  // Axes: one value or an array, with at least one value and no value twice. Empty if the key is missing.
  std::vector<NamedAt> text_axis(const std::string& key) const;
  std::vector<double> number_axis(const std::string& key, double low, double high,
                                  const std::string& allowed) const;
  std::vector<ParamValue> value_axis(const std::string& key) const;

  /// Returns a reader of the key's table.
  TableReader table(const std::string& key) const;
  /// Returns readers of an array of tables with at least one table; empty if the key is missing.
  std::vector<TableReader> tables(const std::string& key) const;
  /// Returns the same, but the key must be there.
  std::vector<TableReader> some_tables(const std::string& key) const;
  /// Returns every value below this table as assignments: `prefix` + "." + its dotted name. Leaves out the
  /// key `except`.
  std::vector<Assignment> assignments(const std::string& prefix, const std::string& except = "") const;

  const std::string& path() const { return path_; }
  const std::string& file() const { return file_; }
  const TomlTable& entries() const { return std::get<TomlTable>(value_->data); }

 private:
  std::string dotted(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  InputPlace at(const std::string& key, const TomlValue& item) const {
    return place_of(file_, item, dotted(key));
  }
  /// Returns the key's value as a `Type`. Throws if it is missing or has another type.
  template <class Type>
  const Type& get(const std::string& key, const std::string& allowed) const;
  /// Returns the element as a `Type`. Throws if it has another type.
  template <class Type>
  const Type& as(const std::string& key, const TomlValue& item, const std::string& allowed) const;
  double number_in(const std::string& key, const TomlValue& item, double low, double high,
                   const std::string& allowed) const;
  std::string text_in(const std::string& key, const TomlValue& item, const std::string& allowed) const;
  std::vector<const TomlValue*> axis(const std::string& key, const std::string& allowed) const;
  void read_value(const Param& param, const TomlValue& found) const;

  std::string file_;
  const TomlValue* value_;
  std::string path_;
};

/// A value for a dotted key ("serving.commit", "pard.lambda") and the place at which it was written.
struct Assignment {
  std::string key;
  ParamValue value;
  InputPlace place;
};

}  // namespace harness
