#include "systems/shepherd/herd_affinity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "systems/shepherd/test_herd_cases.h"

namespace harness {
namespace {

HerdModel with(double alpha_ms, double beta_ms) { return {"", 0, 1, alpha_ms, beta_ms, 0}; }

std::vector<HerdModel> table4() {
  std::vector<HerdModel> models;
  for (std::size_t i = 0; i < kTable4.size(); ++i) models.push_back(table4_model(i));
  return models;
}

TEST(Affinity, IsOneForEqualModels) {
  for (const HerdModel& model : table4()) EXPECT_EQ(affinity(model, model), 1);
  EXPECT_EQ(divergence(with(2, 0), with(2, 0)), 1);
}

// Section 5.2 by hand.
TEST(Affinity, FollowsTheCasesOfItsDefinition) {
  // alpha_j + beta_j - beta_i = 1 + 2 - 4 <= 0: (alpha_i + beta_i) / alpha_j.
  EXPECT_DOUBLE_EQ(affinity(with(3, 4), with(1, 2)), 7);
  // Equal to 0 counts as well: 1 + 2 - 3.
  EXPECT_DOUBLE_EQ(affinity(with(3, 3), with(1, 2)), 6);
  // 2 + 6 - 4 = 4: min((3 + 4) / 2, max(3 / 4, 3 / 2)).
  EXPECT_DOUBLE_EQ(affinity(with(3, 4), with(2, 6)), 1.5);
  // 2 + 3 - 4 = 1: min((3 + 4) / 2, max(3 / 1, 3 / 2)).
  EXPECT_DOUBLE_EQ(affinity(with(3, 4), with(2, 3)), 3);
  // 2 + 2.5 - 4 = 0.5: min(3.5, max(6, 1.5)).
  EXPECT_DOUBLE_EQ(affinity(with(3, 4), with(2, 2.5)), 3.5);
  // Both directions: from (2, 3) to (3, 4) it is min(5 / 3, max(2 / (3 + 4 - 3), 2 / 3)).
  EXPECT_DOUBLE_EQ(affinity(with(2, 3), with(3, 4)), 2.0 / 3);
  EXPECT_DOUBLE_EQ(divergence(with(2, 3), with(3, 4)), 3);
}

TEST(AffinitySets, AreOneWithoutALimit) {
  const std::vector<int> sets = affinity_sets(table4(), 0);
  EXPECT_EQ(*std::max_element(sets.begin(), sets.end()), 0);
}

TEST(AffinitySets, KeepTheLimitWithinAndGrowFewerWithIt) {
  const std::vector<HerdModel> models = table4();
  int before = std::numeric_limits<int>::max();
  for (const double limit : {1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 400.0}) {
    const std::vector<int> sets = affinity_sets(models, limit);
    for (std::size_t i = 0; i < models.size(); ++i) {
      for (std::size_t j = 0; j < models.size(); ++j) {
        if (sets[i] == sets[j]) {
          EXPECT_LE(divergence(models[i], models[j]), limit);
        }
      }
    }
    const int count = *std::max_element(sets.begin(), sets.end()) + 1;
    EXPECT_LE(count, before) << limit;
    before = count;
  }
  EXPECT_EQ(before, 1);  // the largest K of Table 4 is below 400: A(resnest269, resnet18) = 357.1
  EXPECT_NEAR(divergence(models[8], models[0]), (4.37 + 74.20) / 0.22, 1e-9);
}

TEST(AffinitySets, PutEqualModelsTogether) {
  std::vector<HerdModel> models;
  for (std::size_t i = 0; i < 5 * kTable4.size(); ++i) models.push_back(table4_model(i));
  const std::vector<int> sets = affinity_sets(models, 1);
  for (std::size_t i = kTable4.size(); i < models.size(); ++i) EXPECT_EQ(sets[i], sets[i % kTable4.size()]);
}

// The fewest sets that a partition can have, by trying all unions of cliques.
int fewest_sets(const std::vector<HerdModel>& models, double limit) {
  const std::size_t all = std::size_t{1} << models.size();
  std::vector<char> clique(all, 1);
  for (std::size_t mask = 1; mask < all; ++mask) {
    std::size_t high = 0;
    while (mask >> (high + 1) != 0) ++high;
    const std::size_t rest = mask & ~(std::size_t{1} << high);
    clique[mask] = clique[rest];
    for (std::size_t i = 0; i < high && clique[mask] != 0; ++i)
      if ((rest >> i & 1) != 0 && divergence(models[i], models[high]) > limit) clique[mask] = 0;
  }
  std::vector<int> fewest(all, 100);
  fewest[0] = 0;
  for (std::size_t mask = 1; mask < all; ++mask) {
    const std::size_t lowest = mask & (~mask + 1);
    for (std::size_t part = mask; part != 0; part = (part - 1) & mask)
      if ((part & lowest) != 0 && clique[part] != 0)
        fewest[mask] = std::min(fewest[mask], fewest[mask ^ part] + 1);
  }
  return fewest[all - 1];
}

// README.md's table: first fit against the best partition, over the first 11 models of Table 4.
TEST(AffinitySets, FirstFitIsNearTheFewest) {
  std::vector<HerdModel> models = table4();
  models.resize(11);
  for (const double limit : {2.0, 4.0, 8.0, 16.0, 64.0}) {
    const std::vector<int> sets = affinity_sets(models, limit);
    const int count = *std::max_element(sets.begin(), sets.end()) + 1;
    const int fewest = fewest_sets(models, limit);
    EXPECT_GE(count, fewest);
    EXPECT_LE(count, fewest + 1) << limit;
  }
}

}  // namespace
}  // namespace harness
