// Traces of streams in experiments: cells, what their texts hold, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/running/dry_run.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

const std::string kShepherd = "[[system]]\nname = \"shepherd\"\n";
const std::string kMixed = R"([[trace.mixed.streams]]
module = "resnet18"
process = "bursts"
burst = 100
period_ms = 120
[[trace.mixed.streams]]
count = 50
rps = 1000
rates = "exponential"
minutes = "gamma"
minute_s = 0.5
process = "mmpp"
slo_ms = [100, 400]
)";

std::string workload(const std::string& trace, const std::string& rest = "rates_rps = 0\n",
                     const std::string& pipeline = "shepherd13") {
  return "[workload]\npipelines = \"" + pipeline + "\"\ntraces = \"" + trace + "\"\nduration_s = 3\n" + rest +
         "[cluster]\nworkers = 4\n";
}

TEST(StreamAxis, StreamsReachTheRun) {
  const ExperimentSpec spec = parse(workload("mixed") + kMixed + kShepherd);
  CellFactory factory(spec, "b");
  const Cell& cell = factory.cells().at(0);
  const PreparedCell prepared = factory.prepare(cell);
  const RunSpec run = factory.make_run(prepared);
  ASSERT_EQ(run.streams.size(), 51U);
  EXPECT_EQ(run.pipeline.modules[run.streams[0].entry].name, "resnet18");
  EXPECT_EQ(run.streams[0].slo_ns, 250 * kNsPerMs) << "the pipeline's";
  EXPECT_EQ(run.slo_ns, 400 * kNsPerMs) << "the longest";
  EXPECT_EQ(prepared.slo_ns, 250 * kNsPerMs) << "what names the cell";
  double rps = 0;
  for (const Stream& stream : run.streams) rps += stream.rate_rps;
  EXPECT_NEAR(rps, 100 * 25 / 3.0 + 1000, 1e-6) << "25 bursts in 3 s";
  EXPECT_NEAR(prepared.offered_rps, rps, 1e-6);
  EXPECT_TRUE(run.peak_rps.empty()) << "told to those that want to know alone";
}

TEST(StreamAxis, PeaksAreTheMostRequestsOfASecond) {
  const ExperimentSpec spec = parse(workload("mixed") + kMixed + "[[system]]\nname = \"nexus\"\n");
  CellFactory factory(spec, "b");
  const Cell& cell = factory.cells().at(0);
  const RunSpec run = factory.make_run(factory.prepare(cell));
  // The peaks by hand: requests of the arrivals by entry and second.
  std::vector<std::array<double, 3>> seconds(13, {0, 0, 0});
  std::vector<TimeNs> times(100'000);
  std::vector<StreamId> senders(100'000);
  const std::size_t count = run.arrivals->restarted()->next(times, senders);
  for (std::size_t i = 0; i < count; ++i)
    seconds[run.streams[senders[i]].entry][static_cast<std::size_t>(times[i] / kNsPerS)] += 1;
  ASSERT_EQ(run.peak_rps.size(), 1U) << "shorter than a period of planning";
  ASSERT_EQ(run.peak_rps[0].size(), 13U);
  for (std::size_t m = 0; m < 13; ++m)
    EXPECT_EQ(run.peak_rps[0][m], *std::max_element(seconds[m].begin(), seconds[m].end())) << m;
}

// Load: GPU seconds that a second's requests need in the largest batches, over the GPUs. Table 4: ResNet18
// 0.22 x 128 + 3.74 = 31.9 ms, ResNeSt269 4.37 x 128 + 74.2 = 633.56 ms for 128.
TEST(StreamAxis, LoadIsWhatTheRequestsNeedInTheBestBatches) {
  // 120 ms is a period: 1,024 and 120 requests.
  const ExperimentSpec spec = parse(R"([workload]
pipelines = "two-streams"
traces = "two-streams"
rates_rps = 0
duration_s = 0.12
[cluster]
workers = 4
)" + kShepherd);
  CellFactory factory(spec, "b");
  const double load = factory.prepare(factory.cells()[0]).identity.load;
  EXPECT_NEAR(load, (1024 / 0.12 * 0.0319 + 1000 * 0.63356) / 128 / 4, 1e-9);
}

TEST(StreamAxis, CellsOfDifferentRatesHaveDifferentLoadsAndTexts) {
  const ExperimentSpec spec = parse(
      workload("maf-stable", "rates_rps = [1000, 2000]\nslo_ms = [250, 100]\nseeds = [1, 2]\n") + kShepherd);
  const std::vector<PreparedCell> cells = prepare_all(spec);
  ASSERT_EQ(cells.size(), 8U);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double rate = i % 4 < 2 ? 1000 : 2000;
    EXPECT_NEAR(cells[i].offered_rps, rate, 1e-6);
    EXPECT_NEAR(cells[i].identity.load, rate / 1000 * cells[0].identity.load, 1e-9);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(cells[i].identity.input_hash, cells[j].identity.input_hash);
      EXPECT_NE(cells[i].arrivals_text, cells[j].arrivals_text);
    }
  }
}

/// The effective text is an experiment that has the same cell.
TEST(StreamAxis, TheEffectiveTextGivesTheSameRequests) {
  for (const std::string& text : {workload("mixed") + kMixed + kShepherd,
                                  workload("maf-bursty", "rates_rps = 1500\nseeds = 3\n") + kShepherd}) {
    const ExperimentSpec spec = parse(text);
    CellFactory factory(spec, "b");
    const PreparedCell cell = factory.prepare(factory.cells()[0]);
    const ExperimentSpec again_spec = parse(cell.identity.effective_toml);
    CellFactory again_factory(again_spec, "b");
    const PreparedCell again = again_factory.prepare(again_factory.cells().at(0));
    EXPECT_EQ(again.identity.effective_toml, cell.identity.effective_toml);
    EXPECT_EQ(again.arrivals_text, cell.arrivals_text);
    EXPECT_TRUE(has(cell.identity.effective_toml, ".streams]]\nmodule = ")) << cell.identity.effective_toml;
  }
}

std::string class_hash(const std::string& keys) {
  const ExperimentSpec spec =
      parse(workload("s", "rates_rps = 0\n") + "[[trace.s.streams]]\n" + keys + "\n" + kShepherd);
  CellFactory factory(spec, "b");
  return factory.prepare(factory.cells()[0]).identity.input_hash;
}

// What a key of a class changes shows in the cell's text and hash.
TEST(StreamAxis, EveryKeyOfAClassCounts) {
  const std::string rich = "rates = \"lognormal\"\nminutes = \"gamma\"\nprocess = \"mmpp\"\n";
  const std::string bursts = "process = \"bursts\"\n";
  for (const char* key :
       {"module = \"resnet50\"", "slo_ms = 300", "count = 2", "rps = 2", "sigma = 2", "cut_below = 2",
        "cut_above = 2", "minute_s = 1", "minute_cv_from = 1", "minute_cv_to = 2", "population = 2",
        "mmpp_ratio = 3", "mmpp_high_share = 0.5", "mmpp_high_s = 1", "mmpp_chains = 1"}) {
    EXPECT_NE(class_hash(rich + key), class_hash(rich)) << key;
  }
  for (const char* key : {"burst = 2", "period_ms = 2", "offset_ms = 1"})
    EXPECT_NE(class_hash(bursts + key), class_hash(bursts)) << key;
  for (const char* key : {"rates = \"exponential\"", "minutes = \"gamma\"", "process = \"mmpp\""})
    EXPECT_NE(class_hash(key), class_hash("")) << key;
}

TEST(StreamAxis, KeysWithoutAMeaningAreRefused) {
  struct Case {
    std::string keys;
    std::string last;  ///< last key, which has no meaning beside the others
    std::string allowed;
  };
  const std::string bursts = "process = \"bursts\"\n";
  const std::string gamma = "minutes = \"gamma\"\n";
  const std::string lognormal = "rates = \"lognormal\"\n";
  for (const Case& one :
       std::vector<Case>{{bursts, "rps = 2", "process = poisson, uniform or mmpp"},
                         {bursts, "rates = \"equal\"", "process = poisson, uniform or mmpp"},
                         {"rates = \"exponential\"\n", "sigma = 2", "rates = lognormal"},
                         {gamma, "cut_below = 2", "rates = lognormal"},
                         {gamma, "cut_above = 2", "rates = lognormal"},
                         {lognormal, "minute_s = 9", "minutes = gamma or recorded"},
                         {lognormal, "minute_cv_from = 1", "minutes = gamma"},
                         {lognormal, "minute_cv_to = 4", "minutes = gamma"},
                         {lognormal, "mmpp_ratio = 3", "process = mmpp"},
                         {gamma, "mmpp_high_share = 0.5", "process = mmpp"},
                         {bursts, "mmpp_high_s = 1", "process = mmpp"},
                         {gamma, "mmpp_chains = 1", "process = mmpp"},
                         {gamma, "burst = 2", "process = bursts"},
                         {gamma, "period_ms = 2", "process = bursts"},
                         {gamma, "offset_ms = 1", "process = bursts"}}) {
    const std::string key = one.last.substr(0, one.last.find(' '));
    EXPECT_EQ(
        error_of_cells(workload("s") + "[[trace.s.streams]]\n" + one.keys + one.last + "\n" + kShepherd),
        "exp/test.toml:10: trace.s.streams." + key + ": found " + key + " in a class without " + one.allowed +
            "; allowed: with " + one.allowed);
  }
}

// Section 7.2, 12 s of one GPU: FLEX alone serves the same (shepherd_test, FlexTwoStreams).
TEST(StreamAxis, TheTwoStreamsOfThePaperAreServedAsByFlexAlone) {
  const ExperimentSpec spec =
      load_experiment("experiments/shepherd/two-streams.toml", {"workload.duration_s=12"});
  CellFactory factory(spec, "b");
  const std::vector<double> expected_rps = {4055, 4032, 2976, 1131};  // at each SLO with preemption, without
  const std::size_t systems = spec.systems.size();
  ASSERT_EQ(spec.systems[2].variant, "np");
  ASSERT_EQ(factory.cells().size(), 2 * systems);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t system = i % 2 == 0 ? 0 : 2;  // the default, np
    const Cell& cell = factory.cells()[i / 2 * systems + system];
    const RunSpec run = factory.make_run(factory.prepare(cell));
    const RunRecord record = simulate(run, nullptr);
    EXPECT_EQ(record.sent, 100U * 1024 + 12'000);
    EXPECT_NEAR(static_cast<double>(record.in_time) / 12, expected_rps[i], 0.5) << i;
  }
}

TEST(StreamAxis, TheDryRunPutsModelsOfOnePlanTogether) {
  PreparedCell cell;
  cell.module_names = {"a", "b", "c", "d"};
  cell.plan.modules.resize(4);
  for (ModulePlan& module : cell.plan.modules) {
    module.max_batch = 128;
    module.workers = 12;
  }
  cell.plan.groups = {{12, {0, 1, 2, 3}}};
  EXPECT_TRUE(has(dry_run_table({cell}), "  4 models 128 x 12; one group of 12 for all\n"));
  cell.plan.modules[1].max_batch = 64;
  cell.plan.modules[3].workers = 0;
  cell.plan.groups = {{4, {0, 1}}, {8, {1, 2}}};
  EXPECT_TRUE(has(dry_run_table({cell}),
                  "  2 models 128 x 12, b 64 x 12, d without a worker; groups of workers: "
                  "4 for a, b; 8 for b, c\n"));
  cell.module_names.push_back("e");
  cell.plan.modules.push_back(cell.plan.modules[0]);
  for (std::size_t k = 0; k < 5; ++k) cell.plan.modules[k].max_batch = static_cast<int>(10 + k);
  cell.plan.groups = {{1, {0}}, {2, {0}}, {1, {0, 1, 2}}, {3, {3}}, {1, {4}}};
  EXPECT_TRUE(has(dry_run_table({cell}),
                  "  5 models 10 to 14 x 0 to 12; 5 groups of 1 to 3 for 1 to 3 models "
                  "each\n"))
      << "ranges of many";
  cell.plan.modules.resize(4);
  cell.module_names.resize(4);
  cell.plan.groups.clear();
  EXPECT_TRUE(has(dry_run_table({cell}), "  a 10 x 12, b 11 x 12, c 12 x 12, d without a worker\n"))
      << "modules with workers of their own";
}

/// Returns why the cell of a system with 70,000 GPUs is skipped.
std::string skipped(const std::string& streams, const std::string& system) {
  const std::string workload =
      "[workload]\npipelines = \"two-streams\"\ntraces = \"s\"\nduration_s = 0.01\nrates_rps = 0\n"
      "[cluster]\nworkers = 70000\n[[trace.s.streams]]\n";
  const ExperimentSpec spec = parse(workload + streams + "[[system]]\nname = " + system);
  CellFactory factory(spec, "b");
  return factory.prepare(factory.cells().at(0)).why;
}

// A plan numbers its groups with 16 bits. HERD (a group for each share: 70,000 streams have 65,536 numbers)
// is refused before it is made, which would take minutes.
TEST(StreamAxis, PlansOfTooManyGroupsAreRefused) {
  const std::string herd =
      skipped("count = 70000\nrps = 70000\n", "\"shepherd\"\nparams = { herd_group_worker_limit = 1 }\n");
  EXPECT_TRUE(has(herd, "the plan has 65536 groups of workers, at most 65534")) << herd;
  const std::string nexus = skipped("count = 2\nrps = 7e7\n", "\"nexus\"\n");
  EXPECT_TRUE(has(nexus, " groups of workers, at most 65534")) << nexus;
}

/// Returns an experiment with SHEPHERD and a sweep, whose values are in the fifth line.
std::string sweep_of(const std::string& key, const std::string& values) {
  return kShepherd + sweep(key, values);
}

struct Refused {
  const char* what;
  std::string text;
  std::string message;
};

void expect_refused(const std::vector<Refused>& cases) {
  for (const Refused& one : cases) {
    const std::string error = error_of_cells(one.text);
    EXPECT_TRUE(has(error, one.message)) << one.what << ": " << error;
    EXPECT_FALSE(has(error, "\n")) << one.what;
  }
}

TEST(StreamAxis, WhatIsRefused) {
  const std::string streams = "[[trace.s.streams]]\n";
  const std::vector<Refused> cases = {
      {"loads", workload("maf-stable", "loads = 1\n") + kShepherd,
       "exp/test.toml:5: workload.loads: found loads for the streams of trace maf-stable; allowed: "
       "rates_rps"},
      {"no rates", workload("maf-stable", "") + kShepherd,
       "exp/test.toml:1: workload.rates_rps: found nothing for the streams of trace maf-stable; allowed: "
       "rates_rps"},
      {"a system without streams", workload("maf-stable") + "[[system]]\nname = \"pard\"\n",
       "exp/test.toml:9: system.name: found pard, which serves no streams, with trace maf-stable; allowed: "},
      {"one load side by side", workload("poisson", "rates_rps = 9\n") + kShepherd,
       "exp/test.toml:3: workload.traces: found trace poisson, one load, on pipeline shepherd13"},
      {"bursts scaled", workload("two-streams", "rates_rps = 9\n", "two-streams") + kShepherd,
       "found bursts, which cannot be scaled, and a rate of 9; allowed: a rate of 0"},
      {"bare streams", workload("streams") + kShepherd, "found unknown trace 'streams'"},
      {"no class", workload("s") + "[trace.s]\nshape = \"streams\"\n" + kShepherd,
       "found no class of streams; allowed: one [[trace.s.streams]] or more"},
      {"a table", workload("s") + "[trace.s.streams]\ncount = 3\n" + kShepherd,
       "exp/test.toml:8: trace.s.streams: found a table; allowed: tables with the heading "
       "[[trace.s.streams]]"},
      {"classes of another shape", workload("s") + "[trace.s]\nshape = \"wiki\"\n" + streams + kShepherd,
       "streams: found classes of streams with shape wiki; allowed: shape = \"streams\""},
      {"classes beside a preset", workload("s") + "[trace.s]\nshape = \"maf-stable\"\n" + streams + kShepherd,
       "found classes of streams with shape maf-stable; allowed: shape = \"streams\""},
      {"an unknown key", workload("s") + streams + "cuont = 3\n" + kShepherd,
       "exp/test.toml:9: trace.s.streams.cuont: found unknown key 'cuont', did you mean 'count'?"},
      {"a wrong value", workload("s") + streams + "count = 0\n" + kShepherd,
       "exp/test.toml:9: trace.s.streams.count: found 0; allowed: an integer from 1 to 1000000"},
      {"a list", workload("s") + streams + "count = [1, 2]\n" + kShepherd,
       "trace.s.streams.count: found an array"},
      {"a key of a single load", workload("s") + "[trace.s]\nprocess = \"gamma\"\n" + streams + kShepherd,
       "exp/test.toml:9: trace.s.process: found process with shape = \"streams\"; allowed: shape, streams, "
       "file"},
      {"no such module", workload("s") + streams + "module = \"bert\"\n" + kShepherd,
       "exp/test.toml:9: trace.s.streams.module: found 'bert' in pipeline shepherd13; allowed: a module "
       "without pres"},
      {"no file", workload("s") + streams + "minutes = \"recorded\"\n" + kShepherd,
       "exp/test.toml:8: trace.s.file: missing; expected the file of the recorded minutes"},
      {"recorded requests in several streams",
       workload("s") + streams + "process = \"recorded\"\nmodule = \"resnet18\"\ncount = 2\n" + kShepherd,
       "exp/test.toml:11: trace.s.streams.count: found count with process = \"recorded\"; allowed: with "
       "process = "
       "poisson, uniform, mmpp or bursts"},
      {"a time column without requests",
       workload("s") + "[trace.s]\ntime_column = \"t\"\n" + streams + kShepherd,
       "exp/test.toml:9: trace.s.time_column: found time_column with shape = \"streams\"; allowed: a class "
       "with "
       "process = \"recorded\""},
      {"a first burst after the end",
       workload("s") + streams + "process = \"bursts\"\noffset_ms = 3000\n" + kShepherd,
       "exp/test.toml:10: trace.s.streams.offset_ms: found 3000; allowed: less than the 3000 ms of "
       "duration_s"},
      {"a sweep of presets",
       workload("maf-stable") + kShepherd + sweep("trace.maf-stable.shape", "[\"maf-bursty\"]"),
       "found maf-bursty, which is several classes of streams"},
  };
  expect_refused(cases);
}

std::string placed(const std::string& placement, const std::string& system) {
  return workload("two-streams", "rates_rps = 0\n", "two-streams") + "[planner]\nplacement = \"" + placement +
         "\"\n[[system]]\nname = \"" + system + "\"\n";
}

TEST(StreamAxis, WorkersServeTheModulesPlacedThere) {
  const ExperimentSpec spec = parse(placed("resnet18 resnest269,resnest269", "clockwork"));
  CellFactory factory(spec, "b");
  const PreparedCell prepared = factory.prepare(factory.cells().at(0));
  const std::vector<WorkerGroup> groups = {{1, {0, 1}}, {1, {1}}};
  EXPECT_EQ(prepared.plan.groups, groups);
  EXPECT_EQ(prepared.plan.modules[1].workers, 2);
  const RunRecord record = simulate(factory.make_run(prepared), nullptr);
  EXPECT_EQ(record.workers.size(), 2U);
  EXPECT_GT(record.in_time, 0U);
}

TEST(StreamAxis, RequestsOfAModuleOnNoWorkerAreDropped) {
  const ExperimentSpec spec = parse(placed("resnet18,resnet18", "clockwork"));
  CellFactory factory(spec, "b");
  const RunRecord record = simulate(factory.make_run(factory.prepare(factory.cells().at(0))), nullptr);
  EXPECT_EQ(record.modules[1].dropped[static_cast<std::size_t>(DropReason::kNoWorker)], 3000U)
      << "one each ms";
  EXPECT_GT(record.in_time, 0U);
}

TEST(StreamAxis, WorkersOfSeveralModulesCountWhatAllOfThemSent) {
  const std::string bursts = "process = \"bursts\"\nperiod_ms = 1000\n";
  const ExperimentSpec spec = parse(workload("s", "rates_rps = 0\n", "two-streams") +
                                    "[[trace.s.streams]]\nmodule = \"resnest269\"\n" + bursts +
                                    "[[trace.s.streams]]\nmodule = \"resnet18\"\noffset_ms = 1\n" + bursts +
                                    "[planner]\nplacement = \"resnet18 resnest269, "
                                    "resnet18\"\n[serving]\ndispatch = \"least_outstanding\"\n"
                                    "[[system]]\nname = \"clockwork\"\n");
  CellFactory factory(spec, "b");
  const RunRecord record = simulate(factory.make_run(factory.prepare(factory.cells().at(0))), nullptr);
  EXPECT_EQ(record.in_time, 6U);
  EXPECT_EQ(record.workers[0].batches, 3U) << "the first worker has a request of resnest269 each time";
  EXPECT_EQ(record.workers[1].batches, 3U);
}

TEST(StreamAxis, PlacementsThatAreRefused) {
  const std::vector<Refused> cases = {
      {"a system with a plan of its own", placed("resnet18", "shepherd"),
       "exp/test.toml:9: planner.placement: found a placement with shepherd, which plans for itself; "
       "allowed: "
       "clockwork"},
      {"an unknown module", placed("resnet18, resnet81", "clockwork"),
       "exp/test.toml:9: planner.placement: found unknown module 'resnet81', did you mean 'resnet18'?"},
      {"too many workers", placed("resnet18, resnet18, resnet18, resnet18, resnet18", "clockwork"),
       "exp/test.toml:9: planner.placement: found 5 workers; allowed: at most the 4 of cluster.workers"},
      {"workers twice", placed("resnet18", "clockwork") + "[module.resnet18]\nworkers = 2\n",
       "module.resnet18.workers: found workers beside planner.placement; allowed: one of them"},
      {"the plans of another system", placed("resnet18", "clockwork") + "planner = \"inferline\"\n",
       "found planner = inferline beside planner.placement; allowed: one of them"},
      {"plans from time to time",
       placed("resnet18", "clockwork") + sweep("planner.workers", "[\"rate\"]") +
           sweep("planner.autoscale", "[true]"),
       "planner.autoscale: found true beside planner.placement; allowed: one of them"},
      {"part of a chain",
       "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\n[planner]\nplacement = "
       "\"object_detection\"\n[[system]]\nname = \"clockwork\"\n",
       "exp/test.toml:5: planner.placement: found face_recognition on no worker; allowed: each module of a "
       "pipeline on a worker"},
      {"fewer workers at first",
       placed("resnet18", "clockwork") + "[[sweep]]\nkey = \"planner.initial_workers\"\nvalues = [1]\n",
       "found 1 with clockwork, which keeps its first plan"},
  };
  expect_refused(cases);
}

TEST(StreamAxis, SweepsOfClassesThatAreRefused) {
  const std::string streams = "[[trace.s.streams]]\n";
  const std::vector<Refused> cases = {
      {"a sweep of a class that is not there",
       workload("s") + streams + streams + sweep_of("trace.s.streams.2.count", "[1]"),
       "exp/test.toml:14: trace.s.streams.2.count: found class '2'; allowed: trace.NAME.streams.N.KEY, N the "
       "place "
       "of the class among its [[trace.NAME.streams]]: 0 to 1"},
      {"a sweep of a class without its number",
       workload("s") + streams + sweep_of("trace.s.streams.count", "[1]"),
       "exp/test.toml:13: trace.s.streams.count: found class 'count'; allowed: trace.NAME.streams.N.KEY, N "
       "the "
       "place of the class among its [[trace.NAME.streams]]: 0"},
      {"a sweep of an unknown key of a class",
       workload("s") + streams + sweep_of("trace.s.streams.0.cuont", "[1]"),
       "trace.s.streams.0.cuont: found unknown key 'cuont', did you mean 'count'?"},
      {"a sweep of no key of a class", workload("s") + streams + sweep_of("trace.s.streams.0", "[1]"),
       "trace.s.streams.0: found unknown key ''"},
      {"a swept value", workload("s") + streams + sweep_of("trace.s.streams.0.count", "[0]"),
       "exp/test.toml:13: trace.s.streams.0.count: found 0; allowed: an integer from 1 to 1000000"},
      {"a swept SLO", workload("s") + streams + sweep_of("trace.s.streams.0.slo_ms", "[0]"),
       "trace.s.streams.0.slo_ms: found 0; allowed: numbers from 0.001 to 1e+07"},
      {"a class of a trace without streams",
       workload("s") + "[trace.s]\nshape = \"wiki\"\n" + sweep_of("trace.s.streams.0.count", "[1]"),
       ": found no classes of streams; allowed: a trace with [[trace.NAME.streams]]"},
      {"a class of a trace that is not there",
       workload("s") + streams + sweep_of("trace.z.streams.0.count", "[1]"),
       "sweep.key: found trace.z.streams.0.count; allowed: a trace of workload.traces: s"},
      {"a swept key without a meaning", workload("s") + streams + sweep_of("trace.s.streams.0.burst", "[2]"),
       "exp/test.toml:13: trace.s.streams.0.burst: found burst in a class without process = bursts; "
       "allowed: "},
  };
  expect_refused(cases);
}

/// Returns the requests that each cell expects, with its parameters.
std::vector<std::pair<std::string, double>> expected_of(const std::string& text,
                                                        const std::vector<std::string>& set = {}) {
  const ExperimentSpec spec = parse(text, set);
  CellFactory factory(spec, "b");
  std::vector<std::pair<std::string, double>> expected;
  for (const Cell& cell : factory.cells()) {
    const PreparedCell prepared = factory.prepare(cell);
    expected.emplace_back(prepared.identity.parameters, prepared.expected_requests);
  }
  return expected;
}

// 3 s: a class of 2 requests/s beside one of bursts, of each of its streams one burst every 1,000 ms.
TEST(StreamAxis, KeysOfAClassAreSweptAndSet) {
  const std::string text = workload("s", "rates_rps = 0\n") +
                           "[[trace.s.streams]]\nrps = 2\n[[trace.s.streams]]\nprocess = \"bursts\"\n"
                           "burst = 10\nperiod_ms = 1000\n";
  using Expected = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(expected_of(text + kShepherd), (Expected{{"", 6 + 30}}));
  EXPECT_EQ(expected_of(text + sweep_of("trace.s.streams.1.burst", "[10, 25]")),
            (Expected{{"trace.s.streams.1.burst=10", 6 + 30}, {"trace.s.streams.1.burst=25", 6 + 75}}));
  EXPECT_EQ(expected_of(text + sweep_of("trace.s.streams.0.rps", "[1, 4]"), {"trace.s.streams.1.count=2"}),
            (Expected{{"trace.s.streams.0.rps=1", 3 + 60}, {"trace.s.streams.0.rps=4", 12 + 60}}));
  // A swept SLO is the class's only one; the other class keeps the workload's.
  const ExperimentSpec spec = parse(text + sweep_of("trace.s.streams.0.slo_ms", "[70]"));
  CellFactory factory(spec, "b");
  const RunSpec run = factory.make_run(factory.prepare(factory.cells()[0]));
  ASSERT_EQ(run.streams.size(), 2U);
  EXPECT_EQ(run.streams[0].slo_ns, 70 * kNsPerMs);
  EXPECT_EQ(run.streams[1].slo_ns, run.slo_ns);
}

TEST(StreamAxis, KeysOfTheClassesOfAPresetAreSwept) {
  const auto cells =
      expected_of(workload("maf-bursty") + sweep_of("trace.maf-bursty.streams.0.mmpp_ratio", "[2, 5]"));
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].first, "trace.maf-bursty.streams.0.mmpp_ratio=2");
  EXPECT_EQ(cells[0].second, cells[1].second) << "it is the workload's mean rate";
}

TEST(StreamAxis, WhatCannotBeSetOfAClass) {
  for (const auto& [key, message] : std::vector<std::pair<std::string, std::string>>{
           {"trace.s.streams.1.count=3", "--set: trace.s.streams.1.count: found class '1'; allowed: "},
           {"trace.s.streams.count=3", "--set: trace.s.streams.count: found class 'count'; allowed: "},
           {"trace.s.streams.0.cuont=3", "unknown key 'cuont', did you mean 'count'?"},
           {"trace.s.streams.0.count=0", "--set: trace.s.streams.count: found 0; allowed: an integer from 1"},
           {"trace.maf-stable.streams.0.count=3",
            "--set: trace.maf-stable.streams.0.count: found no classes of streams; allowed: "}}) {
    const std::string error = error_of(workload("s") + "[[trace.s.streams]]\ncount = 2\n" + kShepherd, {key});
    EXPECT_TRUE(has(error, message)) << key << ": " << error;
  }
}

}  // namespace
}  // namespace harness
