#include "harness/remote/kserve_server.h"

#include <utility>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

constexpr std::int64_t kQuestionTimeoutMs = 10'000;
constexpr std::size_t kLongestSaid = 200;
constexpr TimeNs kLongestWaitNs = 50 * kNsPerMs;

HttpRequest get(const std::string& url) { return {HttpMethod::kGet, url, nullptr, nullptr, 0}; }

/// Returns what `read` returns; what is wrong with an answer is no fault of the user's input.
template <typename Read>
auto read_answer(const Read& read) {
  try {
    return read();
  } catch (const InputError& wrong) {
    throw ServerFault(wrong.what());
  }
}

}  // namespace

KserveServer::KserveServer(std::string url, std::shared_ptr<const HttpHeaders> headers,
                           std::function<void()> check_signal)
    : url_(std::move(url)), headers_(std::move(headers)), check_signal_(std::move(check_signal)) {
  while (url_.ends_with('/')) url_.pop_back();
}

HttpEnd KserveServer::ask(HttpRequest request) {
  request.headers = headers_;
  if (request.timeout_ms == 0) request.timeout_ms = kQuestionTimeoutMs;
  client_.start(request, 0);
  std::vector<HttpEnd> ends;
  while (ends.empty()) {
    if (check_signal_) check_signal_();
    client_.wait(steady_ns() + kLongestWaitNs);
    client_.take(ends);
  }
  return std::move(ends.front());
}

std::string KserveServer::body_of(const std::string& url) {
  HttpEnd end = ask(get(url));
  if (end.error != HttpError::kNoError) {
    const std::string said = printable(end.body, kLongestSaid);
    throw ServerFault(url + ": " + end.error_text + (said.empty() ? "" : ": " + said));
  }
  return std::move(end.body);
}

void KserveServer::check_ready(const std::string& url) {
  const HttpEnd end = ask(get(url));
  if (end.error != HttpError::kNoError && end.error != HttpError::kHttpStatus)
    throw ServerFault(url + ": " + end.error_text);
  if (!is_ready(end.status, end.body))
    throw ServerFault(url + ": not ready" + (end.error_text.empty() ? "" : " (" + end.error_text + ")"));
}

void KserveServer::check_ready() { check_ready(url_ + "/v2/health/ready"); }

ServerMetadata KserveServer::metadata() {
  const std::string url = url_ + "/v2";
  const std::string body = body_of(url);
  return read_answer([&] { return server_metadata(body, url); });
}

ModelMetadata KserveServer::model(const std::string& name) {
  const std::string url = model_url(url_, name);
  const std::string body = body_of(url);
  check_ready(url + "/ready");
  return read_answer([&] { return model_metadata(body, url); });
}

ModelConfig KserveServer::config(const std::string& name) {
  const std::string url = model_url(url_, name, "/config");
  const std::string body = body_of(url);
  return read_answer([&] { return model_config(body, url); });
}

ModelStatistics KserveServer::statistics(const std::string& name) {
  const std::string url = model_url(url_, name, "/stats");
  const std::string body = body_of(url);
  return read_answer([&] { return model_statistics(body, url); });
}

HttpRequest infer_request(const std::string& server, const ModelMetadata& model, std::int64_t rows,
                          std::int64_t free_size, std::uint64_t seed) {
  return {HttpMethod::kPost, model_url(server, model.name, "/infer"),
          std::make_shared<const std::string>(infer_body(model, rows, free_size, seed)), nullptr, 0};
}

std::string fault_of(const ModelMetadata& model, const HttpEnd& end) {
  if (end.error != HttpError::kNoError) return end.error_text;
  if (end.body_cut || is_inference_answer(model, end.body)) return "";
  return "an answer without the model's outputs";
}

}  // namespace harness
