#include "harness/remote/http_client.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "harness/core/environment_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/remote/test_http_server.h"

namespace harness {
namespace {

constexpr TimeNs kGenerousNs = 120 * kNsPerS;

HttpRequest get(const std::string& url, std::int64_t timeout_ms = 60'000) {
  HttpRequest request;
  request.url = url;
  request.timeout_ms = timeout_ms;
  return request;
}

HttpRequest post(const std::string& url, std::string body) {
  HttpRequest request = get(url);
  request.method = HttpMethod::kPost;
  request.body = std::make_shared<const std::string>(std::move(body));
  return request;
}

/// Waits until nothing is under way. Fails if that takes very long.
std::vector<HttpEnd> all_ends(HttpClient& client) {
  std::vector<HttpEnd> ends;
  const TimeNs deadline_ns = steady_ns() + kGenerousNs;
  while (client.in_flight() > 0 && steady_ns() < deadline_ns) {
    client.wait(deadline_ns);
    client.take(ends);
  }
  client.take(ends);
  EXPECT_EQ(client.in_flight(), 0U);
  return ends;
}

/// Sends one request to a server that gives this reply, and returns how it ended.
HttpEnd end_of(const TestReply& reply, const HttpClient::Options& options = HttpClient::Options(),
               std::int64_t timeout_ms = 60'000) {
  const TestHttpServer server([&](const std::string&) { return reply; });
  HttpClient client(options);
  client.start(get(server.url(), timeout_ms), 7);
  std::vector<HttpEnd> ends = all_ends(client);
  EXPECT_EQ(ends.size(), 1U);
  if (ends.empty()) return {};
  EXPECT_EQ(ends[0].tag, 7U);
  EXPECT_LE(ends[0].started_ns, ends[0].ended_ns);
  EXPECT_EQ(ends[0].error_text.empty(), ends[0].error == HttpError::kNoError);
  return std::move(ends[0]);
}

std::string name_of_end(const HttpEnd& end) { return name_of(end.error); }

TEST(HttpClient, TellsTheStatus) {
  for (const int status : {200, 204}) {
    const HttpEnd end = end_of(test_answer(status, status == 204 ? "" : "fine"));
    EXPECT_EQ(end.status, status);
    EXPECT_EQ(end.error, HttpError::kNoError);
    EXPECT_EQ(end.body, status == 204 ? "" : "fine");
  }
  for (const int status : {301, 400, 404, 408, 429, 500, 503}) {
    const HttpEnd end = end_of(test_answer(status, "why"));
    EXPECT_EQ(end.status, status);
    EXPECT_EQ(end.error, HttpError::kHttpStatus);
    EXPECT_EQ(end.error_text, "answered " + std::to_string(status));
    EXPECT_EQ(end.body, "why");
  }
}

TEST(HttpClient, FollowsNoRedirect) {
  std::atomic<int> asked{0};
  const TestHttpServer server([&](const std::string&) {
    ++asked;
    return TestReply{"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"};
  });
  HttpClient client;
  client.start(get(server.url()), 1);
  EXPECT_EQ(all_ends(client).at(0).status, 302);
  EXPECT_EQ(asked, 1);
}

TEST(HttpClient, SendsBodyAndHeaders) {
  std::mutex mutex;
  std::string last;
  const TestHttpServer server([&](const std::string& request) {
    const std::lock_guard lock(mutex);
    last = request;
    return test_answer(200);
  });
  const auto last_request = [&] {
    const std::lock_guard lock(mutex);
    return last;
  };
  HttpClient client;
  HttpRequest request = post(server.url() + "/v2/models/m/infer", std::string(3 << 20, 'b'));
  request.headers = std::make_shared<const HttpHeaders>(
      std::vector<std::string>{"Content-Type: application/json", "Authorization: Bearer abc"});
  client.start(request, 1);
  EXPECT_EQ(name_of_end(all_ends(client).at(0)), "none");
  std::string received = last_request();
  EXPECT_TRUE(received.starts_with("POST /v2/models/m/infer HTTP/1.1\r\n"));
  EXPECT_TRUE(holds(received, "\r\nContent-Type: application/json\r\n", "\r\nAuthorization: Bearer abc\r\n"));
  EXPECT_EQ(received.find("Expect"), std::string::npos);
  EXPECT_TRUE(received.ends_with("\r\n\r\n" + *request.body));
  client.start(get(server.url() + "/v2"), 2);
  EXPECT_EQ(name_of_end(all_ends(client).at(0)), "none");
  received = last_request();
  EXPECT_TRUE(received.starts_with("GET /v2 HTTP/1.1\r\n"));
  EXPECT_EQ(received.find("Authorization"), std::string::npos);
}

TEST(HttpClient, UsesNoProxyOfTheEnvironment) {
  const TestHttpServer proxy([](const std::string&) { return test_answer(203); });
  const TestHttpServer server([](const std::string&) { return test_answer(200); });
  setenv("http_proxy", proxy.url().c_str(), 1);
  HttpClient client;
  client.start(get(server.url()), 1);
  EXPECT_EQ(all_ends(client).at(0).status, 200);
  unsetenv("http_proxy");
}

TEST(HttpClient, RequestsThatWaitForAConnectionTimeOutToo) {
  const TestReply never{test_answer(200).bytes, TestReply::Then::kKeep, 1'000'000};
  const TestHttpServer server([&](const std::string&) { return never; });
  HttpClient client({.connections = 2});
  const TimeNs began = steady_ns();
  for (std::uint64_t tag = 0; tag < 40; ++tag) client.start(get(server.url(), 50), tag);
  const std::vector<HttpEnd> ends = all_ends(client);
  ASSERT_EQ(ends.size(), 40U);
  for (const HttpEnd& end : ends) EXPECT_EQ(name_of_end(end), "timed_out");
  EXPECT_LT(steady_ns() - began, 10 * 50 * kNsPerMs) << "one after the other they would take 1 s";
}

TEST(HttpClient, RefusesUrlsThatAreNotHttp) {
  HttpClient client;
  for (const char* url :
       {"", "host:8000", "ftp://h/", "file:///etc/passwd", "http://", "http://h:port/", "http://a b/"}) {
    const std::string line = refusal_of([&] { client.start(get(url), 1); });
    EXPECT_TRUE(holds(line, "the server's URL cannot be used", "allowed: http://")) << url;
  }
  EXPECT_EQ(refusal_of([&] { client.start(get("http://user:secret@h:x/"), 1); }).find("secret"),
            std::string::npos);
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST(HttpClient, NamesTheKindOfEachFailure) {
  const std::string cut = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort";
  const std::string chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n";
  using Then = TestReply::Then;
  struct Case {
    const char* what;
    TestReply reply;
    HttpError error;
  };
  for (const Case& one : std::vector<Case>{
           {"closed without an answer", {"", Then::kClose}, HttpError::kClosed},
           {"half-closed without an answer", {"", Then::kHalfClose}, HttpError::kClosed},
           {"reset without an answer", {"", Then::kReset}, HttpError::kClosed},
           {"cut in the status line", {"HTTP/1.", Then::kClose}, HttpError::kClosed},
           {"cut in the headers", {"HTTP/1.1 200 OK\r\nServer: x\r\n", Then::kClose}, HttpError::kClosed},
           {"cut in the body", {cut, Then::kClose}, HttpError::kClosed},
           {"half-closed in the body", {cut, Then::kHalfClose}, HttpError::kClosed},
           {"reset in the body", {cut, Then::kReset, 0, 1}, HttpError::kClosed},
           {"cut in the chunks", {chunk, Then::kClose}, HttpError::kClosed},
           {"chunks", {chunk + "0\r\n\r\n"}, HttpError::kNoError},
           {"a chunk without a length", {chunk + "zz\r\n"}, HttpError::kMalformed},
           {"no HTTP", {"SSH-2.0-OpenSSH_9.2\r\n", Then::kClose}, HttpError::kMalformed},
           {"another version", {"HTTP/7.3 200 OK\r\nContent-Length: 0\r\n\r\n"}, HttpError::kMalformed},
           {"no status", {"HTTP/1.1 fine\r\nContent-Length: 0\r\n\r\n"}, HttpError::kMalformed},
           {"until it is closed", {"HTTP/1.1 200 OK\r\n\r\nall", Then::kClose}, HttpError::kNoError},
           {"byte by byte", {test_answer(200, "slow").bytes, Then::kKeep, 5, 1}, HttpError::kNoError},
           {"a long line of a header",
            {"HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x') + "\r\n\r\n"},
            HttpError::kTooLarge},
       }) {
    const HttpEnd end = end_of(one.reply);
    EXPECT_STREQ(name_of(end.error), name_of(one.error)) << one.what << ": " << end.error_text;
  }
}

// Libcurl before 8.0 joins such a line to the last header of the handle's transfer before.
TEST(HttpClient, AFirstHeaderThatBeginsWithASpaceIsMalformed) {
  std::atomic<int> asked{0};
  const TestHttpServer server([&](const std::string&) {
    if (++asked % 2 == 1) return test_answer(200, "x");
    return TestReply{"HTTP/1.1 200 OK\r\n " + std::string(60, 'f') + "\r\nContent-Length: 1\r\n\r\nx"};
  });
  HttpClient client;
  for (std::uint64_t tag = 0; tag < 20; ++tag) {
    client.start(get(server.url()), tag);
    EXPECT_EQ(name_of_end(all_ends(client).at(0)), tag % 2 == 0 ? "none" : "malformed");
  }
}

TEST(HttpClient, ManyHeadersAreTooLarge) {
  std::string headers;
  for (int i = 0; i < 20'000; ++i) headers += "X-" + std::to_string(i) + ": " + std::string(40, 'x') + "\r\n";
  EXPECT_EQ(name_of_end(end_of({"HTTP/1.1 200 OK\r\n" + headers + "\r\n"})), "too_large");
  std::string interim;
  for (int i = 0; i < 40'000; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(name_of_end(end_of({interim})), "too_large");
}

TEST(HttpClient, NobodyListens) {
  HttpClient client;
  client.start(get(url_of_nobody()), 1);
  const HttpEnd end = all_ends(client).at(0);
  EXPECT_EQ(name_of_end(end), "refused");
  EXPECT_EQ(end.status, 0);
}

TEST(HttpClient, TimesOut) {
  const TestReply never{test_answer(200).bytes, TestReply::Then::kKeep, 1'000'000};
  EXPECT_EQ(name_of_end(end_of(never, {}, 30)), "timed_out");
  const TestReply stops{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"};
  const HttpEnd end = end_of(stops, {}, 200);
  EXPECT_EQ(name_of_end(end), "timed_out");
  EXPECT_GE(end.ended_ns - end.started_ns, 200 * kNsPerMs);
}

TEST(HttpClient, KeepsABoundedPartOfTheAnswer) {
  HttpClient::Options options;
  options.kept_bytes = 1000;
  const HttpEnd whole = end_of(test_answer(200, std::string(1000, 'x')), options);
  EXPECT_EQ(whole.body.size(), 1000U);
  EXPECT_FALSE(whole.body_cut);
  const HttpEnd cut = end_of(test_answer(200, std::string(64 << 20, 'x')), options);
  EXPECT_EQ(name_of_end(cut), "none");
  EXPECT_EQ(cut.body.size(), 1000U);
  EXPECT_TRUE(cut.body_cut);
}

TEST(HttpClient, AnAnswerAboveTheLimitEndsTheTransfer) {
  HttpClient::Options options;
  options.largest_bytes = 1 << 20;
  EXPECT_EQ(name_of_end(end_of(test_answer(200, std::string(1 << 20, 'x')), options)), "none");
  EXPECT_EQ(name_of_end(end_of(test_answer(200, std::string((1 << 20) + 1, 'x')), options)), "too_large");
  const TestReply endless{"HTTP/1.1 200 OK\r\n\r\n" + std::string(64 << 20, 'x'), TestReply::Then::kClose};
  EXPECT_EQ(name_of_end(end_of(endless, options)), "too_large");
}

TEST(HttpClient, KeepsItsConnections) {
  const TestHttpServer server([](const std::string&) { return test_answer(200, "x"); });
  HttpClient client;
  for (std::uint64_t tag = 0; tag < 100; ++tag) {
    client.start(post(server.url(), "body"), tag);
    EXPECT_EQ(name_of_end(all_ends(client).at(0)), "none");
  }
  EXPECT_EQ(server.requests(), 100U);
  EXPECT_EQ(server.accepted(), 1U);
}

TEST(HttpClient, AConnectionThatTheServerClosedIsReplaced) {
  const TestHttpServer server([](const std::string&) {
    TestReply reply = test_answer(200, "x");
    reply.then = TestReply::Then::kClose;
    return reply;
  });
  HttpClient client;
  for (std::uint64_t tag = 0; tag < 50; ++tag) {
    client.start(post(server.url(), "body"), tag);
    EXPECT_EQ(name_of_end(all_ends(client).at(0)), "none");
  }
  EXPECT_EQ(server.requests(), 50U);
}

TEST(HttpClient, ABoundOnConnectionsMakesRequestsWaitInside) {
  TestReply slow = test_answer(200, "x");
  slow.delay_ms = 2;
  const TestHttpServer server([&](const std::string&) { return slow; });
  HttpClient::Options options;
  options.connections = 3;
  HttpClient client(options);
  for (std::uint64_t tag = 0; tag < 60; ++tag) client.start(get(server.url()), tag);
  EXPECT_EQ(client.in_flight(), 60U);
  const std::vector<HttpEnd> ends = all_ends(client);
  ASSERT_EQ(ends.size(), 60U);
  EXPECT_LE(server.accepted(), 3U);
  for (const HttpEnd& one : ends) {
    EXPECT_LE(std::ranges::count_if(ends,
                                    [&](const HttpEnd& other) {
                                      return other.started_ns <= one.started_ns &&
                                             one.started_ns < other.ended_ns;
                                    }),
              3);
  }
}

TEST(HttpClient, MoreConnectionsThanTheSystemAllowsAreRefused) {
  HttpClient::Options options;
  options.connections = std::size_t{1} << 40;
  EXPECT_THROW(HttpClient{options}, EnvironmentError);
}

TEST(HttpClient, WaitsUntilTheDeadlineButNotWhileEndsAreNotTaken) {
  const TestHttpServer server([](const std::string&) { return test_answer(200); });
  HttpClient client;
  const TimeNs deadline_ns = steady_ns() + 20 * kNsPerMs;
  client.wait(deadline_ns);
  EXPECT_GE(steady_ns(), deadline_ns);
  client.wait(0);
  client.start(get(server.url()), 1);
  while (client.in_flight() > 0) client.wait(kNever);
  client.wait(kNever);
  std::vector<HttpEnd> ends;
  client.take(ends);
  EXPECT_EQ(ends.size(), 1U);
}

TEST(HttpClient, ManyRequestsAtOnceEachOnItsConnection) {
  constexpr std::size_t kRequests = 2000;
  std::atomic<std::size_t> arrived{0};
  const TestHttpServer server([&](const std::string&) {
    TestReply reply = test_answer(200, "x");
    reply.delay_ms = ++arrived < kRequests ? 500 : 0;
    return reply;
  });
  HttpClient client({.connections = 2 * kRequests});  // for the server's ends too
  const HttpRequest request = post(server.url(), "body");
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t tag = 0; tag < kRequests; ++tag) client.start(request, tag);
    std::set<std::uint64_t> tags;
    for (const HttpEnd& end : all_ends(client)) {
      EXPECT_EQ(name_of_end(end), "none") << end.error_text;
      tags.insert(end.tag);
    }
    EXPECT_EQ(tags.size(), kRequests);
  }
  EXPECT_EQ(server.requests(), 2 * kRequests);
}

TEST(HttpClient, EachTransferEndsOnceWhateverTheServerDoes) {
  const char* given = std::getenv("HARNESS_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("HARNESS_TEST_SEED=" + std::to_string(seed));
  const std::vector<std::string> texts = {
      test_answer(200, std::string(2000, 'x')).bytes, test_answer(503).bytes, test_answer(204).bytes,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n0\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nConnection: close\r\n\r\nold"};
  RandomStream of_server(seed, "server");  // used by the server's thread alone
  const TestHttpServer server([&](const std::string&) {
    TestReply reply;
    reply.bytes = texts[of_server.below(texts.size())];
    if (of_server.below(3) == 0) reply.bytes.resize(of_server.below(reply.bytes.size() + 1));
    if (of_server.below(5) == 0 && !reply.bytes.empty()) {
      reply.bytes[of_server.below(reply.bytes.size())] = static_cast<char>(of_server.bits());
    }
    reply.then = static_cast<TestReply::Then>(of_server.below(4));
    reply.delay_ms = static_cast<int>(of_server.below(3));
    reply.piece = of_server.below(3) == 0 ? 1 + of_server.below(50) : 0;
    return reply;
  });
  const std::string nobody = url_of_nobody();
  for (const std::size_t connections : {std::size_t{0}, std::size_t{4}}) {
    HttpClient::Options options;
    options.connections = connections;
    options.largest_bytes = 1500;
    HttpClient client(options);
    RandomStream of_client(seed, "client", connections);
    std::map<std::uint64_t, int> ended;
    std::vector<HttpEnd> ends;
    constexpr std::uint64_t kTransfers = 400;
    for (std::uint64_t tag = 0; tag < kTransfers; ++tag) {
      HttpRequest request = of_client.below(2) == 0 ? get(server.url()) : post(server.url(), "body");
      if (of_client.below(20) == 0) request.url = nobody;
      request.timeout_ms = 1 + static_cast<std::int64_t>(of_client.below(100));
      client.start(request, tag);
      if (of_client.below(4) == 0) client.wait(steady_ns() + kNsPerMs);
      if (of_client.below(4) == 0) client.take(ends);
    }
    for (HttpEnd& end : all_ends(client)) ends.push_back(std::move(end));
    for (const HttpEnd& end : ends) {
      ++ended[end.tag];
      EXPECT_LE(end.started_ns, end.ended_ns);
      EXPECT_EQ(end.error == HttpError::kNoError,
                end.status >= 200 && end.status < 300 && end.error_text.empty());
    }
    EXPECT_EQ(ended.size(), kTransfers);
    EXPECT_EQ(ends.size(), kTransfers);
  }
}

}  // namespace
}  // namespace harness
