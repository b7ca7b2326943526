// Number formats of models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace harness {

/// The number format in which a model computes, for its weights and for what its layers hand on.
enum class Precision : std::uint8_t { kFp32, kFp16, kBf16 };
inline constexpr std::array<const char*, 3> kPrecisions = {"fp32", "fp16", "bf16"};
constexpr const char* name_of(Precision precision) {
  return kPrecisions[static_cast<std::size_t>(precision)];
}
/// Returns the precision of that name; nothing if no precision has that name.
std::optional<Precision> precision_of(std::string_view name);

}  // namespace harness
