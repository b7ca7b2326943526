#include "systems/loki/turn_limit.h"

#include <gtest/gtest.h>

#include <vector>

#include "systems/loki/next_worker.h"
#include "systems/loki/test_loki_world.h"

namespace harness {
namespace {

TEST(TurnLimit, IsWhatTheRuleLooksAtBeforeATaskRuns) {
  struct Case {
    EarlyDropping rule;
    DropAt at;
    TurnLimit inner, last;  ///< with the request's deadline
    TurnLimit last_of_task;
  };
  constexpr TurnLimit kNo = TurnLimit::kUnlimited, kDue = TurnLimit::kDeadline, kOwn = TurnLimit::kBudget;
  const std::vector<Case> cases = {{EarlyDropping::kOff, DropAt::kEnd, kNo, kNo, kNo},
                                   {EarlyDropping::kOff, DropAt::kStart, kNo, kNo, kNo},
                                   {EarlyDropping::kLastTask, DropAt::kEnd, kNo, kDue, kOwn},
                                   {EarlyDropping::kLastTask, DropAt::kStart, kNo, kDue, kOwn},
                                   {EarlyDropping::kPerTask, DropAt::kEnd, kNo, kNo, kNo},
                                   {EarlyDropping::kPerTask, DropAt::kStart, kOwn, kDue, kOwn},
                                   {EarlyDropping::kReroute, DropAt::kEnd, kNo, kNo, kNo},
                                   {EarlyDropping::kReroute, DropAt::kStart, kOwn, kDue, kOwn}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const Case& each = cases[i];
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kRequest, false), each.inner);
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kTask, false), each.inner);
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kRequest, true), each.last);
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kTask, true), each.last_of_task);
    const bool is_judged = each.rule == EarlyDropping::kPerTask && each.at == DropAt::kStart;
    EXPECT_EQ(rule_at_end(each.rule, each.at), is_judged ? EarlyDropping::kOff : each.rule);
  }
}

// Cars may be read in 40 or 15 ms, faces in 30 alone: 25 ms can be made up for, whatever reads the frames.
TEST(MostMadeUp, IsTheLargestDifferenceAtANextTask) {
  Pipeline pipeline;
  const std::vector<TaskSpec> tasks = {
      {"detect", {"cars", "faces"}, {task_variant("large", 1, {3, 1}), task_variant("small", 0.5, {3, 1})}},
      {"cars", {}, {task_variant("b7", 1), task_variant("b4", 0.9), task_variant("b0", 0.8)}},
      {"faces", {}, {task_variant("vgg", 1)}}};
  ASSERT_EQ(link_tasks(pipeline, tasks), "");
  Plan plan;
  const std::vector<double> exec_ms = {80, 10, 40, 15, 5, 30};
  for (const double ms : exec_ms) plan.modules.push_back({1, 1, ms_to_ns(ms), 0});
  plan.modules[4].workers = 0;
  const auto at = [&](ModuleId module, RerouteLimit limit) {
    return most_made_up(pipeline, plan, module, limit, 2);
  };
  for (const ModuleId frames : std::vector<ModuleId>{0, 1}) {
    EXPECT_EQ(at(frames, RerouteLimit::kExecution), ms_to_ns(25));
    EXPECT_EQ(at(frames, RerouteLimit::kBudget), ms_to_ns(50));
  }
  EXPECT_EQ(at(2, RerouteLimit::kExecution), 0) << "nothing comes after";
  plan.modules[3].workers = 0;
  EXPECT_EQ(at(0, RerouteLimit::kExecution), 0) << "one variant each";
  plan.modules[2].workers = 0;
  EXPECT_EQ(at(0, RerouteLimit::kExecution), 0) << "none";
}

}  // namespace
}  // namespace harness
