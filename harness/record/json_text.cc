#include "harness/record/json_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace harness {

std::string json_of(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      quoted += c;
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
    quoted += escaped;
  }
  return quoted + "\"";
}

std::string json_of(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

Json JsonObject::json(const char* separator) const {
  std::string text = "{";
  for (const std::string& member : members_) text += (&member == members_.data() ? "" : separator) + member;
  return {text + "}"};
}

}  // namespace harness
