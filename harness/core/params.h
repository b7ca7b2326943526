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

/// "true", "0.1", "early": as it would be written in TOML, without quotes. Numbers in the shortest form that
/// reads back.
std::string text_of(const ParamValue& value);

/// One parameter of a struct, bound to the field of one instance.
struct Param {
  std::string name;
  std::string doc;      ///< one line: what it does, its unit, its source
  std::string allowed;  ///< e.g. "a number from 0 to 1", "one of early, late"
  std::function<ParamValue()> get;
  std::function<bool(const ParamValue&)>
      set;                              ///< false when the value is not allowed; the field is then unchanged
  std::vector<ParamValue> values = {};  ///< of a flag or a choice: all that are allowed
  std::vector<ParamValue> readings = {};  ///< those worth trying where a paper leaves this open; else empty

  /// Marks it as a reading of a paper that leaves it open: `harness robust` tries these values, without any
  /// all of a flag or a choice. The system's README names it under its reconstructions.
  void reading(std::vector<ParamValue> worth_trying = {}) {
    readings = worth_trying.empty() ? values : std::move(worth_trying);
  }
};

/// The list of a struct's parameters. A struct `P` provides `void list(ParamList&)`, which binds each field
/// once. What each method returns holds until the next call.
class ParamList {
 public:
  /// A real number within [low, high].
  Param& number(const char* name, double& field, double low, double high, const char* doc);
  /// An integer within [low, high].
  Param& integer(const char* name, int& field, int low, int high, const char* doc);
  Param& flag(const char* name, bool& field, const char* doc);
  /// An enumeration whose values 0, 1, ... have the given names.
  template <class Enum>
  Param& choice(const char* name, Enum& field, std::vector<std::string> names, const char* doc) {
    return add_choice(
        name, [&field] { return static_cast<int>(field); },
        [&field](int value) { field = static_cast<Enum>(value); }, std::move(names), doc);
  }

  const std::vector<Param>& params() const { return params_; }
  /// Moves them to the end of `params`.
  void move_to(std::vector<Param>& params);
  std::vector<std::string> names() const;
  /// The parameter of that name, or null.
  const Param* find(const std::string& name) const;

 private:
  Param& add_choice(const char* name, std::function<int()> get, std::function<void(int)> set,
                    std::vector<std::string> names, const char* doc);
  std::vector<Param> params_;
};

}  // namespace harness
