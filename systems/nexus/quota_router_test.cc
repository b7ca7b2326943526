#include "systems/nexus/quota_router.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "harness/core/random_stream.h"
#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/visit.h"

namespace harness {
namespace {

/// Queues 10, 11, ... of groups 0, 1, ...
std::vector<QueueView> queues_of(std::size_t count) {
  std::vector<QueueView> queues;
  for (std::size_t i = 0; i < count; ++i)
    queues.push_back({static_cast<QueueId>(10 + i), 1, 0, static_cast<GroupId>(i)});
  return queues;
}

/// Returns the groups to which the next visits go.
std::vector<std::uint32_t> route(QuotaRouter& router, const std::vector<QueueView>& queues,
                                 std::size_t visits) {
  const std::vector<Visit> batch(visits);
  std::vector<std::uint32_t> out(visits);
  router.route(0, batch, queues, out);
  for (std::uint32_t& choice : out) choice = queues[choice].group;
  return out;
}

TEST(QuotaRouter, SpreadsInProportionToTheWeights) {
  QuotaRouter router(0, {160, 64});
  const std::vector<QueueView> queues = queues_of(2);
  const std::vector<std::uint32_t> out = route(router, queues, 7);
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), 2) << "5 to 2";
}

TEST(QuotaRouter, KeepsEveryShareWithinOneVisit) {
  RandomStream random(1, "quota");
  for (int round = 0; round < 200; ++round) {
    std::vector<double> weights(1 + random.below(40));
    for (double& weight : weights) weight = random.below(4) == 0 ? 1.0 : 0.01 + 20 * random.uniform();
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    QuotaRouter router(0, weights);
    const std::vector<QueueView> queues = queues_of(weights.size());
    std::vector<double> sent(weights.size(), 0.0);
    for (int visits = 1; visits <= 1000; ++visits) {
      ++sent[route(router, queues, 1).front()];
      for (std::size_t i = 0; i < weights.size(); ++i)
        ASSERT_LT(std::abs(sent[i] - visits * weights[i] / total), 1 + 1e-9) << "round " << round;
    }
  }
}

// The rule as the header says it, with all queues looked at for each visit.
TEST(QuotaRouter, ChoosesTheEarliestEndOfThoseThatAreNotAhead) {
  RandomStream random(2, "quota");
  for (int round = 0; round < 100; ++round) {
    std::vector<double> weights(1 + random.below(30));
    for (double& weight : weights) weight = static_cast<double>(random.below(5));  // equal ends are common
    weights[random.below(weights.size())] = 1;
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    QuotaRouter router(0, weights);
    const std::vector<QueueView> queues = queues_of(weights.size());
    std::vector<double> sent(weights.size(), 0.0);
    for (int visit = 1; visit <= 500; ++visit) {
      std::size_t earliest = weights.size();
      const auto end = [&](std::size_t i) { return (sent[i] + 1) / (weights[i] / total); };
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (sent[i] >= visit * (weights[i] / total)) continue;
        if (earliest == weights.size() || end(i) < end(earliest)) earliest = i;
      }
      ASSERT_EQ(route(router, queues, 1).front(), earliest) << "round " << round << " visit " << visit;
      ++sent[earliest];
    }
  }
}

TEST(QuotaRouter, VisitsThatComeTogetherAreSpreadAsOneByOne) {
  QuotaRouter together(0, {3, 2, 2});
  QuotaRouter alone(0, {3, 2, 2});
  const std::vector<QueueView> queues = queues_of(3);
  const std::vector<std::uint32_t> at_once = route(together, queues, 50);
  for (const std::uint32_t choice : at_once) EXPECT_EQ(route(alone, queues, 1).front(), choice);
}

TEST(QuotaRouter, TheVisitsOfALostNodeGoToTheOthersInProportion) {
  QuotaRouter router(0, {2, 1, 1});
  const std::vector<QueueView> all = queues_of(3);
  route(router, all, 5);
  const std::vector<QueueView> rest(all.begin(), all.begin() + 2);
  std::vector<int> sent(2, 0);
  for (const std::uint32_t choice : route(router, rest, 30)) ++sent[choice];
  EXPECT_EQ(sent, (std::vector<int>{20, 10}));
  std::vector<int> again(3, 0);
  for (const std::uint32_t choice : route(router, all, 40)) ++again[choice];
  EXPECT_EQ(again, (std::vector<int>{20, 10, 10}));
}

TEST(QuotaRouter, NodesThatAreNotPlannedGetNothingBesideOthersAndTurnsAlone) {
  QuotaRouter router(0, {1, 0, 0});
  for (const std::uint32_t choice : route(router, queues_of(3), 10)) EXPECT_EQ(choice, 0U);
  const std::vector<QueueView> all = queues_of(3);
  const std::vector<QueueView> rest(all.begin() + 1, all.end());
  std::vector<int> sent(3, 0);
  for (const std::uint32_t choice : route(router, rest, 10)) ++sent[choice];
  EXPECT_EQ(sent, (std::vector<int>{0, 5, 5}));
}

TEST(QuotaRouter, WeighsANodeByBatchAndDutyCycle) {
  Plan plan;
  plan.modules.resize(2);
  plan.groups = {{1, {0}, {16}, 100 * kNsPerMs}, {1, {0, 1}, {8, 4}, 125 * kNsPerMs}, {1, {1}}};
  EXPECT_EQ(planned_rps(plan, 0), (std::vector<double>{160, 64, 0}));
  EXPECT_EQ(planned_rps(plan, 1), (std::vector<double>{0, 32, 0}));
}

}  // namespace
}  // namespace harness
