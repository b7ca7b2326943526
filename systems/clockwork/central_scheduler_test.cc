// Clockwork's rules on cases that can be worked out by hand.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/serving/test_world.h"
#include "systems/clockwork/central_scheduler.h"
#include "systems/clockwork/clockwork_params.h"

namespace harness {
namespace {

/// Latencies by model and batch size.
using Models = std::vector<std::vector<double>>;

/// The scheduler with models of the given latencies (ms, for batches of 1, 2, ...), driven by hand, with
/// times in ms. It has no margin and no schedule-ahead unless the test sets them.
class Hand {
 public:
  static ClockworkParams plain() {
    ClockworkParams params;
    params.margin_ms = params.schedule_ahead_ms = 0;
    return params;
  }

  explicit Hand(const Models& latencies_ms, const ClockworkParams& params = plain(),
                bool queues_behind = true)
      : profiles_(profiles_of(latencies_ms)), central_(params, models(), queues_behind) {
    central_.on_worker_added(0);
    central_.on_worker_added(1);
  }

  std::string arrive(double now, VisitId id, double due, ModuleId module = 0) {
    Visit visit;
    visit.id = id;
    visit.module = module;
    visit.deadline_ns = ms_to_ns(due);
    return text([&](Decisions& out) { central_.on_arrival(ms_to_ns(now), visit, out); });
  }
  std::string free(double now, WorkerId worker = 0) {
    return text([&](Decisions& out) { central_.on_worker_free(ms_to_ns(now), worker, out); });
  }
  std::string started(double now, int visits, WorkerId worker = 0, ModuleId module = 0) {
    return text([&](Decisions& out) {
      central_.on_batch_started(ms_to_ns(now), view(now, visits, worker, module), out);
    });
  }
  void done(double end, double start, int visits, ModuleId module = 0) {
    BatchView batch = view(start, visits, 0, module);
    batch.ended_ns = ms_to_ns(end);
    central_.on_batch_done(batch);
  }
  std::string timer(double now) {
    return text([&](Decisions& out) { central_.on_timer(ms_to_ns(now), out); });
  }
  std::size_t queued() const { return central_.queued(); }

 private:
  static std::vector<Profile> profiles_of(const Models& latencies_ms) {
    std::vector<Profile> profiles;
    for (const std::vector<double>& latencies : latencies_ms) profiles.push_back(profile_of_ms(latencies));
    return profiles;
  }
  std::vector<ClockworkModel> models() const {
    std::vector<ClockworkModel> models;
    for (const Profile& profile : profiles_)
      models.push_back({static_cast<ModuleId>(models.size()), &profile, profile.max_batch()});
    return models;
  }
  BatchView view(double start, int visits, WorkerId worker, ModuleId module) {
    members_.assign(static_cast<std::size_t>(visits), {});
    return {worker, module, ms_to_ns(start), 0, members_};
  }
  template <class Call>
  static std::string text(Call call) {
    Decisions out;
    call(out);
    return text_of(out);
  }

  std::vector<Profile> profiles_;
  std::vector<BatchVisit> members_;
  CentralScheduler central_;
};

// SHEPHERD 7.1: the smallest (deadline of the front - estimate) first. Starts: 100 - 10 and 110 - 30.
TEST(Clockwork, TakesTheStrategyThatMustStartFirst) {
  Hand hand(Models{{10}, {30}});
  hand.arrive(0, 0, 100, 0);
  hand.arrive(0, 1, 110, 1);
  EXPECT_EQ(hand.free(0), "join 0<1; launch 0");
}

// A batch ends by the deadline less the margin: 5 + 10 = 20 - 5.
TEST(Clockwork, KeepsTheMargin) {
  ClockworkParams params = Hand::plain();
  params.margin_ms = 5;
  for (const auto& [now, decided] : std::vector<std::pair<double, std::string>>{
           {5, "join 0<0; launch 0"}, {5.000001, "drop 0 estimated_late"}}) {
    Hand hand(Models{{10}}, params);
    hand.arrive(0, 0, 20);
    EXPECT_EQ(hand.free(now), decided);
    EXPECT_EQ(hand.queued(), 0U);
  }
}

// A batch of 30 ms; 10 ms before its end the worker gets the next one, which starts at 30 and not now.
TEST(Clockwork, SchedulesAhead) {
  ClockworkParams params = Hand::plain();
  params.schedule_ahead_ms = 10;
  Hand hand(Models{{30}}, params);
  hand.free(0);
  EXPECT_EQ(hand.arrive(0, 0, 1000), "join 0<0; launch 0");
  EXPECT_EQ(hand.started(0, 1), "");
  EXPECT_EQ(hand.arrive(1, 1, 59), "wake 20000000");
  EXPECT_EQ(hand.arrive(2, 2, 60), "");
  EXPECT_EQ(hand.timer(20), "drop 1 estimated_late; join 0<2; launch 0");
  EXPECT_EQ(hand.arrive(21, 3, 1000), "") << "one batch waits behind already";
  EXPECT_EQ(hand.started(30, 1), "wake 50000000");
  EXPECT_EQ(hand.timer(50), "join 0<3; launch 0");
}

TEST(Clockwork, GivesNothingToBusyWorkersWhereItMayNot) {
  ClockworkParams params = Hand::plain();
  params.schedule_ahead_ms = 10;
  Hand hand(Models{{30}}, params, false);
  hand.free(0);
  hand.arrive(0, 0, 1000);
  EXPECT_EQ(hand.started(0, 1), "");
  EXPECT_EQ(hand.arrive(29, 1, 1000), "");
  EXPECT_EQ(hand.free(30), "join 0<1; launch 0");
}

// The worker that is free first, of idle ones the one with the smallest id.
TEST(Clockwork, PrefersTheWorkerThatIsFreeFirst) {
  ClockworkParams params = Hand::plain();
  params.schedule_ahead_ms = 100;
  Hand hand(Models{{30}}, params);
  hand.free(0, 1);
  hand.free(0, 0);
  EXPECT_EQ(hand.arrive(0, 0, 1000), "join 0<0; launch 0");
  hand.started(0, 1, 0);
  EXPECT_EQ(hand.arrive(5, 1, 1000), "join 1<1; launch 1");
  hand.started(5, 1, 1);
  EXPECT_EQ(hand.arrive(6, 2, 1000), "join 0<2; launch 0") << "free at 30, the other one at 35";
  EXPECT_EQ(hand.arrive(7, 3, 1000), "join 1<3; launch 1");
}

// Ten batches took 20 ms where the profile says 10: a visit that is due in 15 ms is late.
TEST(Clockwork, EstimatesFromTheLastTenBatches) {
  for (const int measured : {9, 10}) {
    Hand hand(Models{{10}});
    for (int i = 0; i < measured; ++i) hand.done(20, 0, 1);
    hand.arrive(100, 0, 115);
    EXPECT_EQ(hand.free(100), measured == 10 ? "drop 0 estimated_late" : "join 0<0; launch 0");
  }
}

// A batch of two that was measured as faster than one is taken to be as slow.
TEST(Clockwork, TakesNoLargerBatchToBeFaster) {
  ClockworkParams params = Hand::plain();
  params.estimate_window = 1;
  Hand hand(Models{{10, 12}}, params);
  hand.done(5, 0, 2);
  hand.arrive(100, 0, 109);
  hand.arrive(100, 1, 109);
  EXPECT_EQ(hand.free(100), "drop 0 estimated_late; drop 1 estimated_late");
}

// Five visits wait: batches of 1, 2 and 4 have strategies, or all sizes.
TEST(Clockwork, FillsTheLargestBatch) {
  for (const ClockworkSizes sizes : {ClockworkSizes::kPowers, ClockworkSizes::kAll}) {
    ClockworkParams params = Hand::plain();
    params.sizes = sizes;
    Hand hand(Models{{10, 11, 12, 13, 14, 15, 16}}, params);
    for (VisitId id = 0; id < 5; ++id) hand.arrive(0, id, 100 + id);
    EXPECT_EQ(hand.free(0), sizes == ClockworkSizes::kPowers
                                ? "join 0<0; join 0<1; join 0<2; join 0<3; launch 0"
                                : "join 0<0; join 0<1; join 0<2; join 0<3; join 0<4; launch 0");
  }
}

// Batches of two take 40 ms: none with max_exec_ms = 39. Batches of one always have a strategy.
TEST(Clockwork, LeavesLongBatchesOut) {
  for (const auto& [limit, decided] : std::vector<std::pair<double, std::string>>{
           {40, "join 0<0; join 0<1; launch 0"}, {39, "join 0<0; launch 0"}, {5, "join 0<0; launch 0"}}) {
    ClockworkParams params = Hand::plain();
    params.max_exec_ms = limit;
    Hand hand(Models{{10, 40}}, params);
    hand.arrive(0, 0, 100);
    hand.arrive(0, 1, 100);
    EXPECT_EQ(hand.free(0), decided) << limit;
  }
}

// Model 0 has one visit: its strategy for two (start 100 - 40) has its turn first and cannot be filled; then
// model 1's (95 - 20) comes before model 0's for one (100 - 10).
TEST(Clockwork, PassesOverWhatCannotBeFilled) {
  Hand hand(Models{{10, 40}, {20}});
  hand.arrive(0, 0, 100, 0);
  hand.arrive(0, 1, 95, 1);
  EXPECT_EQ(hand.free(0), "join 0<1; launch 0");
  EXPECT_EQ(hand.free(20), "join 0<0; launch 0");
}

/// A model with batches of one in 10 ms and of two in 20 ms; visit 0 is due at 15, visits 1 and 2 at 25. Both
/// strategies must start at 5.
std::string overtake(ClockworkParams params) {
  Hand hand(Models{{10, 20}}, params);
  hand.arrive(0, 0, 15);
  hand.arrive(0, 1, 25);
  hand.arrive(0, 2, 25);
  const std::string decided = hand.free(0);
  return decided + (hand.queued() > 0 ? ", " + std::to_string(hand.queued()) + " wait" : "");
}

TEST(Clockwork, OvertakesWithALargerBatch) {
  ClockworkParams params = Hand::plain();
  EXPECT_EQ(overtake(params), "join 0<1; join 0<2; drop 0 early_drop; launch 0");
  params.overtaken = ClockworkOvertaken::kKeep;
  EXPECT_EQ(overtake(params), "join 0<1; join 0<2; launch 0, 1 wait");
  params.batch = ClockworkBatch::kStrategy;
  EXPECT_EQ(overtake(params), "join 0<1; join 0<2; launch 0, 1 wait") << "with visit 0, two must start at -5";
  params.stale = ClockworkStale::kRefresh;
  EXPECT_EQ(overtake(params), "join 0<0; launch 0, 2 wait") << "of equal starts the smaller batch";
  params.ties = ClockworkTies::kLarge;
  EXPECT_EQ(overtake(params), "join 0<1; join 0<2; launch 0, 1 wait");
}

// Visit 0 of model 0 is late by now. With it, the model must start at 2; without it at 90, after model
// 1's 40.
TEST(Clockwork, PlacesAStaleStrategyByWhatIsLateOrAnew) {
  for (const ClockworkStale stale : {ClockworkStale::kServe, ClockworkStale::kRefresh}) {
    ClockworkParams params = Hand::plain();
    params.stale = stale;
    Hand hand(Models{{10}, {10}}, params);
    hand.arrive(0, 0, 12, 0);
    hand.arrive(0, 1, 100, 0);
    hand.arrive(0, 2, 50, 1);
    EXPECT_EQ(hand.free(5), stale == ClockworkStale::kServe ? "drop 0 estimated_late; join 0<1; launch 0"
                                                            : "drop 0 estimated_late; join 0<2; launch 0");
  }
}

TEST(Clockwork, ServesEqualStartsOfModelsInTheirOrder) {
  Hand hand(Models{{10}, {10}});
  hand.arrive(0, 0, 50, 1);
  hand.arrive(0, 1, 50, 0);
  EXPECT_EQ(hand.free(0), "join 0<1; launch 0");
}

}  // namespace
}  // namespace harness
