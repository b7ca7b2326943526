// A system for tests that preempts: it serves first in, first out, and stops a batch that is small compared
// with the queue.
#pragma once

#include <memory>

#include "harness/serving/system.h"
#include "harness/sim/test_groups.h"

namespace harness::testing {

/// A system with a GroupScheduler for each queue.
class PreemptingSystem final : public System {
 public:
  explicit PreemptingSystem(double factor) : factor_(factor) {}
  void list(ParamList&) override {}
  SystemTraits traits() const override { return {.preempts = true}; }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    return std::make_unique<GroupScheduler>(context, group, factor_, true);
  }

 private:
  double factor_;
};

/// Returns a cell of any shape, load and scaling whose system preempts; one in three has faults.
inline RunSpec random_preempting_cell(RandomStream& random) {
  RunSpec spec = next_with_a_plan([&random] {
    RunSpec cell = random_cell(random, all_systems().front());
    cell.system = std::make_unique<PreemptingSystem>(0.5 + 3 * random.uniform());
    for (Profile& profile : cell.profiles) profile.exit_points = static_cast<int>(random.below(60));
    if (random.below(4) == 0) cell.world.preemption = Preemption::kImmediate;
    add_load(cell, random);
    return cell;
  });
  if (random.below(3) == 0) spec.faults = random_faults(random, spec.workers);
  return spec;
}

}  // namespace harness::testing
