#include "harness/experiment/running/experiment_part.h"

#include <charconv>
#include <system_error>

#include "harness/core/input_error.h"

namespace harness {

ExperimentPart parse_part(const std::string& text) {
  constexpr std::uint32_t kMax = 1'000'000;
  ExperimentPart part;
  const char* const end = text.data() + text.size();
  const auto [slash, fault] = std::from_chars(text.data(), end, part.number);
  const bool has_slash = fault == std::errc() && slash != end && *slash == '/';
  const auto [rest, other_fault] =
      has_slash ? std::from_chars(slash + 1, end, part.of) : std::from_chars_result{slash, fault};
  if (!has_slash || other_fault != std::errc() || rest != end || part.of > kMax || part.number < 1 ||
      part.number > part.of)
    throw input_error({"", 0, "--part"}, text,
                      "K/N: the K-th of N parts, K from 1 to N, N at most 1,000,000, such as 3/100");
  return part;
}

}  // namespace harness
