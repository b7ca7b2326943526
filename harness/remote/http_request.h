// A request over HTTP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/remote/http_headers.h"

namespace harness {

enum class HttpMethod : std::uint8_t { kGet, kPost };

/// A request to a server. Many requests may share one body and one list of headers; neither is copied.
struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  std::string url;                             ///< begins with http:// or https://
  std::shared_ptr<const std::string> body;     ///< bytes that a POST sends; null: no bytes
  std::shared_ptr<const HttpHeaders> headers;  ///< further headers, such as Content-Type; null: no others
  /// Longest time from HttpClient::start() to the end; 0: no limit. Transfers that wait inside for a
  /// connection end in their order, so that one with a shorter limit may wait longer than that.
  std::int64_t timeout_ms = 0;
};

}  // namespace harness
