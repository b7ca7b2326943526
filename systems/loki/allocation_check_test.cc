#include "systems/loki/test_allocation_check.h"

#include <gtest/gtest.h>

#include "systems/loki/test_loki_cases.h"

namespace harness {
namespace {

/// True if one of the lines says `what`.
bool says(const std::vector<std::string>& broken, const std::string& what) {
  for (const std::string& line : broken)
    if (line.find(what) != std::string::npos) return true;
  return false;
}

Allocation traffic_plan(LokiCase& made) {
  make_traffic(made);
  made.problem.demand_rps = 700;
  return scale_accuracy(made.problem);
}

TEST(AllocationCheck, SaysWhatIsBroken) {
  LokiCase made;
  const Allocation plan = traffic_plan(made);
  const auto broken_by = [&](auto change) {
    Allocation changed = plan;
    change(changed);
    return check_allocation(made.problem, changed);
  };
  EXPECT_EQ(check_allocation(made.problem, plan), std::vector<std::string>{});
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.workers[0] += 21; }), "(3)"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.demand_rps *= 2; }), "(2)"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.accuracy += 0.001; }), "(12)"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.flows.pop_back(); }), "sum to"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.flows.push_back(p.flows[0]); }), "twice"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.flows[0].share = -0.1; }), "share"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.flows[0].path.pop_back(); }), "sink"));
  EXPECT_TRUE(
      says(broken_by([](Allocation& p) { p.flows[0].path.push_back(p.flows[0].path[1]); }), "no edge"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.workers.pop_back(); }), "per module"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.feasible = false; }), "an empty plan"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.workers[p.flows[0].path[0]] = 0; }), "no workers"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.batch[p.flows[0].path[0]] = 3; }), "(4)"));
  EXPECT_TRUE(says(broken_by([](Allocation& p) { p.batch[p.flows[0].path[0]] = 32; }), "(7)"));
}

// The requests of the two sinks are divided differently between the detectors, though they pass them
// together.
TEST(AllocationCheck, SeesThatPathsDoNotBeginAlike) {
  LokiCase made(make_traffic);
  Allocation plan;
  plan.feasible = true;
  plan.workers.assign(17, 0);
  plan.batch.assign(17, 1);
  for (const std::size_t m : {0U, 1U, 5U, 13U}) plan.workers[m] = 5;
  plan.demand_rps = 1;
  plan.accuracy = 1;
  plan.flows = {{{0, 5}, 0.5}, {{1, 5}, 0.5}, {{0, 13}, 0.25}, {{1, 13}, 0.75}};
  plan.accuracy = (0.5 + 0.5 * 0.983 + 0.25 + 0.75 * 0.983) / 2;
  std::vector<std::string> broken = check_allocation(made.problem, plan);
  EXPECT_EQ(broken.size(), 2U);
  EXPECT_TRUE(says(broken, "same share"));
  plan.flows[2].share = plan.flows[3].share = 0.5;
  plan.accuracy = (1 + 0.983) / 2;
  EXPECT_EQ(check_allocation(made.problem, plan), std::vector<std::string>{});
}

// Changes any plan: a worker less where its work is needed, a little more accuracy, a little more of a share,
// or a limit just below its longest path.
TEST(AllocationCheck, RejectsEveryMutation) {
  int plans = 0;
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    SCOPED_TRACE(seed);
    LokiCase made;
    make_random(made, seed);
    const Allocation plan = most_throughput(made.problem);
    if (!plan.feasible) continue;
    ++plans;
    ASSERT_EQ(check_allocation(made.problem, plan), std::vector<std::string>{});
    RandomStream random(seed, "mutation");
    const auto rejects = [&](const AllocationProblem& problem, const Allocation& changed) {
      return !check_allocation(problem, changed).empty();
    };
    Allocation changed = plan;
    changed.accuracy += 0.0001;
    EXPECT_TRUE(rejects(made.problem, changed));
    changed = plan;
    changed.flows[random.below(plan.flows.size())].share += 0.0001;
    EXPECT_TRUE(rejects(made.problem, changed));
    changed = plan;
    changed.demand_rps *= 1.001;  // it was the most
    EXPECT_TRUE(rejects(made.problem, changed));
    changed = plan;
    const PathFlow& any = plan.flows[random.below(plan.flows.size())];
    changed.workers[any.path[random.below(any.path.size())]] = 0;
    EXPECT_TRUE(rejects(made.problem, changed));
    AllocationProblem other = made.problem;
    other.workers = plan.total_workers() - 1;
    EXPECT_TRUE(rejects(other, plan));
    other = made.problem;
    TimeNs longest_ns = 0;
    for (const PathFlow& flow : plan.flows) {
      TimeNs ns = 0;
      for (const ModuleId m : flow.path) ns += made.problem.profiles[m]->latency(plan.batch[m]);
      longest_ns = std::max(longest_ns, ns);
    }
    other.latency_limit_ns = longest_ns - 1;
    EXPECT_TRUE(rejects(other, plan));
    other.latency_limit_ns = longest_ns;
    EXPECT_FALSE(rejects(other, plan));
  }
  EXPECT_GT(plans, 100);
}

}  // namespace
}  // namespace harness
