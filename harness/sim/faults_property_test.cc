// Faults of every kind, several at once, over random cells: the books close (checked inside every run), GPU
// time adds up, the same cell gives the same decisions, and no result passes the fluid bound. And every
// system goes on after it has lost half of its GPUs.
#include <gtest/gtest.h>

#include <string>

#include "harness/core/error.h"
#include "harness/engine/fluid_bound.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_random_cells.h"

namespace harness {
namespace {

using testing::random_faults;
using testing::RowKeeper;

/// What the rows say, added up.
struct Sums {
  explicit Sums(const RowKeeper& rows) {
    for (const RequestRow& row : rows.request_rows) {
      ++requests;
      gpu_ns += row.gpu_ns;
      invalid_ns += row.outcome == Outcome::kInTime ? 0 : row.gpu_ns;
      if (row.outcome == Outcome::kDropped) ++by_reason[static_cast<std::size_t>(row.reason)];
    }
  }
  std::uint64_t requests = 0;
  TimeNs gpu_ns = 0;
  TimeNs invalid_ns = 0;
  std::array<std::uint64_t, kDropReasons> by_reason{};
};

class FaultyCells : public ::testing::TestWithParam<const SystemEntry*> {};

TEST_P(FaultyCells, CloseTheirBooks) {
  RandomStream random(12, GetParam()->name);
  std::array<std::uint64_t, kDropReasons> seen{};
  int ran = 0;
  for (int round = 0; round < 300; ++round) {
    RunSpec spec = testing::random_cell_or_dynamic(random, *GetParam());
    spec.faults = random_faults(random, spec.workers);
    try {
      testing::add_load(spec, random);
    } catch (const InputError&) {
      continue;  // the planner finds no batch size for this SLO
    }
    ++ran;
    SCOPED_TRACE("round " + std::to_string(round));
    RowKeeper rows;
    const RunRecord record = simulate(spec, &rows);
    ASSERT_EQ(record.sent, record.in_time + record.late + record.dropped);
    const Sums sums(rows);
    ASSERT_EQ(sums.requests, record.sent);
    ASSERT_EQ(sums.gpu_ns, record.gpu_ns);
    ASSERT_EQ(sums.invalid_ns, record.gpu_invalid_ns);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      std::uint64_t dropped = 0;
      for (const ModuleTotals& totals : record.modules) dropped += totals.dropped[i];
      ASSERT_EQ(dropped, sums.by_reason[i]);
      seen[i] += dropped;
    }
    ASSERT_LE(record.in_time, fluid_bound(spec, record));
    if (round % 4 == 0) {
      ASSERT_EQ(record.fingerprint, simulate(spec, nullptr).fingerprint);
    }
  }
  EXPECT_GE(ran, 180);
  for (const DropReason reason : {DropReason::kWorkerLost, DropReason::kMessageLost, DropReason::kNoWorker}) {
    EXPECT_GT(seen[static_cast<std::size_t>(reason)], 0U) << name_of(reason);
  }
}

/// In time of those sent in the seconds from `first` to `last` - 1.
double goodput_share(const RunRecord& record, std::size_t first, std::size_t last) {
  WindowCounts sum;
  for (std::size_t window = first; window < last; ++window) {
    sum.sent += record.windows[window].sent;
    sum.in_time += record.windows[window].in_time;
  }
  return static_cast<double>(sum.in_time) / static_cast<double>(sum.sent);
}

class Recovery : public ::testing::TestWithParam<const SystemEntry*> {};

TEST_P(Recovery, EverySystemGoesOnAfterLosingHalfOfItsWorkersForTwoSeconds) {
  // Three modules of eight workers, batches of 4 in 28 ms: 1143/s. Load 60 %, so that half are not enough.
  for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
    RunSpec spec = testing::make_spec(GetParam()->name, testing::chain(3),
                                      std::vector<Profile>(3, testing::linear_profile("m", 5, 8, 4)),
                                      std::vector<ModuleOverride>(3, {4, 8}), ms_to_ns(400),
                                      testing::poisson_times(686, 30 * kNsPerS, 9), 30 * kNsPerS);
    spec.serving.queue = queue;
    ParamList params;
    spec.system->list(params);
    // Systems that have no more workers than the demand needs: eight a module too.
    if (const Param* headroom = params.find("headroom")) headroom->set(1.6);
    for (int module = 0; module < 3; ++module) {
      Fault fault;
      fault.at_ns = 10 * kNsPerS;
      fault.for_ns = 2 * kNsPerS;
      fault.first_gpu = 8 * module;
      fault.gpus = 4;
      spec.faults.push_back(fault);
    }
    const RunRecord record = simulate(spec, nullptr);
    const double before = goodput_share(record, 4, 10);
    EXPECT_GT(before, 0.95);
    EXPECT_NEAR(goodput_share(record, 18, 30), before, 0.01);
    EXPECT_GT(goodput_share(record, 10, 12), 0.1) << "the other half went on";
    EXPECT_LT(goodput_share(record, 10, 12), 0.98);
    std::uint64_t lost = 0;
    for (const ModuleTotals& totals : record.modules)
      lost += totals.dropped[static_cast<std::size_t>(DropReason::kWorkerLost)];
    EXPECT_GT(lost, 0U);
    EXPECT_LE(lost, 12U * 4U) << "at most what ran";
  }
}

INSTANTIATE_TEST_SUITE_P(AllSystems, FaultyCells, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);
INSTANTIATE_TEST_SUITE_P(AllSystems, Recovery, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
