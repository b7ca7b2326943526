// A TOML document as plain values that know where they stand: experiment files, and the small files under
// workloads/.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"

namespace harness {

struct TomlEntry;
struct TomlValue;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;  ///< by key, in rising order

/// A value and the line it stands on. Integers are doubles, and refused where that would round them; dates
/// are not supported.
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

/// No dotted key may have more parts: TOML readers nest a table in a table for each, and a file could exhaust
/// the stack.
inline constexpr int kMaxKeyParts = 64;

/// Throws InputError when a line of `text` has a dotted key of more than kMaxKeyParts parts.
void check_key_depth(const std::string& file, std::string_view text);

/// An integer that a double does not hold: nothing may be made of it instead.
class InexactInteger : public InputError {
 public:
  static constexpr const char* kAllowed = "integers from -2^53 to 2^53: larger ones would be rounded";
  InexactInteger(const InputPlace& place, std::string_view found)
      : InputError(input_error(place, found, kAllowed)) {}
};

/// Parses a document; the result's data is its table. Keys have the names that they have today (renamed.h).
/// Throws InputError with the line of a syntax error, of a key that is too deep or of an InexactInteger.
TomlValue parse_toml(const std::string& file, std::string_view bytes);

/// The member of that name of a table, or null.
const TomlValue* member_of(const TomlTable& table, const std::string& name);
/// Where a value stands: in `file`, or in --set.
InputPlace place_of(const std::string& file, const TomlValue& value, std::string key);
/// What a value is, for messages: `"late"`, `3`, `an empty array`.
std::string describe(const TomlValue& value);
/// The value as a parameter's; false for arrays and tables.
bool to_param_value(const TomlValue& value, ParamValue& param);

/// Whether it can be a key without quotes, but for characters of `more`.
bool is_bare(std::string_view text, std::string_view more = "");
/// A key as it must be written in TOML: bare or quoted.
std::string toml_key(const std::string& key);
/// A parameter's value as TOML.
std::string toml_text(const ParamValue& value);

}  // namespace harness
