// Properties of PARD's policy over random visits.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/core/test_time.h"
#include "harness/serving/decision.h"
#include "systems/pard/pard_policy.h"
#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

/// A chain of 10 ms and 20 ms; any order, either size of the execution.
struct RandomWorld {
  explicit RandomWorld(RandomStream& random) : world({10 * kMs, 20 * kMs}, chain_of(2)) {
    world.plan.modules[0].max_batch = 8;
    world.profile.latency_ns.assign(8, 10 * kMs);
    params.order = static_cast<PardOrder>(random.below(5));
    params.execution = static_cast<ExecutionSize>(random.below(2));  // with such a profile the same
    params.lambda = 0;
  }
  PardPolicy policy() const {
    PardPolicy made(world.context, 0, params, std::make_shared<StartEstimates>());
    made.on_plan(0, world.plan);
    return made;
  }

  PardTestWorld world;
  PardParams params;
};

// Whatever happens: a joined visit was estimated in time, a dropped one late, nobody is forgotten, the order
// holds.
TEST(PardPolicy, NeverJoinsWhatItEstimatesLate) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, "pard_policy_test");
    const RandomWorld world(random);
    PardPolicy policy = world.policy();
    TimeNs after_start = 30 * kMs;
    std::map<VisitId, TimeNs> queued;
    VisitId next = 0;
    for (TimeNs now = 0; now < 300 * kMs; now += static_cast<TimeNs>(random.below(2 * kMs))) {
      const std::uint64_t draw = random.below(20);
      if (draw < 14) {
        Visit visit;
        visit.id = next++;
        visit.deadline_ns = now + static_cast<TimeNs>(random.below(120 * kMs));
        policy.push(now, visit);
        queued[visit.id] = visit.deadline_ns;
      } else if (draw < 15 && !queued.empty()) {
        ASSERT_TRUE(policy.erase(queued.begin()->first));
        queued.erase(queued.begin());
      } else if (draw < 16) {
        PardState state;
        state.downstream_ns = static_cast<double>(random.below(60 * kMs));
        state.order = random.below(2) == 0 ? BudgetOrder::kLow : BudgetOrder::kHigh;
        std::vector<double> packed;
        state.pack(packed);
        policy.on_state(now, 0, packed);
        after_start = 10 * kMs + static_cast<TimeNs>(state.downstream_ns);
      } else {
        Decisions out;
        const BatchSlot slot{0, now + static_cast<TimeNs>(random.below(10 * kMs)), 0,
                             1 + static_cast<int>(random.below(8))};
        const int joined = policy.fill(now, slot, out);
        int joins = 0;
        for (const Decision& decision : out.list()) {
          const auto at = queued.find(decision.visit_or_first);
          ASSERT_NE(at, queued.end());
          const bool late = slot.start_ns + after_start > at->second;
          ASSERT_EQ(late, decision.kind == Decision::Kind::kDrop);
          joins += late ? 0 : 1;
          queued.erase(at);
        }
        ASSERT_EQ(joins, joined);
        ASSERT_LE(joined, slot.room);
        if (joined < slot.room) {
          ASSERT_TRUE(queued.empty());
        }
      }
      ASSERT_EQ(policy.empty(), queued.empty());
    }
  }
}

// A visit that finds the queue empty: the short way decides and reports what push and fill would.
TEST(PardPolicy, DecidesOnAnEmptyQueueAsAfterAPush) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RandomStream random(seed, "pard_policy_fill_with");
    const RandomWorld world(random);
    PardPolicy one = world.policy();
    PardPolicy other = world.policy();
    for (TimeNs now = 0; now < 300 * kMs; now += static_cast<TimeNs>(random.below(10)) * kMs) {
      Visit visit;
      visit.id = static_cast<VisitId>(random.below(100));
      visit.request = visit.id;
      visit.arrived_ns = now;
      visit.deadline_ns = now + static_cast<TimeNs>(random.below(120)) * kMs;  // equal to the limit, too
      const BatchSlot slot{0, now + static_cast<TimeNs>(random.below(10)) * kMs, 0,
                           1 + static_cast<int>(random.below(8))};
      Decisions short_way;
      Decisions long_way;
      const int joined = one.fill_with(now, visit, slot, short_way);
      other.push(now, visit);
      ASSERT_EQ(joined, other.fill(now, slot, long_way));
      ASSERT_TRUE(std::ranges::equal(short_way.list(), long_way.list()));
      ASSERT_TRUE(one.empty() && other.empty());
    }
    Decisions reports;
    Decisions other_reports;
    one.on_timer(kNsPerS, reports);
    other.on_timer(kNsPerS, other_reports);
    ASSERT_TRUE(std::ranges::equal(reports.list(), other_reports.list()));
    for (std::size_t i = 0; i < reports.list().size(); ++i) {
      if (reports.list()[i].kind != Decision::Kind::kReport) continue;
      ASSERT_TRUE(
          std::ranges::equal(reports.values(reports.list()[i]), other_reports.values(reports.list()[i])));
    }
  }
}

}  // namespace
}  // namespace harness
