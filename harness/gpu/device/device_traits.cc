#include "harness/gpu/device/device_traits.h"

#include <iterator>

namespace harness {
namespace {

std::vector<std::string> kinds_that(bool DeviceTraits::*trait, bool has) {
  std::vector<std::string> names;
  for (const DeviceTraits& kind : kDeviceKinds) {
    if (kind.*trait == has) names.emplace_back(kind.name);
  }
  return names;
}

/// Returns "a, b" + `last` + "c" of the kinds' texts.
template <class TextOf>
std::string joined_kinds(const char* last, TextOf text_of) {
  std::string text;
  for (const DeviceTraits& kind : kDeviceKinds) {
    if (!text.empty()) text += &kind == std::end(kDeviceKinds) - 1 ? last : ", ";
    text += text_of(kind);
  }
  return text;
}

}  // namespace

std::optional<DeviceKind> kind_of_device(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kDeviceKinds); ++i) {
    if (name.starts_with(kDeviceKinds[i].name)) return static_cast<DeviceKind>(i);
  }
  return std::nullopt;
}

std::vector<std::string> device_kinds() {
  std::vector<std::string> names;
  for (const DeviceTraits& kind : kDeviceKinds) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> device_kinds_with(bool DeviceTraits::*trait) { return kinds_that(trait, true); }
std::vector<std::string> device_kinds_without(bool DeviceTraits::*trait) { return kinds_that(trait, false); }

std::string text_of_device_kinds() {
  return joined_kinds(", or ", [](const DeviceTraits& kind) { return kind.description; });
}

std::string text_of_device_forms(const std::string& number) {
  return joined_kinds(" or ",
                      [&](const DeviceTraits& kind) { return kind.name + (kind.needs_gpu ? number : ""); });
}

}  // namespace harness
