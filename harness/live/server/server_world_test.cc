// Tests of runs against a server: every request ends once, for the reason that the server's answer gives.
#include "harness/live/server/server_world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "harness/core/environment_error.h"
#include "harness/remote/test_http_server.h"
#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::chain;
using testing::linear_profile;
using testing::make_spec;

constexpr int kRequests = 60;

/// Returns a cell of that pipeline whose requests are 2 ms apart.
RunSpec cell_of(Pipeline pipeline) {
  std::vector<Profile> profiles;
  std::vector<ModuleOverride> overrides;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    profiles.push_back(linear_profile("m" + std::to_string(m), 2, 4, 4));
    overrides.push_back({4, 1, 0, ""});
  }
  std::vector<TimeNs> times;
  for (int i = 0; i < kRequests; ++i) times.push_back(i * 2 * kNsPerMs);
  return make_spec("naive", std::move(pipeline), std::move(profiles), overrides, 60 * kNsPerS, times,
                   kRequests * 2 * kNsPerMs);
}

ServerRun calls_of(const RunSpec& spec, const std::string& url) {
  ServerRun run;
  const auto body = std::make_shared<const std::string>("{}");
  for (const auto& module : spec.pipeline.modules) {
    ServerRun::Module& made = run.modules.emplace_back();
    made.request.method = HttpMethod::kPost;
    made.request.url = url + "/" + module.name;
    made.request.body = body;
    made.request.timeout_ms = 30'000;
    made.fault = [](const HttpEnd& end) { return end.error_text; };
  }
  return run;
}

std::uint64_t dropped(const RunRecord& record, DropReason reason) {
  std::uint64_t count = 0;
  for (const ModuleTotals& module : record.modules) count += module.dropped[static_cast<std::size_t>(reason)];
  return count;
}

TEST(ServerWorld, EachVisitIsACall) {
  std::atomic<int> calls = 0;
  TestHttpServer server([&](const std::string&) {
    ++calls;
    return test_answer(200, "{}");
  });
  const RunSpec spec = cell_of(chain(3));
  const ServerRun run = calls_of(spec, server.url());
  const RunRecord record = ServerWorld(spec, run, nullptr).run();
  EXPECT_EQ(record.sent, kRequests);
  EXPECT_EQ(record.in_time, kRequests);
  EXPECT_EQ(calls, 3 * kRequests);
  EXPECT_EQ(record.gpu_ns, 0) << "nothing is known of the server's devices";
  EXPECT_EQ(record.schedule_lag.total(), kRequests);
  for (const ModuleTotals& module : record.modules) EXPECT_EQ(module.done, kRequests);
}

TEST(ServerWorld, FailedCallsEndRequestsForTheirReason) {
  const auto run_with = [](const TestReply& reply, std::int64_t timeout_ms = 30'000) {
    TestHttpServer server([&](const std::string&) { return reply; });
    const RunSpec spec = cell_of(chain(2));
    ServerRun run = calls_of(spec, server.url());
    for (ServerRun::Module& module : run.modules) {
      module.request.timeout_ms = timeout_ms;
      module.fault = [](const HttpEnd& end) {
        return end.error != HttpError::kNoError ? end.error_text : end.body == "{}" ? "" : "no outputs";
      };
    }
    return ServerWorld(spec, run, nullptr).run();
  };
  const auto expect_all = [](const RunRecord& record, DropReason reason) {
    EXPECT_EQ(record.dropped, kRequests) << name_of(reason);
    EXPECT_EQ(dropped(record, reason), kRequests) << name_of(reason);
    EXPECT_FALSE(record.notes.empty());
  };
  expect_all(run_with(test_answer(503)), DropReason::kServerRefused);
  expect_all(run_with(test_answer(429)), DropReason::kServerRefused);
  expect_all(run_with(test_answer(404)), DropReason::kServerError);
  expect_all(run_with(test_answer(500)), DropReason::kServerError);
  expect_all(run_with({"", TestReply::Then::kClose}), DropReason::kServerGone);
  expect_all(run_with(test_answer(200, "other")), DropReason::kBadAnswer);
  TestReply late = test_answer(200, "{}");
  late.delay_ms = 60'000;
  expect_all(run_with(late, 100), DropReason::kServerTimeout);
  const RunSpec spec = cell_of(chain(1));
  expect_all(ServerWorld(spec, calls_of(spec, url_of_nobody()), nullptr).run(), DropReason::kServerGone);
}

TEST(ServerWorld, ARunEndsByItsLimitAlthoughTheServerNeverAnswers) {
  TestReply never = test_answer(200, "{}");
  never.delay_ms = 600'000;
  TestHttpServer server([&](const std::string&) { return never; });
  const RunSpec spec = cell_of(chain(1));
  ServerRun run = calls_of(spec, server.url());
  run.connections = 2;  // most requests wait for a connection
  run.limit_s = 0.5;
  const RunRecord record = ServerWorld(spec, run, nullptr).run();
  EXPECT_EQ(record.sent, kRequests);
  EXPECT_EQ(record.unfinished, kRequests);
  EXPECT_EQ(record.why_invalid, "took longer than cell_limit_s = 0.5");
}

TEST(ServerWorld, WhatTheSignalCheckThrowsEndsTheRun) {
  TestHttpServer server([&](const std::string&) { return test_answer(200, "{}"); });
  const RunSpec spec = cell_of(chain(1));
  ServerRun run = calls_of(spec, server.url());
  run.check_signal = [turns = 0]() mutable {
    if (++turns == 5) throw EnvironmentError("interrupted");
  };
  EXPECT_THROW(ServerWorld(spec, run, nullptr).run(), EnvironmentError);
}

TEST(ServerWorld, FewConnectionsMakeRequestsLateNotLost) {
  TestReply slow = test_answer(200, "{}");
  slow.delay_ms = 5;  // longer than the gap of 2 ms between requests
  TestHttpServer server([&](const std::string&) { return slow; });
  const RunSpec spec = cell_of(chain(1));
  ServerRun run = calls_of(spec, server.url());
  run.connections = 1;
  const RunRecord record = ServerWorld(spec, run, nullptr).run();
  EXPECT_EQ(record.in_time, kRequests);
  EXPECT_GE(record.latency.quantile(1), 60 * 3 * kNsPerMs * 9 / 10) << "the last one waits for all others";
}

// A module's answers fail now and then while the request's other branch runs: each request still ends once.
TEST(ServerWorld, BranchesThatFailEndTheirRequestsOnce) {
  std::atomic<int> calls = 0;
  TestHttpServer server([&](const std::string&) { return test_answer(++calls % 5 == 0 ? 500 : 200, "{}"); });
  const RunSpec spec = cell_of(testing::diamond());
  const ServerRun run = calls_of(spec, server.url());
  testing::RowKeeper rows;
  const RunRecord record = ServerWorld(spec, run, &rows).run();
  EXPECT_EQ(record.sent, kRequests);
  EXPECT_EQ(record.in_time + record.dropped, kRequests);
  EXPECT_GT(record.dropped, 0U);
  EXPECT_EQ(rows.request_rows.size(), kRequests);
}

}  // namespace
}  // namespace harness
