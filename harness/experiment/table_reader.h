// Reads the keys of one table of an experiment file; every mistake is an InputError with file, line and key.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/experiment/config_tree.h"
#include "harness/experiment/experiment_spec.h"

namespace harness {

/// One table. The table must outlive it.
class TableReader {
 public:
  /// `path` is the table's dotted name for messages, "" for the top level. Throws when `value` is no table.
  TableReader(std::string file, const TomlValue& value, std::string path);

  const TomlValue* find(const std::string& name) const { return member_of(*value_, name); }
  InputPlace place(const std::string& name) const;
  /// Throws unless every key is one of `known`; `what` calls an unknown one.
  void require_known(const std::vector<std::string>& known, const char* what = "key") const;

  /// A text that is not empty, or nothing when the key is missing.
  std::optional<std::string> text(const std::string& name) const;
  std::optional<bool> flag(const std::string& name) const;
  /// Like texts and numbers below: one value or an array of them, at least one, none twice.
  std::vector<NamedAt> texts(const std::string& name) const;
  /// Numbers within [low, high].
  std::vector<double> numbers(const std::string& name, double low, double high,
                              const std::string& allowed) const;
  /// The tables of an array of tables; none when the key is missing.
  std::vector<TableReader> tables(const std::string& name) const;
  /// Every value below this table as assignments: `prefix` + "." + its dotted name. Without the key `except`.
  std::vector<Assignment> assignments(const std::string& prefix, const std::string& except = "") const;
  /// The values of an array that is a sweep's axis.
  std::vector<ParamValue> values(const std::string& name) const;

  const std::string& path() const { return path_; }
  const std::string& file() const { return file_; }
  const TomlTable& entries() const { return std::get<TomlTable>(value_->data); }

 private:
  std::string dotted(const std::string& name) const;
  std::vector<const TomlValue*> items(const std::string& name, const std::string& allowed) const;
  void collect(const TomlTable& table, const std::string& prefix, std::vector<Assignment>& out) const;

  std::string file_;
  const TomlValue* value_;
  std::string path_;
};

}  // namespace harness
