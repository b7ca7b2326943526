#include "harness/gpu/device/device_spec.h"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "harness/core/input_error.h"

namespace harness {

DeviceSpec parse_device(const std::string& text, const std::string& key) {
  DeviceSpec spec;
  const std::size_t colon = text.find(':');
  spec.kind = text.substr(0, colon);
  bool good = spec.kind == "cpu" || spec.kind == "null" || spec.kind == "cuda";
  if (colon != std::string::npos) {
    const char* begin = text.data() + colon + 1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, spec.index);
    good = good && spec.kind == "cuda" && error == std::errc() && stop == end && spec.index >= 0;
  }
  if (!good) throw input_error({"", 0, key}, "'" + text + "'", "cpu, cuda:N (N = 0, 1, ...) or null");
  return spec;
}

}  // namespace harness
