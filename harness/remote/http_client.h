// An HTTP client for load: many transfers under way at once, driven by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/types.h"
#include "harness/remote/http_end.h"
#include "harness/remote/http_request.h"

namespace harness {

/// Throws InputError, which does not show the URL, unless it is http or https, can be read, and has neither a
/// user nor a password.
void check_http_url(const std::string& url, const InputPlace& place = {});

/// Sends requests over HTTP/1.1 and keeps its connections for later requests. It follows no redirects and
/// uses no proxy. Used by one thread; only wait() waits. A transfer that was started ends exactly once,
/// unless the client is destroyed before. A request that found its kept connection closed, before any byte of
/// an answer, is sent again on a new connection. The first client initialises libcurl.
class HttpClient {
 public:
  struct Options {
    /// The most transfers under way, and so connections, at once; 0: no limit. Further transfers wait inside.
    std::size_t connections = 0;
    std::size_t kept_bytes = std::size_t{1} << 20;      ///< number of bytes of an answer that are kept
    std::size_t largest_bytes = std::size_t{64} << 20;  ///< a larger answer ends its transfer: kTooLarge
  };

  /// Raises the process's limit of open files if that many connections need it. Throws EnvironmentError if
  /// the system does not allow them or has no more memory.
  explicit HttpClient(const Options& options);
  HttpClient();
  /// Closes all connections; transfers under way are dropped.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Begins a transfer; its end will carry `tag`. If a kept connection is free the request is sent at once.
  /// Throws what check_http_url() throws, and starts nothing.
  void start(const HttpRequest& request, std::uint64_t tag);
  /// Lets all transfers go on. Sleeps until something happens on a connection or `deadline_ns` (of
  /// steady_ns()) has come; does not sleep while there are ends to take. A past deadline only looks.
  void wait(TimeNs deadline_ns);
  /// Appends the transfers that have ended since the last call, in the order in which they ended.
  void take(std::vector<HttpEnd>& ended);
  /// Returns the number of transfers that were started and have not ended, also of those that wait inside.
  std::size_t in_flight() const;

 private:
  class Transfers;
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace harness
