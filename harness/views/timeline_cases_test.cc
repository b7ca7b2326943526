// Timelines of a few rows, computed by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/record/hdf5/test_folder.h"
#include "harness/sim/test_world.h"
#include "harness/views/test_decoded_trace.h"
#include "harness/views/timeline.h"

namespace harness {
namespace {

using testing::DecodedEvent;
using testing::DecodedTrace;
using testing::DecodedTrack;
using testing::FlowStep;

/// Returns a visit to a module on the worker of the same number, in a batch of its own; times in ms.
VisitRow visit(std::uint64_t request, std::uint16_t number, std::uint16_t parent, ModuleId module,
               double started_ms, double ended_ms) {
  VisitRow row;
  row.request = request;
  row.visit = number;
  row.parent = parent;
  row.worker = row.module = module;
  row.arrived_ns = row.joined_ns = row.started_ns = ms_to_ns(started_ms);
  row.ended_ns = ms_to_ns(ended_ms);
  row.batch = 1;
  row.outcome = VisitOutcome::kDone;
  return row;
}

RequestRow request(std::uint64_t id, double end_ms, Outcome outcome = Outcome::kInTime) {
  RequestRow row;
  row.request = id;
  row.end_ns = ms_to_ns(end_ms);
  row.outcome = outcome;
  return row;
}

CellContents cell_of(std::size_t modules, std::vector<RequestRow> requests, std::vector<VisitRow> visits) {
  CellContents cell;
  for (std::size_t m = 0; m < modules; ++m) {
    cell.module_names.push_back("m" + std::to_string(m));
    cell.record.workers.emplace_back().module = static_cast<ModuleId>(m);
  }
  cell.record.modules.resize(modules);
  cell.requests = std::move(requests);
  cell.visits = std::move(visits);
  return cell;
}

/// Returns a cell with m0, then m1 and m2, then m3, which waits for both.
CellContents cell_of_a_diamond() {
  return cell_of(4, {request(5, 50, Outcome::kLate)},
                 {visit(5, 0, 0, 0, 0, 10), visit(5, 1, 0, 1, 10, 20), visit(5, 2, 0, 2, 11, 30),
                  visit(5, 3, 2, 3, 30, 50)});
}

class TimelineCases : public FolderTest {
 protected:
  DecodedTrace written(const CellContents& cell, const TimeSpan& span = {},
                       const Pipeline* pipeline = nullptr) {
    write_timeline(path("t"), {cell, span, pipeline, {}});
    return DecodedTrace(path("t"));
  }
  static std::vector<std::string> things(const std::vector<FlowStep>& steps) {
    std::vector<std::string> names;
    for (const FlowStep& step : steps) names.push_back(step.thing);
    return names;
  }
};

TEST_F(TimelineCases, FlowsForkAndJoin) {
  const CellContents cell = cell_of_a_diamond();
  const Pipeline diamond = testing::diamond();
  const DecodedTrace trace = written(cell, {}, &diamond);
  ASSERT_EQ(trace.flows.size(), 2U);
  const std::uint64_t first = 5 * 65'536 + 1;
  const std::string m0 = "m0/worker 0 at 0";
  const std::string m3 = "m3/worker 3 at 30000000";
  EXPECT_EQ(things(trace.flows.at(first)),
            (std::vector<std::string>{m0, "m1/worker 1 at 10000000", m3, "late requests at 50000000"}));
  EXPECT_EQ(things(trace.flows.at(first + 1)), (std::vector<std::string>{m0, "m2/worker 2 at 11000000", m3}));
}

TEST_F(TimelineCases, WithoutThePipelineAJoinHasTheArrowOfTheLastToCome) {
  const DecodedTrace trace = written(cell_of_a_diamond());
  const std::uint64_t first = 5 * 65'536 + 1;
  EXPECT_EQ(things(trace.flows.at(first)),
            (std::vector<std::string>{"m0/worker 0 at 0", "m1/worker 1 at 10000000"}));
  EXPECT_EQ(things(trace.flows.at(first + 1)).at(2), "m3/worker 3 at 30000000");
}

TEST_F(TimelineCases, APartHasTheBatchesThatOverlapIt) {
  const Pipeline diamond = testing::diamond();
  const DecodedTrace trace = written(cell_of_a_diamond(), {ms_to_ns(20), ms_to_ns(30)}, &diamond);
  std::size_t slices = 0;
  for (const auto& [id, track] : trace.tracks) slices += track.slices.size();
  EXPECT_EQ(slices, 1U);
  ASSERT_NE(trace.find("m2/worker 2"), nullptr);
  EXPECT_EQ(trace.find("m2/worker 2")->slices.front().begin, ms_to_ns(11)) << "it is whole";
  EXPECT_TRUE(trace.flows.empty()) << "what it led to is not there";
}

/// The counter has a point whenever the number changes, one for all that happens at a time, and one at the
/// beginning.
TEST_F(TimelineCases, TheCounterIsOfVisitsThatHaveArrivedAndNotStarted) {
  CellContents cell =
      cell_of(1, {}, {visit(0, 0, 0, 0, 10, 30), visit(1, 0, 0, 0, 10, 30), visit(2, 0, 0, 0, 40, 50)});
  cell.visits[0].arrived_ns = 0;
  cell.visits[1].arrived_ns = ms_to_ns(5);
  const auto points = [&](double from_ms, TimeNs to_ns) {
    return written(cell, {ms_to_ns(from_ms), to_ns}).find("m0/visits waiting")->points;
  };
  using Points = std::vector<std::pair<TimeNs, std::int64_t>>;
  EXPECT_EQ(points(0, kNever), (Points{{0, 1}, {ms_to_ns(5), 2}, {ms_to_ns(10), 0}}));
  EXPECT_EQ(points(5, kNever), (Points{{ms_to_ns(5), 2}, {ms_to_ns(10), 0}}));
  EXPECT_EQ(points(6, kNever), (Points{{ms_to_ns(6), 2}, {ms_to_ns(10), 0}}));
  EXPECT_EQ(points(0, ms_to_ns(10)), (Points{{0, 1}, {ms_to_ns(5), 2}}));
}

TEST_F(TimelineCases, OverlappingBatchesOfAWorkerHaveTracksOfTheirOwn) {
  CellContents cell =
      cell_of(1, {}, {visit(0, 0, 0, 0, 0, 10), visit(1, 0, 0, 0, 9, 20), visit(2, 0, 0, 0, 12, 15)});
  cell.visits[1].ended_ns += 1;
  const DecodedTrace trace = written(cell);
  EXPECT_EQ(trace.find("m0/worker 0")->slices.size(), 2U);
  EXPECT_EQ(trace.find("m0/worker 0 (2)")->slices.size(), 1U);
}

/// Two batches of one visit that begin and end at the same time are two.
TEST_F(TimelineCases, BatchesThatTakeNoTimeStayApart) {
  const DecodedTrace trace = written(cell_of(1, {}, {visit(0, 0, 0, 0, 3, 3), visit(1, 0, 0, 0, 3, 3)}));
  EXPECT_EQ(trace.find("m0/worker 0")->slices.size(), 2U);
}

TEST_F(TimelineCases, OfALargeBatchTheFirstRequestsAreNamed) {
  CellContents cell = cell_of(1, {}, {});
  for (std::uint64_t i = 0; i < 100; ++i) {
    cell.visits.push_back(visit(i, 0, 0, 0, 0, 10));
    cell.visits.back().batch = 100;
  }
  const DecodedTrace trace = written(cell);
  const DecodedEvent slice = trace.find("m0/worker 0")->slices.at(0);
  EXPECT_EQ(slice.lists.at("requests").size(), kMaxRequestsNamed);
  EXPECT_EQ(slice.numbers.at("batch"), 100);
}

}  // namespace
}  // namespace harness
