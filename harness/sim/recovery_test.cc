// Every system goes on after it has lost half of its GPUs.
#include <gtest/gtest.h>

#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

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
    for (int module = 0; module < 3; ++module)
      spec.faults.push_back(testing::fault_of(FaultKind::kStop, 10'000, 2'000, 8 * module, 4));
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

INSTANTIATE_TEST_SUITE_P(AllSystems, Recovery, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
