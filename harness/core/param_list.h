// Parameter structs list their fields once; parsing, help, documentation and recording walk that list.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace harness {

/// A value as written in an experiment file.
using ParamValue = std::variant<bool, double, std::string>;

/// Returns the value as it would be written in TOML, without quotes: "true", "0.1", "early". A number has the
/// shortest form that reads back.
std::string text_of(const ParamValue& value);

struct Param;

/// The list of a struct's parameters. A struct `P` provides `void list(ParamList&)`, which binds each field
/// once. The references that the methods return hold until the next call.
class ParamList {
 public:
  /// Binds a real number within [low, high].
  Param& number(const char* name, double& field, double low, double high, const char* doc);
  /// Binds an integer within [low, high].
  Param& integer(const char* name, int& field, int low, int high, const char* doc);
  Param& flag(const char* name, bool& field, const char* doc);
  /// Binds an enumeration whose values 0, 1, ... have the given names.
  template <class Enum>
  Param& choice(const char* name, Enum& field, std::vector<std::string> names, const char* doc) {
    return add_choice(
        name, [&field] { return static_cast<int>(field); },
        [&field](int value) { field = static_cast<Enum>(value); }, std::move(names), doc);
  }

  const std::vector<Param>& params() const { return params_; }
  /// Moves the parameters to the end of `params`.
  void move_to(std::vector<Param>& params);
  std::vector<std::string> names() const;
  /// Returns the parameter of that name, or null.
  const Param* find(const std::string& name) const;

 private:
  Param& add_choice(const char* name, std::function<int()> get, std::function<void(int)> set,
                    std::vector<std::string> names, const char* doc);
  std::vector<Param> params_;
};

/// One parameter of a struct, bound to the field of one instance.
struct Param {
  std::string name;
  std::string doc;      ///< one line: the parameter's effect, unit and source
  std::string allowed;  ///< allowed values in words: "a number from 0 to 1", "one of early, late"
  std::function<ParamValue()> get;
  /// Sets the field; returns false if the value is not allowed, and leaves the field unchanged then.
  std::function<bool(const ParamValue&)> set;
  std::vector<ParamValue> values = {};  ///< all allowed values of a flag or a choice; else empty
  /// Values worth trying if a paper leaves the parameter open; else empty.
  std::vector<ParamValue> readings = {};

  /// Marks the parameter as a reading of a paper that leaves it open: `harness robust` tries these values or,
  /// without any, all values of a flag or a choice. The system's README names it under its reconstructions.
  void reading(std::vector<ParamValue> worth_trying = {}) {
    readings = worth_trying.empty() ? values : std::move(worth_trying);
  }
};

}  // namespace harness
