// The statistics that planners get for each module, compared with known gaps, waits and busy times.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "harness/engine/test_system.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;
using Told = std::vector<std::vector<ModuleStatistics>>;

/// Plans fixed workers, and keeps the statistics that it is told.
class AskingPlanner final : public Planner {
 public:
  AskingPlanner(const ServingContext& context, std::vector<int> workers, Told& told)
      : context_(context), workers_(std::move(workers)), told_(told) {}
  Plan plan(TimeNs, const LoadStatistics& load, const Plan&) override {
    told_.push_back(load.modules);
    Plan plan;
    for (std::size_t m = 0; m < workers_.size(); ++m)
      plan.modules.push_back({workers_[m], context_.profiles[m]->max_batch(),
                              context_.profiles[m]->latency(context_.profiles[m]->max_batch())});
    return plan;
  }

 private:
  const ServingContext& context_;
  std::vector<int> workers_;
  Told& told_;
};

class AskingSystem final : public System {
 public:
  AskingSystem(std::vector<int> workers, TimeNs period_ns, bool asks, Told& told)
      : workers_(std::move(workers)), period_ns_(period_ns), asks_(asks), told_(told) {}
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return scripted_.make_scheduler(context, queue, group);
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<AskingPlanner>(context, workers_, told_);
  }
  TimeNs replan_period_ns(const ServingContext&) const override { return period_ns_; }
  SystemTraits traits() const override { return {.wants_module_statistics = asks_}; }

 private:
  std::vector<int> workers_;
  TimeNs period_ns_;
  bool asks_;
  Told& told_;
  testing::ScriptedSystem scripted_{testing::DropList{{0, {3}}}};  // request 3 ends at the first module
};

/// Returns a cell that is planned every 100 ms.
RunSpec asking_spec(const std::vector<double>& modules_ms, std::vector<int> workers,
                    const std::vector<TimeNs>& sent, double duration_ms, bool asks, Told& told) {
  std::vector<Profile> profiles;
  std::vector<ModuleOverride> overrides;
  for (std::size_t m = 0; m < modules_ms.size(); ++m) {
    profiles.push_back(linear_profile("m" + std::to_string(m), 0, modules_ms[m], 1));
    overrides.push_back({1, workers[m]});
  }
  RunSpec spec = testing::make_spec("naive", testing::chain(modules_ms.size()), std::move(profiles),
                                    overrides, s_to_ns(10), sent, ms_to_ns(duration_ms));
  spec.workers = 0;
  for (const int count : workers) spec.workers += count;
  spec.system = std::make_unique<AskingSystem>(std::move(workers), ms_to_ns(100), asks, told);
  return spec;
}

TEST(ModuleStatistics, AScriptedLoad) {
  Told told;
  // m0 takes 20 ms, m1 30 ms. Request 3 is dropped when its turn comes at m0, at 80 ms.
  const RunSpec spec =
      asking_spec({20, 30}, {1, 1}, testing::at_ms({10, 20, 60, 70, 145, 290}), 301, true, told);
  simulate(spec, nullptr);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_TRUE(told[0].empty()) << "before the start";
  const ModuleStatistics& first = told[1][0];
  // Until 100 ms: m0 runs 10-30, 30-50, 60-80. Gaps 10, 40, 10 ms: mean 20, variance 200.
  EXPECT_DOUBLE_EQ(first.arrival_cv, std::sqrt(200.0) / 20);
  EXPECT_EQ(first.gaps, 3u);
  EXPECT_DOUBLE_EQ(first.gap_ms, 20);
  EXPECT_DOUBLE_EQ(first.wait_ms, (0 + 10 + 0) / 3.0);
  EXPECT_DOUBLE_EQ(first.busy_share, 0.6);
  EXPECT_EQ(first.present, 0u);
  // m1 is sent visits at 30, 50, 80 ms and runs 30-60, 60-90, 90-120: the last is there still.
  const ModuleStatistics& second = told[1][1];
  EXPECT_DOUBLE_EQ(second.arrival_cv, 5.0 / 25);  // gaps 20 and 30 ms
  EXPECT_DOUBLE_EQ(second.wait_ms, (0 + 10) / 2.0);
  EXPECT_DOUBLE_EQ(second.busy_share, 0.6);
  EXPECT_EQ(second.present, 1u);
  // Until 200 ms one visit comes to each, the gaps to it are the only ones.
  EXPECT_TRUE(std::isnan(told[2][0].arrival_cv));
  EXPECT_EQ(told[2][0].gaps, 1u);
  EXPECT_DOUBLE_EQ(told[2][0].gap_ms, 75);
  EXPECT_DOUBLE_EQ(told[2][0].busy_share, 0.2);
  EXPECT_DOUBLE_EQ(told[2][1].busy_share, 0.6) << "90-120 and 165-195: all of a batch where it ends";
  EXPECT_DOUBLE_EQ(told[2][1].wait_ms, (10 + 0) / 2.0);
  EXPECT_EQ(told[2][1].present, 0u);
}

TEST(ModuleStatistics, OnlyWhoAsksIsTold) {
  Told told;
  const RunSpec spec = asking_spec({20}, {1}, testing::at_ms({10, 20, 60}), 301, false, told);
  const RunRecord record = simulate(spec, nullptr);
  for (const auto& modules : told) EXPECT_TRUE(modules.empty());
  EXPECT_EQ(record.modules[0].gaps.count, 0u) << "nobody asks and no rows are recorded";
}

TEST(ModuleStatistics, AddUpToTheRun) {
  constexpr double kDurationMs = 20'000;
  Told told;
  const std::vector<TimeNs> sent = testing::poisson_times(150, ms_to_ns(kDurationMs), 5);
  RunSpec spec = asking_spec({10, 5, 8}, {2, 1, 2}, sent, kDurationMs, true, told);
  spec.world.jitter = Jitter::kUniform;
  spec.world.network_delay_ms = 1;
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  ASSERT_EQ(told.size(), 200u);
  const TimeNs last_ns = s_to_ns(19.9);
  for (std::uint16_t m = 0; m < 3; ++m) {
    // The statistics at the end of each period must agree with the rows.
    std::vector<std::uint64_t> present(told.size(), 0);
    double busy_ns = 0;
    std::uint64_t arrived = 0;
    for (const VisitRow& row : rows.visit_rows) {
      if (row.module != m) continue;
      arrived += 1;
      if (row.started_ns > 0 && row.ended_ns <= last_ns)
        busy_ns += static_cast<double>(row.ended_ns - row.started_ns);
      for (std::size_t i = 1; i < told.size(); ++i) {
        const TimeNs at = static_cast<TimeNs>(i) * ms_to_ns(100);
        present[i] += row.arrived_ns <= at && row.ended_ns > at ? 1 : 0;
      }
    }
    double told_busy_ns = 0;
    for (std::size_t i = 1; i < told.size(); ++i) {
      EXPECT_EQ(told[i][m].present, present[i]) << "module " << m << ", period " << i;
      if (told[i][m].busy_share > 0) told_busy_ns += told[i][m].busy_share * 1e8 * (m == 1 ? 1 : 2);
    }
    EXPECT_NEAR(told_busy_ns, busy_ns, 1e-6 * busy_ns);
    EXPECT_EQ(record.modules[m].gaps.count, arrived - 1);
  }
  EXPECT_EQ(record.modules[0].gaps.sum_ns, sent.back() - sent.front());
}

}  // namespace
}  // namespace harness
