// A running server that speaks KServe's protocol and is asked one thing at a time, before or beside a load.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/remote/http_client.h"
#include "harness/remote/http_headers.h"
#include "harness/remote/http_request.h"
#include "harness/remote/kserve.h"
#include "harness/remote/server_fault.h"

namespace harness {

/// Asks and waits. Each call throws ServerFault if the server does not answer, or
/// answers otherwise than the protocol says, and what `check_signal` throws. Used by one thread.
class KserveServer {
 public:
  /// `headers` are sent with every request; `check_signal`, which may be null, is called every 50 ms.
  KserveServer(std::string url, std::shared_ptr<const HttpHeaders> headers,
               std::function<void()> check_signal);

  const std::string& url() const { return url_; }
  /// Sends the request, with the headers and for at most 10 s unless it says otherwise. Does not throw if the
  /// end is an error.
  HttpEnd ask(HttpRequest request);
  /// Throws unless the server says that it is ready.
  void check_ready();
  ServerMetadata metadata();
  /// Throws too if the model is not ready.
  ModelMetadata model(const std::string& name);
  ModelConfig config(const std::string& name);
  /// Returns the sums over all versions of the model.
  ModelStatistics statistics(const std::string& name);

 private:
  void check_ready(const std::string& url);
  std::string body_of(const std::string& url);

  std::string url_;
  std::shared_ptr<const HttpHeaders> headers_;
  std::function<void()> check_signal_;
  HttpClient client_;
};

/// Returns a request for the inference of a batch of `rows` with data drawn by `seed`, without headers. Open
/// dimensions get `free_size`. Throws InputError as infer_body() does.
HttpRequest infer_request(const std::string& server, const ModelMetadata& model, std::int64_t rows,
                          std::int64_t free_size, std::uint64_t seed);

/// Returns what is wrong with the end of an inference: its error, or that the answer lacks an output of the
/// model. "" if nothing is. An answer of which only the beginning was kept is not read.
std::string fault_of(const ModelMetadata& model, const HttpEnd& end);

}  // namespace harness
