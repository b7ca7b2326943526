#include "harness/experiment/cells/cell_factory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "workloads/catalogue/pipeline_file.h"

namespace harness {
namespace {

const std::string kTwoSystems = R"([[system]]
name = "naive"
[[system]]
name = "pard"
)";

std::vector<TimeNs> first_times(CellFactory& factory, const Cell& cell) {
  const RunSpec run = factory.make_run(factory.prepare(cell));
  std::vector<TimeNs> times(1000);
  times.resize(run.arrivals->next(times));
  return times;
}

/// Returns an experiment whose seeds are 1 to `seeds`.
std::string many_seeds(int seeds) {
  std::string list;
  for (int seed = 1; seed <= seeds; ++seed) list += (seed == 1 ? "" : ", ") + std::to_string(seed);
  return "[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\nseeds = [" + list + "]\n" + kTwoSystems;
}

// These end at once, or never: in quadratic time, or with as many texts of settings as cells.
TEST(Expansion, AMillionSeedsAreRefusedAndAHundredThousandCellsPrepared) {
  EXPECT_EQ(
      error_of_cells(many_seeds(1'000'000)),
      "exp/test.toml: cells: found more than 1000000; allowed: at most 1000000 combinations of all axes");
  const ExperimentSpec spec = parse(many_seeds(50'000));
  CellFactory factory(spec, "b");
  ASSERT_EQ(factory.cells().size(), 100'000U);
  std::set<std::string> hashes;
  for (const Cell& cell : factory.cells()) hashes.insert(factory.prepare(cell).identity.input_hash);
  EXPECT_EQ(hashes.size(), factory.cells().size());
}

TEST(Expansion, CombinationsWithoutASystemAreNotTried) {
  std::string values = "1";
  for (int i = 2; i <= 20'000; ++i) values += ", " + std::to_string(i);
  const ExperimentSpec spec = parse(
      "[workload]\npipelines = [\"tm\", \"lv\"]\ntraces = [\"poisson\"]\nslo_ms = [500]\nseeds = [" + values +
      "]\nrates_rps = [" + values + "]\n[[system]]\nname = \"pard\"\nonly = { pipelines = [\"lv\"] }\n");
  EXPECT_TRUE(has(refusal_of([&] { CellFactory(spec, "b"); }), "more than 1000000"));
}

// What cells have in common is made once: each must be what it would be alone.
TEST(CellFactory, ACellIsTheSameWhateverWasPreparedBefore) {
  const ExperimentSpec spec = parse(R"(runtime = ["simulated", "emulated"]
[workload]
pipelines = ["tm", "da-dynamic"]
traces = ["poisson", "tweet"]
loads = [0.5, 1.5]
seeds = [1, 2]
slo_ms = [500, 600]
[[system]]
name = "pard"
variant = "large"
params = { wait_samples = 20 }
set = { cluster.workers = 80 }
[[system]]
name = "nexus"
)" + kTwoSystems + sweep("planner.max_batch", "[4, 16]") +
                                    sweep("pard.lambda", "[0.1, 0.3]") +
                                    sweep("planner.workers", "[\"balanced\", \"rate\"]"));
  CellFactory factory(spec, "b");
  constexpr std::size_t kStride = 37;  // shares no factor with any axis
  for (std::size_t i = 0; i < factory.cells().size(); ++i) {
    const PreparedCell shared = factory.prepare(factory.cells()[i * 5 % factory.cells().size()]);
    if (i % kStride != 0) continue;
    const PreparedCell alone = CellFactory(spec, "b").prepare(shared.cell);
    EXPECT_EQ(shared.identity.effective_toml, alone.identity.effective_toml);
    EXPECT_EQ(shared.identity.input_hash, alone.identity.input_hash);
    EXPECT_EQ(shared.identity.parameters, alone.identity.parameters);
    EXPECT_EQ(shared.arrivals_text, alone.arrivals_text);
    EXPECT_EQ(shared.why, alone.why);
    EXPECT_EQ(shared.expected_requests, alone.expected_requests);
    EXPECT_EQ(shared.target_rps, alone.target_rps);
    EXPECT_EQ(shared.capacity_rps, alone.capacity_rps);
    EXPECT_EQ(shared.reference_rps, alone.reference_rps);
    ASSERT_EQ(shared.plan.modules.size(), alone.plan.modules.size());
    for (std::size_t k = 0; k < alone.plan.modules.size(); ++k) {
      EXPECT_EQ(shared.plan.modules[k].workers, alone.plan.modules[k].workers);
      EXPECT_EQ(shared.plan.modules[k].max_batch, alone.plan.modules[k].max_batch);
    }
  }
}

TEST(Expansion, EveryCombinationOnceInTheStatedOrder) {
  const ExperimentSpec spec = parse(R"([workload]
pipelines = ["tm", "lv"]
traces = ["poisson", "tweet"]
loads = [0.5, 1.5]
seeds = [1, 2]
slo_ms = [500, 600]
)" + kTwoSystems + sweep("planner.max_batch", "[4, 8, 16]"));
  const std::vector<PreparedCell> cells = prepare_all(spec);
  ASSERT_EQ(cells.size(), 2U * 2 * 2 * 2 * 2 * 3 * 2);
  std::size_t i = 0;
  for (const char* pipeline : {"tm", "lv"}) {
    for (const char* trace : {"poisson", "tweet"}) {
      for (const double slo : {500.0, 600.0}) {
        for (const double load : {0.5, 1.5}) {
          for (const std::uint64_t seed : {1, 2}) {
            for (const char* batch : {"4", "8", "16"}) {
              for (const char* system : {"naive", "pard"}) {
                const PreparedCell& cell = cells[i];
                EXPECT_EQ(cell.identity.index, i++);
                EXPECT_EQ(cell.identity.pipeline, pipeline);
                EXPECT_EQ(cell.identity.trace, trace);
                EXPECT_EQ(cell.slo_ns, ms_to_ns(slo));
                EXPECT_EQ(cell.identity.load, load);
                EXPECT_EQ(cell.identity.seed, seed);
                EXPECT_EQ(cell.identity.parameters, std::string("planner.max_batch=") + batch);
                EXPECT_EQ(cell.identity.system, system);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Expansion, ASweepMultipliesOnlyTheCellsItConcerns) {
  const std::string workload =
      "[workload]\npipelines = [\"tm\", \"lv\"]\ntraces = [\"poisson\", \"tweet\"]\n" + kTwoSystems;
  const auto count = [&](const std::string& key, const std::string& values) {
    return prepare_all(parse(workload + sweep(key, values))).size();
  };
  EXPECT_EQ(count("pard.lambda", "[0.05, 0.1, 0.15]"), 2U * 2 * (1 + 3));
  EXPECT_EQ(count("trace.tweet.compress", "[100, 200, 300]"), 2U * (1 + 3) * 2);
  EXPECT_EQ(count("module.eye_tracking.batch", "[1, 2, 3]"), (1U + 3) * 2 * 2);  // lv has it, tm does not
  EXPECT_EQ(count("serving.commit", "[\"early\", \"late\"]"), 2U * 2 * 2 * 2);
}

TEST(Expansion, TooManyCellsAreAnError) {
  std::string seeds;
  for (int i = 0; i < 10'000; ++i) seeds += std::to_string(i) + ",";
  const std::string text = "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nseeds = [" + seeds + "]\n" +
                           "loads = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]\n"
                           "slo_ms = [300, 400, 500]\n" +
                           kTwoSystems;  // 1,200,000
  const ExperimentSpec spec = parse(text);
  EXPECT_THROW(CellFactory(spec, ""), InputError);
}

// tm with one worker and batch 1 for each module: 1 / the slowest module's latency.
double capacity_of_three_workers() {
  const ProfileSet profiles = load_profiles("shepherd-v100");
  TimeNs slowest = 0;
  for (const Module& module : load_pipeline("tm").modules)
    slowest = std::max(slowest, profiles.profiles.at(module.model).latency(1));
  return 1 / ns_to_s(slowest);
}

TEST(CellFactory, LoadIsRelativeToTheCapacityOfThePlan) {
  std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nloads = [0.5, 1, 2]\n"
      "[cluster]\nworkers = 3\n[planner]\nmax_batch = 1\n" +
      kTwoSystems;
  const double capacity = capacity_of_three_workers();
  for (const PreparedCell& cell : prepare_all(parse(text))) {
    EXPECT_NEAR(cell.capacity_rps, capacity, 1e-9);
    EXPECT_NEAR(cell.target_rps, cell.identity.load * capacity, 1e-9);
    EXPECT_NEAR(cell.offered_rps, cell.target_rps, 1e-6 * cell.target_rps);
  }
}

// Nexus's batches are smaller with a factor of its own, its capacity is another; what is an overload is not.
TEST(CellFactory, TheReferencePlanSaysWhatIsAnOverloadToAllSystems) {
  const std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\n[cluster]\nworkers = 12\n"
      "[[system]]\nname = \"naive\"\n[[system]]\nname = \"nexus\"\nset = { \"planner.sizing_factor\" = 4 }\n";
  for (const char* loads : {"loads = [0.5]\n", "rates_rps = [100]\n"}) {
    std::string own = text;
    own.insert(std::string("[workload]\n").size(), loads);
    const std::vector<PreparedCell> cells = prepare_all(parse(own));
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_NE(cells[0].capacity_rps, cells[1].capacity_rps);
    for (const PreparedCell& cell : cells) EXPECT_EQ(cell.overload_rps, cells[0].capacity_rps) << loads;
    // With workers that follow the rate nobody has the reference plan.
    for (const PreparedCell& cell : prepare_all(parse(own + "[planner]\nworkers = \"rate\"\n"))) {
      EXPECT_GT(cell.reference_rps, 0);
      EXPECT_EQ(cell.overload_rps, 0);
    }
  }
}

// The load stays the same as with the whole cluster; a cell starts with one worker a module.
TEST(CellFactory, ACellThatStartsSmallHasTheLoadOfOneThatDoesNot) {
  const std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nloads = [1.5]\n" + kTwoSystems +
      "[[system]]\nname = \"inferline\"\n[cluster]\nworkers = 12\n[planner]\nmax_batch = 1\nworkers = "
      "\"rate\"\nautoscale = true\n";
  const std::vector<PreparedCell> planned = prepare_all(parse(text));
  const std::vector<PreparedCell> small = prepare_all(parse(text + "initial_workers = 1\n"));
  ASSERT_EQ(small.size(), 3U);
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_EQ(small[i].why, "");
    EXPECT_EQ(small[i].target_rps, planned[i].target_rps);
    EXPECT_EQ(small[i].reference_rps, planned[i].reference_rps);
    int more = 0;
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(small[i].plan.modules[m].workers, 1);
      EXPECT_EQ(small[i].plan.modules[m].max_batch, planned[i].plan.modules[m].max_batch);
      more += planned[i].plan.modules[m].workers - 1;
    }
    EXPECT_GT(more, 0);
    EXPECT_LT(small[i].capacity_rps, planned[i].capacity_rps);
  }
  EXPECT_NEAR(small[0].capacity_rps, capacity_of_three_workers(), 1e-9);
}

TEST(CellFactory, StartingSmallIsRefusedWhereNothingPlansAgain) {
  const std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nduration_s = 10\nloads = "
      "[0.5]\n[cluster]\nworkers = 12\n[planner]\ninitial_workers = "
      "1\n[[system]]\nname = ";
  EXPECT_EQ(
      error_of_cells(text + "\"naive\"\n"),
      "exp/test.toml:9: planner.initial_workers: found 1 with naive, which keeps its first plan; allowed: "
      "0, planner.autoscale = true, or a system whose own planner plans again");
  const std::string untuned = text + "\"inferline\"\nparams = { tuner = \"none\" }\n";
  EXPECT_TRUE(has(error_of_cells(untuned), "planner.initial_workers: found 1 with"));
  EXPECT_TRUE(has(
      error_of_cells(untuned + sweep("planner.autoscale", "[true]") + sweep("planner.workers", "[\"rate\"]")),
      "initial_workers: found 1 with"));
  prepare_all(parse(text + "\"inferline\"\n"));
  prepare_all(parse(text + "\"naive\"\nset = { \"planner.initial_workers\" = 0 }\n"));
}

// Whatever a system sets for itself, however the rate is given and whatever it scales.
TEST(CellFactory, LoadIsTheTargetRateOverTheCapacityOfTheSharedPlan) {
  const std::string shared = "[cluster]\nworkers = 3\n[planner]\nmax_batch = 1\n";
  const std::string systems =
      kTwoSystems +
      "[[system]]\nname = \"pard\"\nset = { \"cluster.workers\" = 30, \"planner.max_batch\" = 8 }\n";
  const double capacity = capacity_of_three_workers();
  for (const bool loads : {true, false}) {
    for (const char* trace : {"", "scale_to = \"peak\"\n"}) {
      for (const char* workers : {"", "workers = \"rate\"\n"}) {
        const std::vector<PreparedCell> cells =
            prepare_all(parse(std::string("[workload]\npipelines = \"tm\"\ntraces = \"tweet\"\n") +
                              (loads ? "loads = [0.25]\n" : "rates_rps = [7]\n") +
                              "[trace.tweet]\nduration_s = 60\n" + trace + shared + workers + systems));
        ASSERT_EQ(cells.size(), 3U);
        for (const PreparedCell& cell : cells) {
          EXPECT_DOUBLE_EQ(cell.identity.load, loads ? 0.25 : 7 / capacity) << trace << workers;
          EXPECT_NEAR(cell.target_rps, cell.identity.load * capacity, 1e-9);
          const double mean = cell.offered_rps / cell.target_rps;
          EXPECT_NEAR(mean, 1, *trace == '\0' ? 1e-6 : 0.5);
          EXPECT_EQ(mean < 0.99, *trace != '\0');
        }
        EXPECT_GT(cells[2].capacity_rps, 0);
        EXPECT_NE(cells[2].capacity_rps, cells[0].capacity_rps);
      }
    }
  }
}

void expect_prepared_alike(const PreparedCell& a, const PreparedCell& b) {
  EXPECT_EQ(a.identity.load, b.identity.load);
  EXPECT_EQ(a.why, b.why);
  EXPECT_EQ(a.plan, b.plan);
  EXPECT_EQ(a.capacity_rps, b.capacity_rps);
  EXPECT_EQ(a.reference_rps, b.reference_rps);
  EXPECT_EQ(a.target_rps, b.target_rps);
  EXPECT_EQ(a.offered_rps, b.offered_rps);
  EXPECT_EQ(a.duration_s, b.duration_s);
  EXPECT_EQ(a.expected_requests, b.expected_requests);
  EXPECT_EQ(a.arrivals_text, b.arrivals_text);
}

/// Expects cells of seeds 3, 1 and 2 to be the same together as each alone, all with the same load, by which
/// results are paired. Returns true if the seeds offer different rates.
bool expect_seeds_apart(const std::string& text) {
  const auto with_seeds = [&text](const std::string& seeds) {
    return prepare_all(parse("[workload]\nseeds = " + seeds + "\n" + text));
  };
  const std::vector<PreparedCell> together = with_seeds("[3, 1, 2]");
  std::set<double> offered;
  for (const PreparedCell& cell : together) {
    expect_prepared_alike(cell, with_seeds(std::to_string(cell.identity.seed)).at(0));
    EXPECT_EQ(cell.identity.load, together[0].identity.load);
    offered.insert(cell.offered_rps);
  }
  return *offered.rbegin() > (1 + 1e-6) * *offered.begin();
}

TEST(CellFactory, ACellIsPreparedAlikeWithAndWithoutTheOtherSeeds) {
  const std::string counts = ::testing::TempDir() + "/seeds_apart_counts.txt";
  std::ofstream(counts) << "# bin_s = 1\n3\n9\n4\n1\n5\n9\n2\n6\n5\n3\n";
  std::set<std::string> of_the_seed;
  for (const std::string shape : {"constant", "poisson", "gamma", "mmpp", "step", "transition", "wiki",
                                  "tweet", "azure", "autoscale-spike", "file"}) {
    const bool is_flat = shape == "constant" || shape == "poisson" || shape == "gamma" || shape == "mmpp";
    for (const std::string scale_to : {"mean", "peak", "start"}) {
      if (is_flat && scale_to != "mean") continue;
      for (const std::string rate : {"loads = 0.7", "rates_rps = 300"}) {
        SCOPED_TRACE(shape + " " + scale_to + " " + rate);
        const std::string file =
            shape == "file" ? "file = \"" + counts + "\"\nformat = \"counts\"\n" : "duration_s = 10\n";
        if (expect_seeds_apart("pipelines = \"tm\"\ntraces = \"one\"\n" + rate + "\n[trace.one]\nshape = \"" +
                               shape + "\"\n" + (is_flat ? "" : "scale_to = \"" + scale_to + "\"\n") + file +
                               "[planner]\nworkers = \"rate\"\n[[system]]\nname = \"naive\"\n"))
          of_the_seed.insert(shape + " " + scale_to);
      }
    }
  }
  EXPECT_EQ(of_the_seed, (std::set<std::string>{"wiki peak", "tweet peak", "azure peak", "wiki start",
                                                "tweet start", "azure start"}));
  EXPECT_FALSE(
      expect_seeds_apart("pipelines = \"shepherd13\"\ntraces = \"one\"\nrates_rps = 300\nduration_s = 3\n"
                         "[[trace.one.streams]]\ncount = 5\nrps = 100\nrates = "
                         "\"exponential\"\n[[system]]\nname = \"shepherd\"\n"));
}

// The rates then need no shared plan.
TEST(CellFactory, RatesAreServedWhereOnlyASystemsOwnPlanMeetsTheSlo) {
  const std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nrates_rps = [100]\n"
      "[cluster]\nworkers = 2\n[[system]]\nname = \"pard\"\nset = { \"cluster.workers\" = 9 }\n";
  const PreparedCell cell = prepare_all(parse(text)).at(0);
  EXPECT_EQ(cell.why, "");
  EXPECT_TRUE(std::isnan(cell.identity.load));
  EXPECT_GT(cell.capacity_rps, 0);
}

// Of the workers that the workload is given, not of those that a system sets for itself.
TEST(CellFactory, RatesOfEachWorkerFollowTheWorkers) {
  const std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nrates_rps_per_worker = [2, 5]\n" + kTwoSystems +
      "[[system]]\nname = \"pard\"\nvariant = \"small\"\nset = { \"planner.max_batch\" = 2 }\n" +
      sweep("cluster.workers", "[3, 30]");
  const std::vector<PreparedCell> cells = prepare_all(parse(text));
  ASSERT_EQ(cells.size(), 12U);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double each = i < 6 ? 2 : 5;
    EXPECT_EQ(cells[i].settings.cluster.workers, i % 6 < 3 ? 3 : 30);
    EXPECT_EQ(cells[i].target_rps, each * cells[i].settings.cluster.workers);
    EXPECT_NE(cells[i].identity.effective_toml.find("\nrates_rps = [" + text_of(cells[i].target_rps) + "]"),
              std::string::npos);
  }
  const std::string own =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nrates_rps_per_worker = 2\n[cluster]\nworkers = "
      "3\n"
      "[[system]]\nname = \"pard\"\nset = { \"cluster.workers\" = 30 }\n";
  EXPECT_EQ(prepare_all(parse(own)).at(0).target_rps, 6);
}

TEST(CellFactory, SystemsOfAWorkloadGetTheSameRequests) {
  const ExperimentSpec spec =
      parse("[workload]\npipelines = \"tm\"\ntraces = \"tweet\"\nseeds = [1, 2]\n" + kTwoSystems +
            "[[system]]\nname = \"pard\"\nset = { \"planner.max_batch\" = 2, \"cluster.workers\" = 32 }\n");
  CellFactory factory(spec, "");
  ASSERT_EQ(factory.cells().size(), 6U);
  const std::vector<TimeNs> reference = first_times(factory, factory.cells()[0]);
  EXPECT_EQ(reference.size(), 1000U);
  EXPECT_EQ(first_times(factory, factory.cells()[1]), reference);
  EXPECT_EQ(first_times(factory, factory.cells()[2]), reference);
  EXPECT_NE(first_times(factory, factory.cells()[3]), reference);  // the other seed
  EXPECT_LT(factory.prepare(factory.cells()[2]).capacity_rps,
            factory.prepare(factory.cells()[0]).capacity_rps);
}

TEST(CellFactory, ACellThatCannotMeetItsSloIsSkippedAndSaysWhy) {
  const std::vector<PreparedCell> cells = prepare_all(
      parse("[workload]\npipelines = \"lv\"\ntraces = \"poisson\"\nslo_ms = [1, 500]\n" + kTwoSystems));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_NE(cells[0].why.find("SLO"), std::string::npos) << cells[0].why;
  EXPECT_NE(cells[1].why, "");
  EXPECT_EQ(cells[2].why, "");
  EXPECT_GT(cells[2].capacity_rps, 0);
}

TEST(CellFactory, WorkersByRateFollowTheRate) {
  const std::string text =
      "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nloads = [0.25, 0.5]\n"
      "[planner]\nworkers = \"rate\"\n" +
      kTwoSystems;
  const std::vector<PreparedCell> cells = prepare_all(parse(text));
  const auto workers = [](const PreparedCell& cell) {
    int sum = 0;
    for (const ModulePlan& module : cell.plan.modules) sum += module.workers;
    return sum;
  };
  EXPECT_NEAR(cells[2].target_rps, 2 * cells[0].target_rps, 1e-6);
  EXPECT_LT(workers(cells[0]), workers(cells[2]));
  EXPECT_LE(workers(cells[2]), 40);  // half the capacity of 64 workers, each module rounded up
}

// The recorded settings of a cell are an experiment with that one cell and the same settings and arrivals.
TEST(CellFactory, EffectiveTomlIsTheCell) {
  const ExperimentSpec spec =
      parse(R"([workload]
pipelines = ["tm", "da"]
traces = ["azure", "odd name", "squared"]
loads = [0.7, 1.3]
[trace."odd name"]
shape = "gamma"
cv = 3
[trace.squared]
shape = "transition"
scv = 0.5
transition_scv = 4
[module.kill_count]
batch = 0
)" +
            std::string("[[system]]\nname = \"pard\"\nparams = { lambda = 0.15 }\nset = { \"serving.commit\" "
                        "= \"late\" }\n") +
            sweep("cluster.jitter", "[\"none\", \"uniform\"]"));
  EXPECT_THROW(CellFactory(spec, ""), InputError);  // no pipeline has kill_count
  ExperimentSpec fixed = spec;
  fixed.places.clear();
  CellFactory factory(fixed, "b");
  for (const Cell& cell : factory.cells()) {
    const PreparedCell prepared = factory.prepare(cell);
    const ExperimentSpec one = parse(prepared.identity.effective_toml);
    CellFactory again(one, "b");
    ASSERT_EQ(again.cells().size(), 1U);
    const PreparedCell repeated = again.prepare(again.cells()[0]);
    const auto without_index = [](const std::string& text) { return text.substr(0, text.find("\n# cell ")); };
    EXPECT_EQ(without_index(repeated.identity.effective_toml),
              without_index(prepared.identity.effective_toml));
    EXPECT_EQ(repeated.capacity_rps, prepared.capacity_rps);
    EXPECT_EQ(first_times(again, again.cells()[0]), first_times(factory, cell));
  }
}

TEST(CellFactory, RowsCanBeThoseOfSomeCells) {
  const std::string text = "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nseeds = [1, 2]\n" +
                           kTwoSystems + "[record]\nrows = [1, 3]\nreplay = [2]\n";
  const ExperimentSpec spec = parse(text);
  CellFactory factory(spec, "");
  ASSERT_GE(factory.cells().size(), 4u);
  for (const Cell& cell : factory.cells()) {
    const std::string toml = factory.prepare(cell).identity.effective_toml;
    const bool keeps = cell.index == 1 || cell.index == 3;
    EXPECT_EQ(toml.find("rows = true") != std::string::npos, keeps) << cell.index;
    EXPECT_EQ(toml.find("replay = true") != std::string::npos, cell.index == 2) << cell.index;
    EXPECT_EQ(factory.make_run(factory.prepare(cell)).record_replay, cell.index == 2);
  }
  EXPECT_TRUE(has(error_of_cells(text + "states = [0, 999]\n"), "states: found cell 999; allowed: 0 to "));
  EXPECT_TRUE(has(error_of_cells(text + "states = [0.5]\n"), "states: found 0.5; allowed: true, false, or"));
}

TEST(CellFactory, HashesTellCellsAndBuildsApart) {
  const ExperimentSpec spec =
      parse("[workload]\npipelines = [\"tm\", \"lv\"]\ntraces = \"tweet\"\nseeds = [1, 2]\n" + kTwoSystems);
  std::set<std::string> hashes;
  std::set<std::string> of_settings;
  for (const char* build : {"one", "two"}) {
    for (const PreparedCell& cell : prepare_all(spec, build)) {
      EXPECT_EQ(cell.identity.input_hash.size(), 16U);
      hashes.insert(cell.identity.input_hash);
      of_settings.insert(settings_hash_of(cell.identity.effective_toml));
    }
  }
  EXPECT_EQ(hashes.size(), 2U * 8);
  EXPECT_EQ(of_settings.size(), 8U);
  EXPECT_EQ(prepare_all(spec)[3].identity.input_hash, prepare_all(spec)[3].identity.input_hash);
}

}  // namespace
}  // namespace harness
