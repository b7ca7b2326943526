// The end of a request over HTTP: its answer, or the reason for which it has none.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/types.h"

namespace harness {

/// The reason for which a transfer has no answer with a status from 200 to 299.
enum class HttpError : std::uint8_t {
  kNoError,
  kUnreachable,  ///< no connection: unknown host, nobody listens, or TLS failed
  kTimedOut,     ///< not ended within timeout_ms
  kClosed,       ///< the connection ended, or was reset, before the answer was complete
  kMalformed,    ///< the answer is not HTTP/1
  kTooLarge,     ///< the answer or its headers are above the limit
  kHttpStatus,   ///< answered with another status
};
constexpr const char* name_of(HttpError error) {
  constexpr const char* kNames[] = {"none",      "refused",   "timed_out",  "closed",
                                    "malformed", "too_large", "http_status"};
  return kNames[static_cast<int>(error)];
}

/// A transfer that has ended. Times are of steady_ns().
struct HttpEnd {
  std::uint64_t tag = 0;
  HttpError error = HttpError::kNoError;
  int status = 0;          ///< the answer's status, from 200; 0 if its headers did not arrive whole
  std::string error_text;  ///< printable line for people; empty if there is no error
  TimeNs started_ns = 0;   ///< time at which it got a connection, or began to open one
  TimeNs ended_ns = 0;
  std::string body;       ///< bytes of the answer, up to HttpClient::Options::kept_bytes
  bool body_cut = false;  ///< true if the answer had more
};

}  // namespace harness
