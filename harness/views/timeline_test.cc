// Timelines of simulated cells, read back with protobuf and compared with the rows they were made of.
#include "harness/views/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "harness/core/routes.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_run.h"
#include "harness/views/test_decoded_trace.h"
#include "systems/test_system_cells.h"

namespace harness {
namespace {

using testing::DecodedEvent;
using testing::DecodedTrace;
using testing::DecodedTrack;
using testing::FlowStep;
using testing::Ran;
using testing::Tally;

/// Returns the cell as read_cell() gives it.
CellContents contents_of(const RunSpec& spec, const Ran& ran) {
  CellContents cell;
  cell.summary.cell.system = "test";
  cell.summary.cell.seed = spec.seed;
  cell.summary.sent = ran.record.sent;
  cell.record = ran.record;
  for (const Module& module : spec.pipeline.modules) cell.module_names.push_back(module.name);
  cell.requests = ran.rows.request_rows;
  cell.visits = ran.rows.visit_rows;
  std::stable_sort(cell.requests.begin(), cell.requests.end(),
                   [](const RequestRow& a, const RequestRow& b) { return a.end_ns < b.end_ns; });
  return cell;
}

/// The worker, start, end and module of a batch: no two batches of these cells share all four.
using BatchKey = std::tuple<WorkerId, TimeNs, TimeNs, ModuleId>;
using Batches = std::map<BatchKey, std::vector<const VisitRow*>>;

/// The expected contents of a timeline, computed from the rows by the words of docs/commands.md, Timelines.
class Expected {
 public:
  Expected(const RunSpec& spec, const CellContents& cell, const TimeSpan& span)
      : spec_(spec), cell_(cell), span_(span) {
    for (const VisitRow& row : cell.visits) {
      if (row.batch > 0 && is_in_span(row.started_ns, row.ended_ns))
        batches[{row.worker, row.started_ns, row.ended_ns, row.module}].push_back(&row);
      if (row.outcome == VisitOutcome::kDropped && span.contains(row.ended_ns))
        ++drops[module_name(row.module) + " " + name_of(row.reason)];
    }
    for (const RequestRow& row : cell.requests) {
      requests_[row.request] = &row;
      if (row.outcome == Outcome::kLate && span.contains(row.end_ns)) ++late;
    }
    find_arrows();
  }

  std::string module_name(ModuleId module) const { return cell_.module_names[module]; }
  bool is_in_span(TimeNs begin, TimeNs end) const { return begin < span_.to_ns && end > span_.from_ns; }
  bool ended_in_time(std::uint64_t request) const {
    return requests_.at(request)->outcome == Outcome::kInTime;
  }
  std::string track_of(WorkerId worker) const {
    const std::string above =
        cell_.record.groups.empty() ? module_name(cell_.record.workers[worker].module) : "workers";
    return above + "/worker " + std::to_string(worker);
  }
  std::int64_t waiting(ModuleId module, TimeNs at) const {
    std::int64_t count = 0;
    for (const VisitRow& row : cell_.visits) {
      const TimeNs left_ns = row.batch > 0 ? row.started_ns : row.ended_ns;
      if (row.module == module) count += (row.arrived_ns <= at ? 1 : 0) - (left_ns <= at ? 1 : 0);
    }
    return count;
  }

  Batches batches;
  std::map<std::string, std::uint64_t> drops;  ///< number of drops by "MODULE REASON"
  std::uint64_t late = 0;
  std::multiset<std::tuple<std::uint64_t, std::string, std::string>> arrows;  ///< request, from, to

 private:
  /// Returns the place at which the visit is to be seen, "" if nowhere.
  std::string thing_of(const VisitRow& row) const {
    if (row.batch > 0) {
      if (!is_in_span(row.started_ns, row.ended_ns)) return "";
      return track_of(row.worker) + " at " + std::to_string(row.started_ns);
    }
    if (row.outcome != VisitOutcome::kDropped || !span_.contains(row.ended_ns)) return "";
    return module_name(row.module) + "/drops at " + std::to_string(row.ended_ns);
  }
  void add_arrow(const VisitRow& from, const std::string& to) {
    const std::string thing = thing_of(from);
    if (!thing.empty() && !to.empty()) arrows.insert({from.request, thing, to});
  }
  void find_arrows() {
    const Routes routes(spec_.pipeline, spec_.seed);
    std::map<std::uint64_t, std::vector<const VisitRow*>> by_request;
    for (const VisitRow& row : cell_.visits) by_request[row.request].push_back(&row);
    for (const auto& [request, rows] : by_request) {
      const VisitRow* last = nullptr;
      for (const VisitRow* from : rows) {
        if (from->outcome != VisitOutcome::kDone) continue;
        if (last == nullptr || from->ended_ns >= last->ended_ns) last = from;
        for (const VisitRow* to : rows) {
          const bool is_child = to->parent == from->visit && to != from;
          const bool leads = spec_.pipeline.has_tasks()
                                 ? is_child
                                 : routes[routes.of(request)].takes(from->module, to->module);
          ASSERT_TRUE(leads || !is_child) << "the parent of a visit is of a module before it";
          if (leads) add_arrow(*from, thing_of(*to));
        }
      }
      const RequestRow& row = *requests_.at(request);
      if (row.outcome == Outcome::kLate && span_.contains(row.end_ns))
        add_arrow(*last, "late requests at " + std::to_string(row.end_ns));
    }
  }

  const RunSpec& spec_;
  const CellContents& cell_;
  TimeSpan span_;
  std::map<std::uint64_t, const RequestRow*> requests_;
};

void expect_batch(const Expected& expected, const std::vector<const VisitRow*>& rows,
                  const DecodedEvent& slice) {
  const VisitRow& first = *rows.front();
  EXPECT_EQ(rows.size(), first.batch);
  std::set<std::uint64_t> requests;
  std::uint64_t missed = 0;
  TimeNs longest_ns = 0;
  for (const VisitRow* row : rows) {
    requests.insert(row->request);
    missed += expected.ended_in_time(row->request) ? 0 : 1;
    longest_ns = std::max(longest_ns, row->started_ns - row->arrived_ns);
  }
  const bool is_lost = first.outcome != VisitOutcome::kDone;
  std::string name = std::to_string(first.batch) + " " + expected.module_name(first.module);
  if (is_lost)
    name += ", lost";
  else if (missed > 0)
    name += ", " + std::to_string(missed) + " missed";
  EXPECT_EQ(slice.name, name);
  EXPECT_EQ(slice.numbers.at("batch"), first.batch);
  EXPECT_EQ(slice.numbers.count("missed"), missed > 0 ? 1 : 0);
  EXPECT_DOUBLE_EQ(slice.numbers.at("longest_wait_ms"), ns_to_ms(longest_ns));
  EXPECT_EQ(slice.lists.at("requests"), requests);
  std::set<std::string> categories = {"batch"};
  if (missed > 0) categories.insert("missed");
  if (is_lost) categories.insert("lost");
  EXPECT_EQ(slice.categories, categories);
}

/// The slices by track and start. A batch that was stopped as it started may come before another one.
using Slices = std::multimap<std::pair<std::string, TimeNs>, DecodedEvent>;

bool was_preempted(const DecodedEvent& slice) { return slice.categories.count("preempted") > 0; }

/// Takes the slices that are batches of the rows out of `slices`, by track and start.
void expect_batches(const Expected& expected, const CellContents& cell, Slices& slices, Tally& tally) {
  for (const auto& [key, rows] : expected.batches) {
    const auto& [worker, started_ns, ended_ns, module] = key;
    const auto [begin, end] = slices.equal_range({expected.track_of(worker), started_ns});
    const auto slice = std::find_if(begin, end, [](const auto& one) { return !was_preempted(one.second); });
    ASSERT_NE(slice, end) << "no slice of worker " << worker << " at " << started_ns;
    EXPECT_EQ(slice->second.end, ended_ns);
    EXPECT_LT(module, cell.module_names.size());
    expect_batch(expected, rows, slice->second);
    tally["lost"] += slice->second.categories.count("lost");
    tally["missed"] += slice->second.categories.count("missed");
    slices.erase(slice);
  }
}

void expect_instants(const Expected& expected, const CellContents& cell, const TimeSpan& span,
                     const DecodedTrace& trace) {
  std::map<std::string, std::uint64_t> drops;
  std::uint64_t late = 0;
  std::size_t plans = 0;
  for (const auto& [id, track] : trace.tracks) {
    for (const DecodedEvent& instant : track.instants) {
      EXPECT_TRUE(span.contains(instant.begin));
      ASSERT_EQ(instant.categories.size(), 1U);
      const std::string& category = *instant.categories.begin();
      if (category == "drop") ++drops[trace.tracks.at(track.parent).name + " " + instant.name];
      if (category == "late") ++late;
      if (category == "plan") ++plans;
    }
  }
  EXPECT_EQ(drops, expected.drops);
  EXPECT_EQ(late, expected.late);
  EXPECT_EQ(plans, static_cast<std::size_t>(std::ranges::count_if(
                       cell.record.plans, [&span](const PlanRow& row) { return span.contains(row.at_ns); })));
}

void expect_counters(const Expected& expected, const CellContents& cell, const TimeSpan& span,
                     const DecodedTrace& trace) {
  for (ModuleId module = 0; module < cell.module_names.size(); ++module) {
    const DecodedTrack* counter = trace.find(expected.module_name(module) + "/visits waiting");
    ASSERT_NE(counter, nullptr);
    ASSERT_FALSE(counter->points.empty());
    EXPECT_EQ(counter->points.front().first, span.from_ns) << "it has a value from the beginning";
    const std::size_t step = 1 + counter->points.size() / 50;  // counting takes long
    for (std::size_t i = 0; i < counter->points.size(); ++i) {
      const auto& [at, value] = counter->points[i];
      EXPECT_GE(value, 0);
      EXPECT_TRUE(i == 0 || counter->points[i - 1].first < at);
      EXPECT_LT(at, span.to_ns);
      if (i % step == 0) {
        ASSERT_EQ(value, expected.waiting(module, at)) << "at " << at;
      }
    }
    const TimeNs last_ns = span.to_ns == kNever ? cell.record.end_ns : span.to_ns - 1;
    EXPECT_EQ(counter->points.back().second, expected.waiting(module, last_ns));
    if (span.to_ns == kNever) {
      EXPECT_EQ(counter->points.back().second, 0) << "every visit has ended";
    }
  }
}

void expect_flows(const Expected& expected, const DecodedTrace& trace, Tally& tally) {
  std::multiset<std::tuple<std::uint64_t, std::string, std::string>> arrows;
  std::set<std::uint64_t> requests;
  for (const auto& [id, steps] : trace.flows) {
    EXPECT_GE(steps.size(), 2U) << "flow " << id << " joins nothing";
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].is_last, i + 1 == steps.size()) << "flow " << id;
      if (i > 0) arrows.insert({id >> 16, steps[i - 1].thing, steps[i].thing});
    }
    tally["forks_and_joins"] += requests.insert(id >> 16).second ? 0 : 1;
  }
  EXPECT_EQ(arrows.size(), expected.arrows.size());
  EXPECT_TRUE(arrows == expected.arrows);
  tally["arrows"] += arrows.size();
}

struct Kind {
  std::string name;
  std::function<RunSpec(RandomStream&)> draw;
  Tally at_least;
  int cells = 8;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class TimelineOf : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string name = "harness_timeline_" + GetParam().name + std::to_string(::getpid());
    path_ = (std::filesystem::temp_directory_path() / name).string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void expect_timeline(const RunSpec& spec, const Ran& ran, const TimeSpan& span, Tally& tally) {
    const CellContents cell = contents_of(spec, ran);
    Timeline timeline{cell, span, spec.pipeline.has_tasks() ? nullptr : &spec.pipeline,
                      preempted_batches(ran.record.replay)};
    const TimelineCounts counts = write_timeline(path_, timeline);
    EXPECT_EQ(counts.bytes, std::filesystem::file_size(path_));
    const DecodedTrace trace(path_);
    const Expected expected(spec, cell, span);
    Slices slices;
    for (const auto& [id, track] : trace.tracks) {
      for (const DecodedEvent& slice : track.slices)
        slices.emplace(std::pair(trace.path_of(id), slice.begin), slice);
    }
    expect_batches(expected, cell, slices, tally);
    // The others are the preempted ones.
    EXPECT_EQ(slices.size(), counts.preempted);
    for (const auto& [place, slice] : slices) {
      EXPECT_TRUE(was_preempted(slice) && slice.name.ends_with(", preempted")) << slice.name;
      EXPECT_TRUE(expected.is_in_span(slice.begin, slice.end));
    }
    expect_instants(expected, cell, span, trace);
    expect_counters(expected, cell, span, trace);
    expect_flows(expected, trace, tally);
    EXPECT_EQ(counts.batches, expected.batches.size());
    tally["batches"] += counts.batches;
    tally["preempted"] += counts.preempted;
    tally["drops"] += counts.drops;
    tally["late"] += counts.late;
    if (span.from_ns > 0 || span.to_ns != kNever) return;
    std::uint64_t preempted = 0;
    for (const ModuleTotals& module : cell.record.modules) preempted += module.preempted;
    EXPECT_EQ(counts.preempted, preempted);
    EXPECT_EQ(counts.late, cell.record.late);
  }

  std::string path_;
};

TEST_P(TimelineOf, SaysWhatTheRowsSay) {
  const Kind& kind = GetParam();
  RandomStream random(1, kind.name);
  Tally tally;
  for (int i = 0; i < kind.cells && !HasFailure(); ++i) {
    SCOPED_TRACE("cell " + std::to_string(i));
    RunSpec spec = testing::next_with_a_plan([&] { return kind.draw(random); });
    spec.record_replay = true;
    const Ran ran(spec);
    expect_timeline(spec, ran, {}, tally);
    const TimeNs from_ns = static_cast<TimeNs>(random.below(2 * kNsPerS));
    Tally part;
    expect_timeline(spec, ran, {from_ns, from_ns + 1 + static_cast<TimeNs>(random.below(kNsPerS))}, part);
  }
  testing::expect_at_least(kind.at_least, tally);
}

std::vector<Kind> kinds() {
  using Random = RandomStream;
  std::vector<Kind> kinds = {
      {"preempting", testing::random_preempting_cell, {{"preempted", 100}, {"arrows", 1'000}}},
      {"shepherd", testing::shepherd_cell, {{"batches", 1'000}, {"preempted", 10}}},
      {"nexus_models", testing::nexus_cell, {{"batches", 1'000}}},
      {"loki",
       [](Random& random) { return testing::faulty_tree_cell_of("loki", random); },
       {{"arrows", 1'000}, {"forks_and_joins", 100}}},
      {"faulty",
       [](Random& random) {
         RunSpec spec = testing::random_cell_or_dynamic(random, *find_system("nexus"));
         spec.faults = testing::random_faults(random, spec.workers);
         testing::add_load(spec, random);
         return spec;
       },
       {{"lost", 5}, {"drops", 100}},
       20}};
  for (const char* const system : {"pard", "clipperpp", "naive", "inferline", "quart"}) {
    const auto draw = [system](Random& random) {
      RunSpec spec = testing::random_dynamic_cell(random, *find_system(system));
      testing::add_load(spec, random);
      return spec;
    };
    kinds.push_back({system, draw, {{"batches", 500}, {"arrows", 1'000}, {"forks_and_joins", 100}}});
  }
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Kinds, TimelineOf, ::testing::ValuesIn(kinds()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace harness
