// A TOML document as plain values that know their lines: experiment files, and the small files under
// workloads/.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"

namespace harness {

struct TomlEntry;
struct TomlValue;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;  ///< entries in rising order of their keys

/// A value and its line. Integers are doubles, and are refused if that would round them; dates are not
/// supported.
struct TomlValue {
  int line = 0;
  std::variant<bool, double, std::string, TomlArray, TomlTable> data;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// The line of values that came by --set.
inline constexpr int kCommandLine = -1;

/// The largest number of parts of a dotted key: TOML readers nest a table in a table for each, and a file
/// could exhaust the stack.
inline constexpr int kMaxKeyParts = 64;

/// Throws InputError if a line of `text` has a dotted key of more than kMaxKeyParts parts.
void check_key_depth(const std::string& file, std::string_view text);

/// The error for an integer that a double cannot hold. Such a text must not be read as anything else.
class InexactInteger : public InputError {
 public:
  static constexpr const char* kAllowed = "integers from -2^53 to 2^53: larger ones would be rounded";
  InexactInteger(const InputPlace& place, std::string_view found)
      : InputError(input_error(place, found, kAllowed)) {}
};

/// Parses a document; the result's data is its table.
/// Throws InputError with the line of a syntax error, of a key that is too deep or of an InexactInteger.
TomlValue parse_toml(const std::string& file, std::string_view bytes);

/// Returns the member of that name of a table, or null.
const TomlValue* member_of(const TomlTable& table, const std::string& name);
/// Returns the place of a value: in `file`, or in --set.
InputPlace place_of(const std::string& file, const TomlValue& value, std::string key);
/// Returns a value as messages say it: `"late"`, `3`, `an empty array`.
std::string describe(const TomlValue& value);
/// Converts the value to a parameter's. Returns false for arrays and tables.
bool to_param_value(const TomlValue& value, ParamValue& param);

/// True if it can be a key without quotes; characters of `more` are allowed too.
bool is_bare(std::string_view text, std::string_view more = "");
/// Returns a key as it must be written in TOML: bare or quoted.
std::string toml_key(const std::string& key);
/// Returns a parameter's value as TOML.
std::string toml_text(const ParamValue& value);

}  // namespace harness
