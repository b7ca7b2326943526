#include "harness/core/printable.h"

#include <cstdint>

namespace harness {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// True if the code point shows itself: it is no control character, no line or paragraph separator, no
/// byte-order mark, and does not change the direction of text.
bool is_visible(std::uint32_t code) {
  return code >= 0x20 && (code < 0x7f || code > 0x9f) && code != 0x61c && (code < 0x200b || code > 0x200f) &&
         (code < 0x2028 || code > 0x202e) && (code < 0x2060 || code > 0x2069) && code != 0xfeff;
}

}  // namespace

std::size_t printable_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  // By size; smaller codes are written longer than needed.
  constexpr std::uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::uint32_t kMax = 0x10ffff;
  std::uint32_t code = size == 1 ? lead : lead & (0x7fU >> size);
  if ((lead >= 0x80 && lead < 0xc0) || lead >= 0xf8 || size > text.size()) return 0;
  for (const char c : text.substr(1, size - 1)) {
    if (!continues(c)) return 0;
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= kMin[size] && code <= kMax && !surrogate && is_visible(code) ? size : 0;
}

std::string printable(std::string_view text, std::size_t longest) {
  const std::string kept = shortened(text, longest);
  std::string shown;
  for (std::string_view rest = kept; !rest.empty();) {
    if (const std::size_t size = printable_bytes(rest); size > 0) {
      shown += rest.substr(0, size);
      rest.remove_prefix(size);
    } else {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(rest.front());
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      rest.remove_prefix(1);
    }
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    shown += printable(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return shown + printable(text);
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t head = longest - longest / 3;
  std::size_t tail = text.size() - longest / 3;
  while (head > 0 && continues(text[head])) --head;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

}  // namespace harness
