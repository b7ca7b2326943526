#include "harness/gpu/device/device_spec.h"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "harness/core/input_error.h"

namespace harness {

DeviceSpec parse_device(const std::string& text, const std::string& key) {
  DeviceSpec spec;
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::optional<DeviceKind> kind = kind_of_device(name);
  bool good = kind && name == name_of(*kind);
  if (good) spec.kind = *kind;
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, spec.index);
    good = good && traits_of(*kind).needs_gpu && error == std::errc() && stop == end && spec.index >= 0;
  }
  if (!good) throw input_error({"", 0, key}, "'" + text + "'", text_of_device_forms(":N (N = 0, 1, ...)"));
  return spec;
}

}  // namespace harness
