// For tests of the offline schedule: the record of a fixed plan, and the rules that a schedule must keep,
// written down independently of the code that makes one.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "harness/core/routes.h"
#include "harness/engine/bounds/offline_schedule.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

/// Returns the part of a run's record that a fixed plan determines: one row of the plan per module.
inline RunRecord fixed_plan(const RunSpec& spec, std::uint64_t sent,
                            const std::vector<ModuleOverride>& modules) {
  RunRecord record;
  record.sent = sent;
  record.modules.resize(modules.size());
  for (std::size_t m = 0; m < modules.size(); ++m) {
    record.plans.push_back({0, static_cast<std::uint16_t>(m), static_cast<std::uint32_t>(modules[m].workers),
                            static_cast<std::uint32_t>(modules[m].batch),
                            spec.profiles[m].latency(modules[m].batch)});
  }
  return record;
}

/// Expects each batch to be within its maximum size and its worker: it takes the profile's time for its size,
/// and the next batch on the worker starts when that time has passed.
inline void expect_batches_fit(const RunSpec& spec, const RunRecord& record,
                               const std::vector<ScheduledVisit>& visits) {
  std::map<std::tuple<ModuleId, std::uint32_t, TimeNs>, int> sizes;
  for (const ScheduledVisit& visit : visits) ++sizes[{visit.module, visit.worker, visit.start_ns}];
  std::map<std::pair<ModuleId, std::uint32_t>, TimeNs> busy_until;
  for (const auto& [batch, size] : sizes) {
    const auto& [module, worker, start] = batch;
    ASSERT_LT(worker, record.plans[module].workers);
    ASSERT_LE(size, static_cast<int>(record.plans[module].max_batch));
    ASSERT_GE(start, (busy_until[{module, worker}])) << "module " << module << " worker " << worker;
    busy_until[{module, worker}] = start + spec.profiles[module].latency(size);
  }
  for (const ScheduledVisit& visit : visits) {
    const int size = sizes.at({visit.module, visit.worker, visit.start_ns});
    ASSERT_GE(visit.end_ns, visit.start_ns + spec.profiles[visit.module].latency(size));
  }
}

/// Expects every request to visit every module of its route once, after the modules before it, and to end by
/// its deadline. Returns the number of requests.
inline std::size_t expect_requests_in_time(const RunSpec& spec, const std::vector<TimeNs>& times,
                                           const std::vector<ScheduledVisit>& visits) {
  const TimeNs hop_ns = ms_to_ns(spec.world.network_delay_ms);
  std::map<RequestId, std::map<ModuleId, ScheduledVisit>> requests;
  for (const ScheduledVisit& visit : visits) {
    EXPECT_TRUE(requests[visit.request].emplace(visit.module, visit).second) << "visited twice";
  }
  const Routes routes(spec.pipeline, spec.seed);
  for (const auto& [request, stops] : requests) {
    const Route& route = routes[routes.of(request)];
    for (ModuleId m = 0; m < spec.pipeline.modules.size(); ++m) EXPECT_EQ(stops.contains(m), route.visits(m));
    for (const auto& [module, visit] : stops) {
      EXPECT_GE(visit.start_ns, times.at(request) + hop_ns);
      EXPECT_LE(visit.end_ns, times.at(request) + spec.slo_ns);
      for (const ModuleId pre : spec.pipeline.modules[module].pres) {
        if (!route.takes(pre, module)) continue;
        EXPECT_GE(visit.start_ns, stops.at(pre).end_ns + hop_ns);
      }
    }
  }
  return requests.size();
}

/// Returns the number of requests of the offline schedule, after checking that the schedule can be carried
/// out and has that many requests.
inline std::uint64_t checked_schedule(const RunSpec& spec, const RunRecord& record,
                                      const std::vector<TimeNs>& times) {
  std::vector<ScheduledVisit> visits;
  const std::uint64_t accepted = offline_schedule(spec, record, &visits).value();
  expect_batches_fit(spec, record, visits);
  EXPECT_EQ(expect_requests_in_time(spec, times, visits), accepted);
  return accepted;
}

}  // namespace harness::testing
