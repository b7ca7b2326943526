// The system against its rules written down plainly, over random loads and settings, and what holds in any
// run.
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/test_world.h"
#include "systems/triton/dynamic_batcher.h"
#include "systems/triton/test_triton_reference.h"

namespace harness {
namespace {

constexpr int kInstances = 3;

struct BatcherCase {
  TritonParams params;
  int instances = 1;
  int max_batch = 8;
  std::vector<TimeNs> arrivals_ns;
  std::vector<TimeNs> cancelled_ns;  ///< time of each request; it is cancelled if it waits then
};

struct BatcherOutcome {
  std::string log;  ///< the decisions with their times, but for times to wake and instances, which are alike
  int served = 0;
  int rejected = 0;
  int refused = 0;
  int cancelled = 0;
  int waited = 0;  ///< number of batches that were launched by a timer
};

/// Runs the case with a batch of b in 30 us + 10 us b, rounded so that ties are common. At one instant
/// batches end, then requests are cancelled, then the timer rings, then requests arrive.
class BatcherHost {
 public:
  BatcherHost(const BatcherCase& one, Scheduler& scheduler) : case_(one), scheduler_(scheduler) {
    for (std::uint32_t i = 0; i < one.arrivals_ns.size(); ++i) {
      events_.push({one.arrivals_ns[i], kArrival, i});
      events_.push({one.cancelled_ns[i], kCancel, i});
    }
    queued_.assign(one.arrivals_ns.size(), false);
  }

  BatcherOutcome run() {
    Plan plan;
    plan.modules.push_back({case_.instances, case_.max_batch, 100 * kNsPerUs, 1000 * kNsPerUs});
    call([&](Decisions& out) { scheduler_.on_plan(0, plan, out); });
    for (WorkerId worker = 0; worker < static_cast<WorkerId>(case_.instances); ++worker) {
      call([&](Decisions& out) { scheduler_.on_worker_added(0, worker, out); });
      call([&](Decisions& out) { scheduler_.on_worker_free(0, worker, out); });
    }
    while (!events_.empty()) {
      const auto [at_ns, kind, subject] = events_.top();
      events_.pop();
      now_ = at_ns;
      if (kind == kEnd) end(subject);
      if (kind == kCancel && queued_[subject]) cancel(subject);
      if (kind == kTimer && at_ns == timer_ns_) ring();
      if (kind == kArrival) arrive(subject);
    }
    EXPECT_EQ(std::count(queued_.begin(), queued_.end(), true), 0) << "nothing waits for ever";
    return outcome_;
  }

 private:
  enum Kind { kEnd, kCancel, kTimer, kArrival };
  using Event = std::tuple<TimeNs, Kind, std::uint32_t>;

  void arrive(std::uint32_t id) {
    queued_[id] = true;
    const Visit visit{id, 0, 0, id, now_, now_ + 1000 * kMs, now_};
    call([&](Decisions& out) { scheduler_.on_arrival(now_, visit, out); });
  }
  void cancel(std::uint32_t id) {
    queued_[id] = false;
    ++outcome_.cancelled;
    call([&](Decisions& out) { scheduler_.on_cancelled(now_, id, out); });
  }
  void end(WorkerId worker) {
    const std::vector<BatchVisit> visits = std::exchange(running_[worker], {});
    call([&](Decisions& out) {
      scheduler_.on_batch_done(now_, {worker, 0, started_ns_[worker], now_, visits, now_}, out);
    });
    call([&](Decisions& out) { scheduler_.on_worker_free(now_, worker, out); });
  }
  void ring() {
    timer_ns_ = kNever;
    const int before = batches_;
    call([&](Decisions& out) { scheduler_.on_timer(now_, out); });
    outcome_.waited += batches_ - before;
  }

  template <class Call>
  void call(Call what) {
    Decisions out;
    what(out);
    for (const Decision& decision : out.list()) carry_out(decision);
  }
  void carry_out(const Decision& decision) {
    if (decision.kind == Decision::Kind::kWakeAt) {
      if (decision.at_ns >= timer_ns_) return;
      timer_ns_ = std::max(now_, decision.at_ns);
      events_.push({timer_ns_, kTimer, 0});
      return;
    }
    const std::string time = std::to_string(now_);
    const WorkerId worker = decision.worker_or_count;
    const VisitId id = decision.visit_or_first;
    if (decision.kind == Decision::Kind::kDrop) {
      queued_[id] = false;
      ++(decision.reason == DropReason::kExpired ? outcome_.rejected : outcome_.refused);
      outcome_.log += time + " drop " + std::to_string(id) + " " + name_of(decision.reason) + "\n";
    } else if (decision.kind == Decision::Kind::kJoin) {
      queued_[id] = false;
      running_[worker].push_back({id, 0, now_});
      outcome_.log += time + " join " + std::to_string(id) + "\n";
    } else {
      outcome_.log += time + " launch\n";
      launch(worker);
    }
  }
  void launch(WorkerId worker) {
    const std::vector<BatchVisit>& visits = running_[worker];
    EXPECT_LE(visits.size(), static_cast<std::size_t>(case_.max_batch));
    outcome_.served += static_cast<int>(visits.size());
    ++batches_;
    started_ns_[worker] = now_;
    const TimeNs end_ns = now_ + 30 * kNsPerUs + 10 * kNsPerUs * static_cast<TimeNs>(visits.size());
    events_.push({end_ns, kEnd, worker});
    call([&](Decisions& out) { scheduler_.on_batch_started(now_, {worker, 0, now_, end_ns, visits}, out); });
  }

  const BatcherCase& case_;
  Scheduler& scheduler_;
  BatcherOutcome outcome_;
  TimeNs now_ = 0;
  TimeNs timer_ns_ = kNever;
  int batches_ = 0;
  std::vector<bool> queued_;
  std::vector<BatchVisit> running_[kInstances];
  TimeNs started_ns_[kInstances] = {};
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

int one_of(RandomStream& random, const std::vector<int>& values) {
  return values[random.below(values.size())];
}

BatcherCase random_case(RandomStream& random) {
  BatcherCase one;
  one.instances = 1 + static_cast<int>(random.below(kInstances));
  one.max_batch = 1 + static_cast<int>(random.below(8));
  one.params.dynamic_batching = random.below(20) > 0;
  one.params.max_batch_size = one_of(random, {0, 0, 2, 5, 20});
  for (std::uint64_t sizes = random.below(4); sizes > 0; --sizes) {
    one.params.preferred_batch_size +=
        (one.params.preferred_batch_size.empty() ? "" : ",") + std::to_string(1 + random.below(10));
  }
  one.params.max_queue_delay_us = one_of(random, {0, 10, 40, 150});
  one.params.max_queue_size = one_of(random, {0, 0, 3, 10});
  one.params.default_timeout_us = one_of(random, {0, 0, 5, 30, 100, 300});
  one.params.timeout_action = static_cast<TimeoutAction>(random.below(2));
  const std::uint64_t gap_us = 5 + random.below(100);
  TimeNs at_ns = 0;
  for (int i = 0; i < 80; ++i) {
    if (random.below(3) > 0) at_ns += static_cast<TimeNs>(random.below(gap_us)) * kNsPerUs;
    one.arrivals_ns.push_back(at_ns);
    const bool is_cancelled = random.below(10) == 0;
    one.cancelled_ns.push_back(is_cancelled ? at_ns + static_cast<TimeNs>(random.below(100)) * kNsPerUs : 0);
  }
  return one;
}

TEST(TritonReference, DecidesTheSame) {
  RandomStream random(1, "triton reference");
  const TestWorld world({linear_profile(1, 1, 8)}, 1000 * kMs, kInstances);
  BatcherOutcome sum;
  for (int round = 0; round < 2'000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const BatcherCase one = random_case(random);
    BatchingScheduler<DynamicBatcher> system(world.context, 0, one.params);
    PlainTriton plain(one.params);
    const BatcherOutcome outcome = BatcherHost(one, system).run();
    ASSERT_EQ(outcome.log, BatcherHost(one, plain).run().log);
    ASSERT_EQ(outcome.served + outcome.rejected + outcome.refused + outcome.cancelled, 80);
    sum.served += outcome.served;
    sum.rejected += outcome.rejected;
    sum.refused += outcome.refused;
    sum.cancelled += outcome.cancelled;
    sum.waited += outcome.waited;
  }
  EXPECT_GT(sum.served, 80'000);
  EXPECT_GT(sum.rejected, 8'000);
  EXPECT_GT(sum.refused, 8'000);
  EXPECT_GT(sum.cancelled, 2'000);
  EXPECT_GT(sum.waited, 8'000);
}

}  // namespace
}  // namespace harness
