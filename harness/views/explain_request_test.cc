#include "harness/views/explain_request.h"

#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"
#include "harness/sim/test_world.h"
#include "harness/views/chosen_cell.h"
#include "harness/views/explain_moment.h"
#include "harness/views/explanation_json.h"
#include "harness/views/explanation_text.h"

namespace harness {
namespace {

VisitRow visit_of(std::uint64_t request, std::uint16_t module, double arrived, double joined, double started,
                  double ended) {
  VisitRow row;
  row.request = request;
  row.visit = module;
  row.parent = 0;
  row.module = module;
  row.worker = module;
  row.batch = 1;
  row.arrived_ns = ms_to_ns(arrived);
  row.joined_ns = ms_to_ns(joined);
  row.started_ns = ms_to_ns(started);
  row.ended_ns = ms_to_ns(ended);
  row.outcome = VisitOutcome::kDone;
  return row;
}

RequestRow request_of(std::uint64_t request, double sent, double ended, Outcome outcome) {
  RequestRow row;
  row.request = request;
  row.sent_ns = ms_to_ns(sent);
  row.end_ns = ms_to_ns(ended);
  row.module = outcome == Outcome::kDropped ? 0 : 1;
  row.outcome = outcome;
  row.reason = DropReason::kEstimatedLate;
  row.slo_ns = ms_to_ns(26);
  return row;
}

/// Returns a cell of two modules in a row, with a worker each and batches of one that take 10 ms. Request 2
/// is dropped while it waits at the first module, after request 3, which came later, has started there.
CellContents cell_of_four() {
  CellContents cell;
  cell.summary.cell.system = "mine";
  cell.summary.cell.pipeline = "chain";
  cell.summary.cell.trace = "times";
  cell.summary.cell.runtime = "simulated";
  cell.summary.cell.series = "mine";
  cell.summary.cell.workload = "chain times load 0 slo 26 ms";
  cell.summary.slo_ms = 26;
  cell.summary.sent = 4;
  cell.summary.in_time = 1;
  cell.module_names = {"first", "second"};
  cell.record.modules.resize(2);
  cell.record.modules[1].depth = 2;
  cell.record.slo_ns = ms_to_ns(26);
  cell.record.plans = {
      {0, 0, 1, 4, ms_to_ns(16)}, {0, 1, 1, 4, ms_to_ns(16)}, {ms_to_ns(12), 0, 2, 4, ms_to_ns(16)}};
  cell.record.states.names = {"budget_ns", "load"};
  cell.record.states.rows = {{0, 0}, {ms_to_ns(10), 0}, {ms_to_ns(10), 1}};
  cell.record.states.values = {1e6, 0.5, 2e6, 0.75, 3e6, 1};
  VisitRow dropped = visit_of(2, 0, 3, 0, 0, 22);
  dropped.worker = kNone;
  dropped.batch = 0;
  dropped.outcome = VisitOutcome::kDropped;
  dropped.reason = DropReason::kEstimatedLate;
  cell.visits = {
      visit_of(0, 0, 0, 0, 0, 10),    visit_of(0, 1, 10, 10, 10, 20), visit_of(1, 0, 2, 4, 10, 20),  dropped,
      visit_of(1, 1, 20, 20, 20, 30), visit_of(3, 0, 4, 10, 20, 30),  visit_of(3, 1, 30, 30, 30, 40)};
  cell.requests = {request_of(0, 0, 20, Outcome::kInTime), request_of(2, 3, 22, Outcome::kDropped),
                   request_of(1, 2, 30, Outcome::kLate), request_of(3, 4, 40, Outcome::kLate)};
  return cell;
}

/// Returns the run with the profile of those batches: 8 ms and 2 for each visit.
RunSpec spec_of_four() {
  return testing::make_spec("naive", testing::chain(2),
                            std::vector<Profile>(2, testing::linear_profile("m", 2, 8, 4)), {{4, 1}, {4, 1}},
                            ms_to_ns(26), testing::at_ms({0, 2, 3, 4}), kNsPerS);
}

class ExplainRequest : public ::testing::Test {
 protected:
  RequestFacts facts_of(std::uint64_t request) { return explain_request(rows_, &least_, request); }

  CellContents cell_ = cell_of_four();
  RunSpec spec_ = spec_of_four();
  ExplainRows rows_{"r.h5", cell_};
  LeastTimes least_{spec_, cell_.record};
};

TEST_F(ExplainRequest, FollowsALateOneThroughItsWaits) {
  const RequestFacts facts = facts_of(1);
  EXPECT_EQ(facts.deadline_ns, ms_to_ns(28));
  ASSERT_EQ(facts.visits.size(), 2u);
  const VisitFacts& first = facts.visits[0];
  EXPECT_EQ(first.waiting, 0u) << "request 0 runs, request 2 has not come";
  EXPECT_EQ(first.served_before, 0u);
  ASSERT_EQ(first.before_join.size(), 1u);
  EXPECT_EQ(first.before_join[0].end_ns, ms_to_ns(10));
  ASSERT_EQ(first.before_start.size(), 1u);
  EXPECT_EQ(first.least_exec_ns, ms_to_ns(10));
  EXPECT_EQ(first.plan, &cell_.record.plans[0]);
  EXPECT_EQ(first.state_row, 0u);
  EXPECT_EQ(facts.visits[1].on_the_way_ns, 0);
  EXPECT_TRUE(facts.visits[1].before_join.empty());
  EXPECT_EQ(facts.alone_ns, ms_to_ns(20));
  EXPECT_FALSE(facts.needed_ns.has_value());
  // 28 ms, of which 20 were needed.
  ASSERT_EQ(facts.lost.size(), 2u);
  EXPECT_EQ(facts.lost[0].what, LostTime::What::kStart);
  EXPECT_EQ(facts.lost[0].ns, ms_to_ns(6));
  EXPECT_EQ(facts.lost[1].what, LostTime::What::kJoin);
  EXPECT_EQ(facts.lost[1].ns, ms_to_ns(2));
}

TEST_F(ExplainRequest, SaysWhatADroppedOneStillNeeded) {
  const RequestFacts facts = facts_of(2);
  ASSERT_EQ(facts.visits.size(), 1u);
  const VisitFacts& visit = facts.visits[0];
  EXPECT_EQ(visit.waiting, 1u) << "request 1";
  EXPECT_EQ(visit.served_before, 1u) << "request 3";
  EXPECT_EQ(visit.meanwhile.batches, 2u);
  EXPECT_EQ(visit.meanwhile.visits, 2u);
  EXPECT_EQ(visit.state_row, 1u);
  EXPECT_EQ(facts.needed_ns, ms_to_ns(20));
  ASSERT_EQ(facts.running.size(), 1u);
  EXPECT_EQ(facts.running[0].start_ns, ms_to_ns(20));
  EXPECT_TRUE(facts.lost.empty());
}

TEST_F(ExplainRequest, CountsAStateFromTheMomentAfterItsPublication) {
  EXPECT_FALSE(rows_.state_before(0, 0).has_value());
  EXPECT_EQ(rows_.state_before(0, ms_to_ns(10)), 0u);
  EXPECT_EQ(rows_.state_before(0, ms_to_ns(10) + 1), 1u);
  EXPECT_EQ(rows_.state_before(1, ms_to_ns(50)), 2u);
}

TEST_F(ExplainRequest, TakesThePlanInForce) {
  EXPECT_EQ(rows_.plan_at(0, ms_to_ns(12) - 1), &cell_.record.plans[0]);
  EXPECT_EQ(rows_.plan_at(0, ms_to_ns(12)), &cell_.record.plans[2]);
  EXPECT_EQ(rows_.plan_at(1, ms_to_ns(50)), &cell_.record.plans[1]);
}

TEST_F(ExplainRequest, FindsTheWorstAndTheDropped) {
  EXPECT_EQ(worst_requests(rows_, {}, 2), (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(worst_requests(rows_, {}, 9), (std::vector<std::uint64_t>{3, 1, 0}));
  EXPECT_EQ(worst_requests(rows_, {ms_to_ns(2), ms_to_ns(4)}, 9), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(dropped_requests(rows_, {}, "estimated_late", "", 5).first, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(dropped_requests(rows_, {}, "estimated_late", "first", 5).count, 1u);
}

TEST_F(ExplainRequest, RefusesWhatTheCellDoesNotHave) {
  const auto refused = [&](const auto& call) { return refusal_of(call); };
  EXPECT_EQ(refused([&] { require_request(rows_, 4); }),
            "r.h5: --request: found 4; allowed: a request of this cell, 0 to 3");
  EXPECT_EQ(refused([&] { dropped_requests(rows_, {}, "expired", "", 5); }),
            "r.h5: --dropped-by: found no request dropped for expired; allowed: a reason that requests were "
            "dropped for: estimated_late at first (1)");
  EXPECT_NE(refused([&] { dropped_requests(rows_, {}, "late", "", 5); }).find("estimated_late"),
            std::string::npos);
  EXPECT_NE(refused([&] { dropped_requests(rows_, {}, "estimated_late", "third", 5); }).find("first, second"),
            std::string::npos);
  cell_.visits.front().module = 2;
  EXPECT_EQ(
      refused([&] { require_known_modules("r.h5", cell_); }),
      "r.h5: cell 0: found rows of a module that the cell does not have; allowed: what harness wrote there");
}

TEST_F(ExplainRequest, KnowsWhatStoodWhere) {
  const MomentFacts moment = explain_moment(rows_, ms_to_ns(15));
  EXPECT_EQ(moment.requests, 4u);
  ASSERT_EQ(moment.modules.size(), 2u);
  EXPECT_EQ(moment.modules[0].waiting, 2u) << "requests 2 and 3";
  EXPECT_EQ(moment.modules[0].running, 1u);
  EXPECT_EQ(moment.modules[0].plan, &cell_.record.plans[2]);
  EXPECT_EQ(moment.modules[1].running, 1u) << "request 0";
  EXPECT_EQ(moment.batches.size(), 2u);
  EXPECT_EQ(explain_moment(rows_, ms_to_ns(40)).requests, 0u) << "the last has just ended";
  EXPECT_EQ(explain_moment(rows_, -1).requests, 0u);
}

TEST_F(ExplainRequest, TellsItInSentences) {
  Explanation explanation(rows_);
  explanation.times.least.emplace(least_);
  explanation.times.offline = offline_answer(spec_, cell_.record, {2});
  explanation.requests = {facts_of(2)};
  EXPECT_EQ(explanation_text(explanation),
            "cell 0: mine chain times load 0 slo 26 ms seed 0\n\n"
            "request 2: dropped\n"
            "  Sent at 0.003000 s, SLO 26.000 ms, deadline 0.029000 s.\n"
            "  first: arrived at 0.003000 s, 26.000 ms left. 1 visit waited there.\n"
            "    The plan then: 1 worker, at most 4 visits in a batch, which take 16.000 ms.\n"
            "    Joined no batch in 19.000 ms; the module started 2 batches with 2 visits meanwhile.\n"
            "    1 visit that came later started earlier.\n"
            "    Its controller had published at 0.010000 s: budget 2.000 ms, load 0.75\n"
            "  Dropped at first at 0.022000 s, 7.000 ms left: the system estimated that it would end late "
            "(estimated_late).\n"
            "    There ran 1 batch then, the first to end at 0.030000 s.\n"
            "    From there it still needed at least 20.000 ms: it could not have ended in time any more.\n"
            "  Could any policy have served it in time?\n"
            "    Alone on the workers of this plan it takes 20.000 ms, its SLO is 26.000 ms: one that puts "
            "it before all "
            "others could.\n"
            "    No offline schedule says more: the plan changed during the run.\n");
}

TEST_F(ExplainRequest, SaysInSentencesWhyOneWasLate) {
  cell_.record.plans.pop_back();
  Explanation explanation(rows_);
  explanation.times.least.emplace(least_);
  explanation.times.offline = offline_answer(spec_, cell_.record, {1});
  explanation.requests = {facts_of(1)};
  EXPECT_TRUE(
      holds(explanation_text(explanation),
            "    Joined a batch of worker 0 after 2.000 ms. Worker 0 ran a batch of 1 visit, until "
            "0.010000 s.\n",
            "    That batch started after another 6.000 ms. Worker 0 ran a batch of 1 visit, until "
            "0.010000 s.\n",
            "    Ran from 0.010000 s to 0.020000 s, 10.000 ms, in a batch of 1 on worker 0; 8.000 ms left.\n",
            "    Joined a batch of worker 1 at once.\n",
            "  Ended at 0.030000 s, after 28.000 ms: late by 2.000 ms.\n",
            "    8.000 ms more than the least that this way takes: 6.000 ms waiting for its batch to "
            "start at first,\n      2.000 ms waiting to join a batch at first\n"));
}

TEST_F(ExplainRequest, KnowsNoIdleTimeWhereBatchesWerePreempted) {
  cell_.visits = {visit_of(1, 0, 2, 12, 12, 22), visit_of(7, 0, 0, 0, 0, 5)};
  const auto told = [this] {
    const ExplainRows rows("r.h5", cell_);
    Explanation explanation(rows);
    explanation.requests = {explain_request(rows, nullptr, 1)};
    return explanation_text(explanation);
  };
  const std::string idle = "; it was idle for 7.000 ms of that";
  EXPECT_NE(told().find(idle), std::string::npos) << told();
  cell_.record.modules[0].preempted = 1;
  EXPECT_EQ(told().find(idle), std::string::npos);
}

TEST_F(ExplainRequest, SaysWhichVisitsOfACompletedRequestWereDropped) {
  cell_.visits[0].batch = 0;
  cell_.visits[0].outcome = VisitOutcome::kDropped;
  cell_.visits[0].reason = DropReason::kExpired;
  const ExplainRows rows("r.h5", cell_);
  const auto told = [&rows](std::uint64_t request) {
    Explanation explanation(rows);
    explanation.requests = {explain_request(rows, nullptr, request)};
    return explanation_text(explanation);
  };
  const std::string words = "its request went on without it";
  EXPECT_TRUE(holds(told(0), "Dropped at 0.010000 s: its deadline had passed (expired); " + words));
  EXPECT_EQ(told(2).find(words), std::string::npos) << "it ended there";
}

TEST_F(ExplainRequest, FindsRequestsWhoseNumbersAreFarApart) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 60;
  cell_.requests = {request_of(kFar, 0, 20, Outcome::kInTime), request_of(7, 0, 20, Outcome::kInTime),
                    request_of(5, 0, 20, Outcome::kInTime)};
  cell_.visits = {visit_of(kFar, 1, 10, 10, 10, 20), visit_of(6, 0, 0, 0, 0, 10), visit_of(7, 0, 0, 0, 0, 10),
                  visit_of(kFar, 0, 0, 0, 0, 10)};
  const ExplainRows rows("r.h5", cell_);
  for (const RequestRow& row : cell_.requests) EXPECT_EQ(rows.request(row.request), &row);
  EXPECT_EQ(rows.request(6), nullptr);
  using Visits = std::vector<const VisitRow*>;
  EXPECT_EQ(rows.visits_of(kFar), (Visits{&cell_.visits[3], &cell_.visits[0]}));
  EXPECT_EQ(rows.visits_of(7), Visits{&cell_.visits[2]});
  EXPECT_EQ(rows.visits_of(5), Visits());
  EXPECT_EQ(rows.visits_of(6), Visits()) << "there is no such request";
}

TEST_F(ExplainRequest, SaysWhatIsNotThere) {
  cell_.record.states = {};
  cell_.record.modules[0].preempted = 1;
  const ExplainRows rows("r.h5", cell_);
  Explanation explanation(rows);
  explanation.times.why_none = "no such system";
  explanation.times.offline.why_none = "the cell cannot be made again here";
  explanation.requests = {explain_request(rows, nullptr, 2)};
  const std::string text = explanation_text(explanation);
  EXPECT_TRUE(holds(text, "Note: no published states: [record] states = true keeps them",
                    "Note: no least times and no offline schedule: no such system\n",
                    "Note: batches were preempted", "the cell cannot be made again here"));
  EXPECT_EQ(text.find("Alone on the workers"), std::string::npos);
  EXPECT_TRUE(holds(explanation_json(explanation), "\"alone_ms\": null", "\"needed_ms\": null",
                    "\"least_exec_ms\": null", "\"state\": null"));
}

}  // namespace
}  // namespace harness
