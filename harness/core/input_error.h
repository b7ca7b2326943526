// Bad input: the error, and the one line that names its place, what was found and what is allowed.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// Bad input: what() is one line "FILE:LINE: KEY: found X; allowed: Y". The program exits with 2 and has
/// written nothing.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The place of an input, for messages. `line` 0 means unknown and is left out, as are empty parts.
struct InputPlace {
  std::string file;
  int line = 0;
  std::string key;
};

/// Makes the line "FILE:LINE: KEY: SENTENCE", for a fault that does not lie in the value of a key. All of it
/// is printable and of a bounded length, whatever the input was.
InputError input_refusal(const InputPlace& place, std::string_view sentence);
/// Makes the one clear line of an InputError. If `found` is "nothing", it says "missing; expected ALLOWED". A
/// long `found` is shown by its beginning and its end.
InputError input_error(const InputPlace& place, std::string_view found, std::string_view allowed);

/// Throws the InputError of a name that is not in `known`, with the nearest known name. `what` says what the
/// name should denote.
[[noreturn]] void throw_unknown(const InputPlace& place, const std::string& what, const std::string& name,
                                const std::vector<std::string>& known);

}  // namespace harness
