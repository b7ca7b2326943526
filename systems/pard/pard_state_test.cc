#include "systems/pard/pard_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace harness {
namespace {

TEST(PardState, SurvivesPacking) {
  PardState state;
  state.queueing_ns = 1.5;
  state.exec_ns = 2e6;
  state.batch = 8;
  state.throughput_rps = 4'000;
  state.input_rps = 3'999;
  state.drop_rate = 0.25;
  state.downstream_ns = 123'456'789;
  state.order = BudgetOrder::kHigh;
  state.wait_ns = 77;
  state.load = 0.99;
  state.band = 0.02;
  state.waits = 10'000;
  state.worst_ns = 31e6;
  state.level = 0.95;
  state.admitted = 0.9;
  state.budget_ns = 55e6;
  state.period = 3;
  state.table = WaitTable::uniform(2'000'000);
  std::vector<double> packed = {1, 2, 3};
  state.pack(packed);
  ASSERT_EQ(packed.size(), PardState::kSize);

  const PardState back = PardState::unpack(packed);
  std::vector<double> again;
  back.pack(again);
  EXPECT_EQ(packed, again);
  EXPECT_EQ(back.queueing_ns, state.queueing_ns);
  EXPECT_EQ(back.downstream_ns, state.downstream_ns);
  EXPECT_EQ(back.order, state.order);
  EXPECT_EQ(back.band, state.band);
  EXPECT_EQ(back.waits, state.waits);
  EXPECT_EQ(back.worst_ns, state.worst_ns);
  EXPECT_EQ(back.level, state.level);
  EXPECT_EQ(back.admitted, state.admitted);
  EXPECT_EQ(back.budget_ns, state.budget_ns);
  EXPECT_EQ(back.period, state.period);
  EXPECT_EQ(back.table.at, state.table.at);

  PardState::ForWorker worker = PardState::unpack_for_worker(packed);
  EXPECT_EQ(worker.downstream_ns, state.downstream_ns);
  EXPECT_EQ(worker.order, state.order);
  EXPECT_EQ(worker.admitted, state.admitted);
}

// names()[i] names value i of the layout.
TEST(PardState, NamesItsScalars) {
  const auto at = [](const std::string& name) {
    const auto names = PardState::names();
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  ASSERT_EQ(PardState::names().size() + WaitTable::kPoints, PardState::kSize);
  PardState state;
  state.queueing_ns = 1;
  state.exec_ns = 2;
  state.batch = 3;
  state.throughput_rps = 4;
  state.input_rps = 5;
  state.drop_rate = 6;
  state.downstream_ns = 7;
  state.order = BudgetOrder::kHigh;
  state.wait_ns = 9;
  state.load = 10;
  state.band = 11;
  state.waits = 12;
  state.worst_ns = 13;
  state.level = 14;
  state.admitted = 15;
  state.budget_ns = 16;
  state.period = 17;
  std::vector<double> packed;
  state.pack(packed);
  EXPECT_EQ(packed[at("version")], PardState::kVersion);
  EXPECT_EQ(packed[at("queueing_ns")], 1);
  EXPECT_EQ(packed[at("exec_ns")], 2);
  EXPECT_EQ(packed[at("batch")], 3);
  EXPECT_EQ(packed[at("throughput_rps")], 4);
  EXPECT_EQ(packed[at("input_rps")], 5);
  EXPECT_EQ(packed[at("drop_rate")], 6);
  EXPECT_EQ(packed[at("downstream_ns")], 7);
  EXPECT_EQ(packed[at("order")], 1);
  EXPECT_EQ(packed[at("wait_ns")], 9);
  EXPECT_EQ(packed[at("load")], 10);
  EXPECT_EQ(packed[at("band")], 11);
  EXPECT_EQ(packed[at("waits")], 12);
  EXPECT_EQ(packed[at("worst_ns")], 13);
  EXPECT_EQ(packed[at("level")], 14);
  EXPECT_EQ(packed[at("admitted")], 15);
  EXPECT_EQ(packed[at("budget_ns")], 16);
  EXPECT_EQ(packed[at("period")], 17);
}

TEST(PardStateDeathTest, RefusesAnotherLayout) {
  std::vector<double> packed;
  PardState{}.pack(packed);
  packed[0] = 99;
  EXPECT_DEATH(PardState::unpack(packed), "published state");
  packed[0] = PardState::kVersion;
  packed.pop_back();
  EXPECT_DEATH(PardState::unpack(packed), "published state");
}

BatchView batch_at(TimeNs started, std::span<const BatchVisit> visits) {
  BatchView batch;
  batch.started_ns = started;
  batch.expected_end_ns = started + 7;
  batch.visits = visits;
  return batch;
}

TEST(PardReport, SumsUpAndStartsAnew) {
  PardReport report;
  report.set_most_waits(10);
  report.set_workers(3);
  for (int i = 0; i < 5; ++i) report.add_arrival();
  report.add_drop();
  const BatchVisit visits[] = {{1, 10, 14}, {2, 12, 20}};
  report.add_started(batch_at(25, visits));

  PardReport::View view = PardReport::view(report.values());
  EXPECT_EQ(view.workers, 3);
  EXPECT_EQ(view.arrived, 5);
  EXPECT_EQ(view.dropped, 1);
  EXPECT_EQ(view.started, 2);
  EXPECT_EQ(view.queueing_ns, 4 + 8);
  EXPECT_EQ(view.worst_ns, 25 + 7 - 10);
  EXPECT_EQ(std::vector<double>(view.waits_ns.begin(), view.waits_ns.end()), (std::vector<double>{11, 5}));

  report.clear();
  view = PardReport::view(report.values());
  EXPECT_EQ(view.workers, 3);
  EXPECT_EQ(view.arrived + view.dropped + view.started + view.queueing_ns + view.worst_ns, 0);
  EXPECT_TRUE(view.waits_ns.empty());
}

TEST(PardReport, KeepsTheNewestWaits) {
  PardReport report;
  report.set_most_waits(3);
  for (TimeNs wait = 1; wait <= 5; ++wait) {
    const BatchVisit visit{1, 0, 100 - wait};
    report.add_started(batch_at(100, {&visit, 1}));
  }
  const PardReport::View view = PardReport::view(report.values());
  EXPECT_EQ(view.started, 5);
  std::vector<double> waits(view.waits_ns.begin(), view.waits_ns.end());
  std::sort(waits.begin(), waits.end());
  EXPECT_EQ(waits, (std::vector<double>{3, 4, 5}));
}

TEST(PardReport, KeepsTheNewestWaitsWhenTheirNumberChanges) {
  PardReport report;
  const auto add = [&](TimeNs wait) {
    const BatchVisit visit{1, 0, 100 - wait};
    report.add_started(batch_at(100, {&visit, 1}));
  };
  const auto waits = [&] {
    const PardReport::View view = PardReport::view(report.values());
    return std::vector<double>(view.waits_ns.begin(), view.waits_ns.end());
  };
  report.set_most_waits(3);
  for (TimeNs wait = 1; wait <= 4; ++wait) add(wait);
  report.set_most_waits(4);
  EXPECT_EQ(waits(), (std::vector<double>{2, 3, 4}));
  add(5);
  add(6);
  report.set_most_waits(2);
  EXPECT_EQ(waits(), (std::vector<double>{5, 6}));
  add(7);
  EXPECT_EQ(waits(), (std::vector<double>{7, 6}));
}

}  // namespace
}  // namespace harness
