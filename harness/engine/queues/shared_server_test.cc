// Continuous batching against closed forms and cases computed by hand.
#include "harness/engine/queues/shared_server.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// Returns a service on which all sequences together decode `total` tokens/s, however many there are.
SharedService constant_rate(int slots, double total) {
  SharedService service;
  service.slots = slots;
  service.prefill_tokens_per_s = 1e15;
  service.decode_tokens_per_s.assign(static_cast<std::size_t>(slots), total);
  return service;
}

struct Job {
  TimeNs at_ns;
  TokenCount tokens;
};

/// Returns the end of each job; jobs are in order of time.
std::map<WorkerId, TimeNs> run(SharedServer& server, const std::vector<Job>& jobs) {
  std::map<WorkerId, TimeNs> ends;
  std::vector<WorkerId> ended;
  for (std::size_t next = 0; next < jobs.size() || server.next_ns() != kNever;) {
    const TimeNs due = server.next_ns();
    if (next < jobs.size() && jobs[next].at_ns < due) {
      server.start(jobs[next].at_ns, static_cast<WorkerId>(next), jobs[next].tokens);
      ++next;
      continue;
    }
    ended.clear();
    server.advance(due, ended);
    for (const WorkerId worker : ended) ends[worker] = due;
  }
  return ends;
}

/// No prompt, 101 tokens: the first comes with the prefill.
constexpr TokenCount kHundred{0, 101};
constexpr double kSlackS = 1e-7;  ///< tolerance for the rounding of events to nanoseconds

TEST(SharedServer, EqualJobsOnAConstantRateEndAtTheirNumberTimesAlone) {
  for (const int count : {1, 2, 7, 64}) {
    const SharedService service = constant_rate(64, 100);  // 100 tokens alone take 1 s
    SharedServer server(service);
    const auto ends = run(server, std::vector<Job>(static_cast<std::size_t>(count), {0, kHundred}));
    ASSERT_EQ(ends.size(), static_cast<std::size_t>(count));
    for (const auto& [worker, end] : ends) EXPECT_NEAR(ns_to_s(end), count, kSlackS) << worker;
  }
}

TEST(SharedServer, ALateJoinerTakesItsShareFromWhenItComes) {
  // Alone 0-0.5 s: 50 of 100 tokens. Then half the rate: 50 more take 1 s, until 1.5 s, when the second has
  // made 50; its other 50 take 0.5 s alone, until 2 s.
  const SharedService service = constant_rate(4, 100);
  SharedServer server(service);
  const auto ends = run(server, {{0, kHundred}, {kNsPerS / 2, kHundred}});
  EXPECT_NEAR(ns_to_s(ends.at(0)), 1.5, kSlackS);
  EXPECT_NEAR(ns_to_s(ends.at(1)), 2.0, kSlackS);
}

TEST(SharedServer, TheRateFollowsTheNumberOfSequences) {
  // Alone 100/s, two together 160/s (80 each), three 180/s (60 each). Jobs of 100, 200 and 300 tokens:
  // 100 / 60 = 1.667 s; the second has 100 left at 80/s: 1.25 s; the third then 100 at 100/s: 1 s.
  SharedService service = constant_rate(3, 0);
  service.decode_tokens_per_s = {100, 160, 180};
  SharedServer server(service);
  const auto ends = run(server, {{0, {0, 101}}, {0, {0, 201}}, {0, {0, 301}}});
  EXPECT_NEAR(ns_to_s(ends.at(0)), 100.0 / 60, kSlackS);
  EXPECT_NEAR(ns_to_s(ends.at(1)), 100.0 / 60 + 1.25, kSlackS);
  EXPECT_NEAR(ns_to_s(ends.at(2)), 100.0 / 60 + 2.25, kSlackS);
}

TEST(SharedServer, PromptsArePrefilledInOrderAndSlowedByWhatDecodes) {
  // Prompts of 1000 tokens at 1000/s; chunks of 500 tokens take 0.5 s alone. The first token of job 0 comes
  // at 1 s; it decodes on (10 tokens/s alone: a step takes 0.1 s). With it a step takes 0.6 s: job 1 is
  // prefilled at 500 / 0.6 tokens/s, from 1 s to 2.2 s, in two steps, in which job 0 makes 2 tokens.
  SharedService service = constant_rate(4, 10);
  service.prefill_tokens_per_s = 1000;
  service.chunk_tokens = 500;
  service.ends_at_first_token = true;
  SharedServer server(service);
  const auto ends = run(server, {{0, {1000, 101}}, {0, {1000, 1}}});
  EXPECT_NEAR(ns_to_s(ends.at(0)), 1.0, kSlackS);
  EXPECT_NEAR(ns_to_s(ends.at(1)), 2.2, kSlackS);
}

TEST(SharedServer, WhatDecodesAfterItsFirstTokenKeepsItsSlot) {
  // One slot: job 1's prompt waits until job 0 has decoded its 10 tokens, at 1 + 1 s.
  SharedService service = constant_rate(1, 10);
  service.prefill_tokens_per_s = 1000;
  service.ends_at_first_token = true;
  SharedServer server(service);
  const auto ends = run(server, {{0, {1000, 11}}, {0, {1000, 1}}});
  EXPECT_NEAR(ns_to_s(ends.at(0)), 1.0, kSlackS);
  EXPECT_NEAR(ns_to_s(ends.at(1)), 3.0, kSlackS);
}

TEST(SharedServer, NoWorkIsLostWhateverTheOrder) {
  // Work conservation: at a constant total rate and prompts without cost, the last of any set of jobs that
  // keeps the server busy ends when the sum of the tokens is done.
  RandomStream random(3, "test.server");
  for (int round = 0; round < 50; ++round) {
    const SharedService service = constant_rate(256, 1000);
    SharedServer server(service);
    std::vector<Job> jobs;
    double tokens = 0;
    for (int i = 0; i < 100; ++i) {
      const auto output = static_cast<std::uint32_t>(1 + random.below(2000));
      jobs.push_back({i == 0 ? 0 : jobs.back().at_ns + static_cast<TimeNs>(random.below(1000)), {0, output}});
      tokens += output - 1;
    }
    jobs.front().tokens.output += 5000;  // busy until all have come
    tokens += 5000;
    TimeNs last = 0;
    const auto ends = run(server, jobs);
    ASSERT_EQ(ends.size(), jobs.size());
    for (const auto& [worker, end] : ends) last = std::max(last, end);
    EXPECT_NEAR(ns_to_s(last), tokens / 1000, 1e-6) << "round " << round;
  }
}

}  // namespace
}  // namespace harness
