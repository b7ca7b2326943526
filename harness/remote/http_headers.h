// The headers that a user wants in every request to a server, such as a token.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct curl_slist;

namespace harness {

/// A list of headers, checked once and shared by all requests that send it. Values may be secret: no message
/// shows them. After its construction it may be read on any thread.
class HttpHeaders {
 public:
  /// Takes lines "Name: value". Throws InputError, which names `source` and the number of the line, if a line
  /// has another form.
  explicit HttpHeaders(const std::vector<std::string>& lines, std::string_view source = "headers");
  ~HttpHeaders();
  HttpHeaders(const HttpHeaders&) = delete;
  HttpHeaders& operator=(const HttpHeaders&) = delete;

  /// Returns the list in libcurl's form; this object owns it.
  curl_slist* list() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

inline constexpr const char* kHeadersVariable = "HARNESS_SERVER_HEADERS";

/// Returns the lines of that environment variable, each "Name: value", without empty
/// ones. Throws InputError, without the value, if a line has another form.
std::vector<std::string> headers_from_environment();

/// Returns these headers and the type of the bodies that are sent. Throws InputError as both above do.
std::shared_ptr<const HttpHeaders> server_headers(const std::string& content_type);

}  // namespace harness
