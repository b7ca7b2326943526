#include "harness/core/input_error.h"

#include <cstddef>

#include "harness/core/printable.h"
#include "harness/core/wording.h"

namespace harness {
namespace {

// Numbers of bytes of a message's parts that are shown. Lists of allowed values have up to 2,000.
constexpr std::size_t kLongestFile = 400;
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kLongestFound = 160;
constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestSentence = 4000;

}  // namespace

InputError input_refusal(const InputPlace& place, std::string_view sentence) {
  std::string line;
  if (!place.file.empty()) line += printable(place.file, kLongestFile) + ":";
  if (place.line > 0) line += std::to_string(place.line) + ":";
  if (!line.empty()) line += " ";
  if (!place.key.empty()) line += printable(place.key, kLongestKey) + ": ";
  return InputError(line + printable(sentence, kLongestSentence));
}

InputError input_error(const InputPlace& place, std::string_view found, std::string_view allowed) {
  if (found == "nothing") return input_refusal(place, "missing; expected " + std::string(allowed));
  const std::string text = "found " + printable(found, kLongestFound);
  return input_refusal(place, allowed.empty() ? text : text + "; allowed: " + std::string(allowed));
}

void throw_unknown(const InputPlace& place, const std::string& what, const std::string& name,
                   const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  throw input_error(place,
                    "unknown " + what + " '" + shortened(name, kLongestName) + "'" +
                        (near.empty() ? "" : ", did you mean '" + near + "'?"),
                    join_names(known));
}

}  // namespace harness
