#include "harness/text/json.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "harness/core/printable.h"

namespace harness {

std::string json_of(const std::string& text) {
  std::string quoted = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t bytes = printable_bytes(rest);
    if (bytes > 0) {
      if (rest[0] == '"' || rest[0] == '\\') quoted += '\\';
      quoted += rest.substr(0, bytes);
    } else {
      // One of the control characters that UTF-8 has in two bytes, in one, or no UTF-8 at all.
      const bool is_c1 = rest[0] == '\xc2' && rest.size() > 1 && (rest[1] & 0xe0) == 0x80;
      bytes = is_c1 ? 2 : 1;
      const auto code = static_cast<unsigned char>(rest[bytes - 1]);
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", is_c1 || code < 0x80 ? code : 0xfffdU);
      quoted += escaped;
    }
    rest.remove_prefix(bytes);
  }
  return quoted + "\"";
}

std::string json_of(double value) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string json_lines(const std::vector<Json>& values) {
  std::string lines;
  for (const Json& value : values) lines += (lines.empty() ? "\n  " : ",\n  ") + value.text;
  return "[" + lines + (values.empty() ? "]" : "\n]");
}

Json JsonObject::json(const char* separator) const {
  std::string text = "{";
  for (const std::string& member : members_) text += (&member == members_.data() ? "" : separator) + member;
  return {text + "}"};
}

}  // namespace harness
