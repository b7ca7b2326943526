#include "harness/remote/http_headers.h"

#include <curl/curl.h>

#include <cstdlib>
#include <new>

#include "harness/core/input_error.h"

namespace harness {
namespace {

/// True if the text is a header's name (RFC 9110: a token).
bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

/// True if the text is a header's value: no control character, which could begin another header.
bool is_value(std::string_view text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return false;
  }
  return text.find_first_not_of(" \t") != std::string_view::npos;
}

void check_line(std::string_view line, std::size_t number, std::string_view source) {
  const std::size_t colon = line.find(':');
  const InputPlace place{std::string(source), static_cast<int>(number), ""};
  if (colon == std::string_view::npos || !is_name(line.substr(0, colon))) {
    throw input_refusal(place, "no header (its text is not shown); allowed: NAME: VALUE");
  }
  if (!is_value(line.substr(colon + 1))) {
    throw input_refusal(place, "the value of '" + std::string(line.substr(0, colon)) +
                                   "' is empty or has control characters (it is not shown)");
  }
}

}  // namespace

HttpHeaders::HttpHeaders(const std::vector<std::string>& lines, std::string_view source) {
  for (std::size_t i = 0; i < lines.size(); ++i) check_line(lines[i], i + 1, source);
  // Without it a large body waits up to a second for the server's leave to be sent.
  list_ = curl_slist_append(nullptr, "Expect:");
  for (const std::string& line : lines) {
    curl_slist* longer = list_ == nullptr ? nullptr : curl_slist_append(list_, line.c_str());
    if (longer == nullptr) curl_slist_free_all(list_);
    list_ = longer;
  }
  if (list_ == nullptr) throw std::bad_alloc();
}

HttpHeaders::~HttpHeaders() { curl_slist_free_all(list_); }

std::vector<std::string> headers_from_environment() {
  const char* given = std::getenv(kHeadersVariable);
  std::vector<std::string> lines;
  std::size_t number = 0;
  for (std::string_view rest = given == nullptr ? "" : given; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    check_line(line, number, kHeadersVariable);
    lines.emplace_back(line);
  }
  return lines;
}

std::shared_ptr<const HttpHeaders> server_headers(const std::string& content_type) {
  std::vector<std::string> lines = headers_from_environment();
  lines.push_back("Content-Type: " + content_type);
  return std::make_shared<const HttpHeaders>(lines, "HARNESS_SERVER_HEADERS and the content type");
}

}  // namespace harness
