// Shared and delay services in a whole run: times, GPU time, drops, accounting.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/test_system.h"
#include "harness/serving/sizing_planner.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::RowKeeper;

constexpr double kSlackS = 1e-7;  ///< error from the rounding of events to nanoseconds

/// Returns a profile with prompts at 1000 tokens/s and steps of 0.1 s, however many visits decode.
Profile shared_profile(double input, double output, bool first_token) {
  Profile profile;
  profile.model = "llm";
  profile.service = Service::kShared;
  profile.shared.slots = 4;
  profile.shared.prefill_tokens_per_s = 1000;
  profile.shared.chunk_tokens = 500;
  profile.shared.decode_tokens_per_s = {10, 20, 30, 40};
  profile.shared.ends_at_first_token = first_token;
  profile.shared.input.median = input;
  profile.shared.output.median = output;
  profile.latency_ns = {static_cast<TimeNs>(alone_ns(profile.shared, input, output))};
  return profile;
}

Profile delay_profile(double median_ms, double sigma, int threads) {
  Profile profile;
  profile.model = "remote";
  profile.service = Service::kDelay;
  profile.delay = {threads, ms_to_ns(median_ms), sigma};
  profile.latency_ns = {static_cast<TimeNs>(mean_ns(profile.delay))};
  return profile;
}

RunSpec service_spec(std::vector<Profile> profiles, std::vector<ModuleOverride> overrides, double slo_s,
                     std::vector<TimeNs> times) {
  const std::size_t modules = profiles.size();
  RunSpec spec = testing::make_spec("naive", testing::chain(modules), std::move(profiles),
                                    std::move(overrides), s_to_ns(slo_s), std::move(times), 100 * kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{});
  return spec;
}

TEST(Services, TimeToFirstTokenOfTwoRequestsByHand) {
  // One prompt has room in a step: request 1 waits in the queue. Request 0 is prefilled 0-1 s, and decodes on
  // while request 1 is prefilled in two steps of 0.6 s. Both have 1000 + 101 tokens: 1 s of prefill and 100
  // tokens at best at 40/s.
  RunSpec spec = service_spec({shared_profile(1000, 101, true)}, {{1, 1}}, 2, {0, 0});
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  ASSERT_EQ(rows.request_rows.size(), 2u);
  EXPECT_NEAR(ns_to_s(rows.request_rows[0].end_ns), 1.0, kSlackS);
  EXPECT_NEAR(ns_to_s(rows.request_rows[1].end_ns), 2.2, kSlackS);
  EXPECT_EQ(record.in_time, 1u);
  EXPECT_EQ(record.late, 1u);
  EXPECT_EQ(record.gpu_ns, 2 * s_to_ns(1 + 100 / 40.0));
  EXPECT_EQ(record.gpu_invalid_ns, s_to_ns(1 + 100 / 40.0)) << "all tokens of the late one";
  EXPECT_EQ(record.modules[0].wait_ns, 0) << "continuous batching: no batch wait";
}

TEST(Services, AVisitThatWaitsForAServerCanBeDropped) {
  // Reactive: request 1 could start at 1 s, after its objective of 0.9 s; request 0 has started in time.
  RunSpec spec = testing::make_spec("rag", testing::chain(1), {shared_profile(1000, 1, true)}, {{1, 1}},
                                    ms_to_ns(900), {0, 0}, kNsPerS);
  testing::set_param(spec, "policy", std::string("reactive"));
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.late, 1u);
  EXPECT_EQ(record.dropped, 1u);
}

TEST(Services, WorkersBeyondOneServerAreASecondServer) {
  RunSpec spec = service_spec({shared_profile(1000, 1, true)}, {{1, 2}}, 10, std::vector<TimeNs>(5, 0));
  RowKeeper rows;
  simulate(spec, &rows);
  std::vector<TimeNs> ends;
  for (const RequestRow& row : rows.request_rows) ends.push_back(row.end_ns);
  std::sort(ends.begin(), ends.end());
  ASSERT_EQ(ends.size(), 5u);
  EXPECT_NEAR(ns_to_s(ends[1]), 1.0, kSlackS) << "two servers, each with one prompt at a time";
  EXPECT_NEAR(ns_to_s(ends[3]), 2.0, kSlackS);
  EXPECT_NEAR(ns_to_s(ends[4]), 3.0, kSlackS);
}

TEST(Services, AQueueBehindTheSlotsIsSharedByThem) {
  // One slot each, steps of 0.1 s: three requests of 1 + 11 tokens on two servers of one slot: 1.001 s each.
  Profile profile = shared_profile(1, 11, false);
  profile.shared.slots = 1;
  profile.shared.decode_tokens_per_s = {10};
  RunSpec spec = service_spec({profile}, {{1, 2}}, 10, {0, 0, 0});
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_NEAR(ns_to_s(record.end_ns), 2.002, kSlackS);
  EXPECT_NEAR(ns_to_s(record.modules[0].queueing_ns), 1.001, kSlackS);
}

TEST(Services, DelaysFollowTheLognormal) {
  // 20,000 draws: median m within 2 %, mean m e^(sigma^2 / 2) within 2 %.
  constexpr double kMedianMs = 800;
  constexpr double kSigma = 0.6;
  std::vector<TimeNs> times;
  for (int i = 0; i < 20'000; ++i) times.push_back(i * ms_to_ns(1));
  RunSpec spec = service_spec({delay_profile(kMedianMs, kSigma, 2000)}, {{1, 2000}}, 5, times);
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  std::vector<double> delays_ms;
  double sum_ms = 0;
  for (const VisitRow& row : rows.visit_rows) {
    EXPECT_LT(row.started_ns - row.arrived_ns, ms_to_ns(500));
    delays_ms.push_back(ns_to_ms(row.ended_ns - row.started_ns));
    sum_ms += delays_ms.back();
  }
  ASSERT_EQ(delays_ms.size(), 20'000u);
  std::nth_element(delays_ms.begin(), delays_ms.begin() + 10'000, delays_ms.end());
  EXPECT_NEAR(delays_ms[10'000] / kMedianMs, 1, 0.02);
  EXPECT_NEAR(sum_ms / 20'000 / (kMedianMs * portable_exp(kSigma * kSigma / 2)), 1, 0.02);
  EXPECT_EQ(record.gpu_ns, 0) << "a remote call costs no GPU time";
}

TEST(Services, ADelayIsTheRequestsOwn) {
  const DelayService delay{1, ms_to_ns(800), 0.6};
  EXPECT_EQ(delay_of(delay, 1, 7, 2), delay_of(delay, 1, 7, 2));
  EXPECT_NE(delay_of(delay, 1, 7, 2), delay_of(delay, 1, 8, 2));
  EXPECT_NE(delay_of(delay, 1, 7, 2), delay_of(delay, 2, 7, 2));
  EXPECT_NE(delay_of(delay, 1, 7, 2), delay_of(delay, 1, 7, 3));
}

TEST(Services, ADelayBeyondAnyClockIsVeryLong) {
  // The widest spread that profiles allow about the longest median: 2.8 hours x e^(4 x normal) passes 292
  // years, the end of the clock, once the normal is beyond 3.4.
  const DelayService delay{1, ms_to_ns(1e7), 4};
  TimeNs longest = 0;
  for (RequestId request = 0; request < 100'000; ++request) {
    longest = std::max(longest, delay_of(delay, 1, request, 0));
    ASSERT_GT(delay_of(delay, 1, request, 0), 1000) << "5.7 standard deviations below the median";
  }
  EXPECT_EQ(longest, static_cast<TimeNs>(1e18));
}

TEST(Services, LengthsComeFromTheTraceInOrderAndWrapAround) {
  Profile profile = shared_profile(1, 1, true);
  profile.shared.lengths_from_trace = true;
  RunSpec spec = service_spec({profile}, {{1, 4}}, 10, {0, s_to_ns(10), s_to_ns(20)});
  spec.trace_tokens = std::make_shared<const TraceTokens>(TraceTokens{{1000, 1}, {3000, 1}});
  RowKeeper rows;
  simulate(spec, &rows);
  ASSERT_EQ(rows.request_rows.size(), 3u);
  for (const std::size_t i : {0u, 1u, 2u}) {
    const RequestRow& row = rows.request_rows[i];
    EXPECT_NEAR(ns_to_s(row.end_ns - row.sent_ns), i == 1 ? 3.0 : 1.0, kSlackS);
  }
}

TEST(Services, CapacityIsWhatTheFullServerCompletes) {
  // 1000 prompt tokens at 1000/s and 100 at 40/s: 3.5 s of the server a visit, whatever the number of slots.
  const Profile shared = shared_profile(1000, 101, true);
  EXPECT_DOUBLE_EQ(worker_rps(shared, 1), 1 / 3.5)
      << "a first-token server with room for one prompt in a step";
  EXPECT_EQ(fixed_workers(shared_profile(200, 1, true)), 3) << "500 tokens a step, 200 a prompt";
  EXPECT_EQ(fixed_workers(shared_profile(1, 1, true)), 4) << "no more than slots";
  EXPECT_EQ(fixed_workers(shared_profile(1000, 1, false)), 4);
  EXPECT_DOUBLE_EQ(worker_rps(scaled(shared, 2), 1), worker_rps(shared, 1) / 2);
  EXPECT_EQ(scaled(shared, 2).latency(1), 2 * shared.latency(1));
  const Profile delay = delay_profile(500, 0, 4);
  EXPECT_DOUBLE_EQ(worker_rps(delay, 1), 2);
  EXPECT_EQ(scaled(delay, 2).latency(1), delay.latency(1)) << "a remote call does not run on the device";
}

TEST(Services, TheBoundCountsTheBatchesBehindARemoteCall) {
  // One worker, a batch of 1 in 100 ms: of 100 requests sent in the first second, all due 2 s later, no more
  // than 30 can end by 3 s. A call may take next to no time, so that it does not narrow the bound.
  std::vector<TimeNs> times;
  for (int i = 0; i < 100; ++i) times.push_back(i * ms_to_ns(10));
  RunSpec spec = service_spec({delay_profile(1, 0, 100), testing::linear_profile("m", 0, 100, 1)},
                              {{1, 100}, {1, 1}}, 2, times);
  const RunRecord record = simulate(spec, nullptr);
  const std::uint64_t bound = fluid_bound(spec, record);
  EXPECT_GE(bound, record.in_time);
  EXPECT_GE(bound, 28u);
  EXPECT_LE(bound, 30u);
}

/// Returns a small cell with rewrite -> {retrieve, search} -> generate.
RunSpec rag_like(const SystemEntry& entry, double load, std::uint64_t seed) {
  Profile rewrite = scaled(shared_profile(50, 6, false), 0.1);
  rewrite.shared.output.sigma = 0.8;
  Profile generate = scaled(shared_profile(300, 11, true), 0.1);
  generate.shared.input.sigma = 0.9;
  RunSpec spec = testing::make_spec(
      entry.name, testing::diamond(),
      {rewrite, testing::linear_profile("retrieve", 1, 20, 8), delay_profile(800, 0.6, 16), generate},
      {{0, 0}, {8, 1}, {0, 0}, {0, 0}}, s_to_ns(5), {}, 60 * kNsPerS);
  spec.workers = 4 + 1 + 16 + 4;
  spec.seed = seed;
  const double capacity = capacity_rps(make_context(spec), initial_plan(spec, 1));
  spec.arrivals = std::make_unique<testing::FixedArrivals>(
      testing::poisson_times(load * capacity, 60 * kNsPerS, seed), 60 * kNsPerS);
  return spec;
}

/// Every registered system serves services: its accounting closes (checked in every run), it does not exceed
/// the bound, the same cell gives the same record, and a light load is served.
class ServiceConformance : public ::testing::TestWithParam<const SystemEntry*> {};

TEST_P(ServiceConformance, ServesAPipelineOfServices) {
  for (const double load : {0.3, 0.8, 1.5}) {
    double in_time = 0;
    double sent = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const RunSpec spec = rag_like(*GetParam(), load, seed);
      const RunRecord record = simulate(spec, nullptr);
      EXPECT_LE(record.in_time, fluid_bound(spec, record));
      EXPECT_EQ(record.fingerprint, simulate(spec, nullptr).fingerprint);
      EXPECT_LE(record.gpu_invalid_ns, record.gpu_ns);
      in_time += static_cast<double>(record.in_time);
      sent += static_cast<double>(record.sent);
    }
    if (load < 0.5) {
      EXPECT_GE(in_time, 0.85 * sent) << "searches take their time, whatever the load";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllSystems, ServiceConformance, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
