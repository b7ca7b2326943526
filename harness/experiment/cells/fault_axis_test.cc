// Faults as an axis: [[sweep]] and --set with the keys of a named [[fault]].
#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"

namespace harness {
namespace {

const std::string kThreeFaults = R"([workload]
pipelines = ["tm"]
traces = ["poisson"]
duration_s = 10
[cluster]
workers = 16
[[system]]
name = "naive"
[[system]]
name = "pard"
[[fault]]
name = "crash"
kind = "stop"
at_s = 1
for_s = 2
gpu = 4
[[fault]]
name = "throttle"
kind = "slow"
at_s = 3
for_s = 4
gpus = [0, 3]
factor = 2
[[fault]]
kind = "loss"
at_s = 5
for_s = 1
gpu = 1
)";

/// A cell and the faults of its run.
struct CellWithFaults {
  PreparedCell cell;
  std::vector<Fault> faults;
};

std::vector<CellWithFaults> prepare_with_faults(const std::string& text,
                                                const std::vector<std::string>& overrides = {}) {
  const ExperimentSpec spec = parse(text, overrides);
  CellFactory factory(spec, "b");
  std::vector<CellWithFaults> all;
  for (const Cell& cell : factory.cells()) {
    PreparedCell prepared = factory.prepare(cell);
    std::vector<Fault> faults = factory.make_run(prepared).faults;
    all.push_back({std::move(prepared), std::move(faults)});
  }
  return all;
}

/// Returns the message that refuses this text when it is read or when its runs are made.
std::string error_of_runs(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return refusal_of([&] { prepare_with_faults(text, overrides); });
}

TEST(FaultAxis, WithAndWithout) {
  const std::vector<CellWithFaults> cells =
      prepare_with_faults(kThreeFaults + sweep("fault.crash.on", "[false, true]"));
  ASSERT_EQ(cells.size(), 4U);  // x 2 systems, which are the inner axis
  for (std::size_t i = 0; i < 4; ++i) {
    const bool on = i >= 2;
    EXPECT_EQ(cells[i].cell.identity.parameters, on ? "fault.crash.on=true" : "fault.crash.on=false");
    ASSERT_EQ(cells[i].faults.size(), on ? 3U : 2U);
    EXPECT_EQ(cells[i].faults[0].kind, on ? FaultKind::kStop : FaultKind::kSlow);
    EXPECT_EQ(cells[i].cell.arrivals_text, cells[0].cell.arrivals_text);
  }
}

TEST(FaultAxis, ANumberIsSwept) {
  const std::vector<CellWithFaults> cells = prepare_with_faults(
      kThreeFaults + sweep("fault.throttle.factor", "[1, 2.5]") + sweep("fault.crash.count", "[1, 8, 12]"));
  ASSERT_EQ(cells.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    ASSERT_EQ(cells[i].faults.size(), 3U);
    EXPECT_EQ(cells[i].faults[1].factor, i < 6 ? 1 : 2.5);
    EXPECT_EQ(cells[i].faults[0].first_gpu, 4);
    EXPECT_EQ(cells[i].faults[0].gpus, (std::vector<int>{1, 8, 12})[i / 2 % 3]);
  }
}

TEST(FaultAxis, EveryNumberCanBe) {
  const auto only = [](const std::string& key, const std::string& value) {
    return prepare_with_faults(kThreeFaults + sweep("fault." + key, "[" + value + "]")).front().faults;
  };
  EXPECT_EQ(only("crash.at_s", "0.5")[0].at_ns, 500 * kNsPerMs);
  EXPECT_EQ(only("crash.for_s", "7")[0].for_ns, 7 * kNsPerS);
  EXPECT_EQ(only("crash.gpu", "15")[0].first_gpu, 15);
  EXPECT_EQ(only("throttle.gpu", "8")[1].gpus, 4);  // as many as there were
  const std::string delay =
      "[[fault]]\nname = \"far\"\nkind = \"delay\"\nat_s = 1\nfor_s = 1\ngpu = 0\ndelay_ms = 1\n";
  EXPECT_EQ(
      prepare_with_faults(kThreeFaults + delay + sweep("fault.far.delay_ms", "[0.5]"))[0].faults[3].delay_ns,
      500 * kNsPerUs);
}

TEST(FaultAxis, ANameMayCoverSeveral) {
  std::string text = kThreeFaults;
  text.replace(text.find("throttle"), 8, "crash");
  const std::vector<CellWithFaults> cells =
      prepare_with_faults(text + sweep("fault.crash.on", "[false, true]"));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].faults.size(), 1U);
  EXPECT_EQ(cells[2].faults.size(), 3U);
  EXPECT_TRUE(has(error_of_runs(text + sweep("fault.crash.factor", "[2]")), "a fault of kind \"stop\""));
}

TEST(FaultAxis, SetReachesAFaultByItsName) {
  const std::vector<CellWithFaults> cells =
      prepare_with_faults(kThreeFaults, {"fault.crash.on=false", "fault.throttle.for_s=9"});
  ASSERT_EQ(cells[0].faults.size(), 2U);
  EXPECT_EQ(cells[0].faults[0].for_ns, 9 * kNsPerS);
  EXPECT_TRUE(has(error_of_runs(kThreeFaults, {"fault.crush.on=false"}), "--set: fault.crush.on"));
  EXPECT_TRUE(has(error_of_runs(kThreeFaults, {"fault.crash.factor=3"}), "--set: fault.factor"));
  EXPECT_TRUE(has(error_of_runs(kThreeFaults, {"fault=3"}), "--set: fault"));
}

/// Cells with the fault equal the cells of an experiment that has only that fault; names change nothing.
TEST(FaultAxis, TheEffectiveSettingsHoldWhatHappens) {
  const std::vector<CellWithFaults> swept =
      prepare_with_faults(kThreeFaults + sweep("fault.crash.on", "[true, false]"));
  std::string without_names = kThreeFaults;
  for (const char* name : {"name = \"crash\"\n", "name = \"throttle\"\n"})
    without_names.erase(without_names.find(name), std::string(name).size());
  const std::vector<CellWithFaults> plain = prepare_with_faults(without_names);
  EXPECT_EQ(swept[0].cell.identity.input_hash, plain[0].cell.identity.input_hash);
  EXPECT_NE(swept[2].cell.identity.input_hash, plain[0].cell.identity.input_hash);
  const std::vector<CellWithFaults> again = prepare_with_faults(swept[2].cell.identity.effective_toml);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].faults.size(), 2U);
}

TEST(FaultAxis, MistakesAreNamed) {
  struct Case {
    const char* key;
    const char* values;
    const char* found;
  };
  const std::vector<Case> cases = {
      {"fault.crush.on", "[true]", "unknown fault 'crush', did you mean 'crash'?"},
      {"fault.on", "[true]", "fault.NAME.KEY"},
      {"fault.crash.kind", "[\"slow\"]", "unknown key 'kind'"},
      {"fault.crash.on", "[1]", "true or false"},
      {"fault.crash.factor", "[2]", "a fault of kind \"stop\""},
      {"fault.throttle.factor", "[0.5]", "a number from 1 to 1000"},
      {"fault.crash.for_s", "[0]", "a number above 0"},
      {"fault.crash.for_s", "[true]", "a number above 0"},
      {"fault.crash.gpu", "[1.5]", "an integer from 0"},
      {"fault.crash.gpu", "[3, 16]", "GPU 16 of a cluster of 16"},
      {"fault.crash.count", "[12, 13]", "GPU 16 of a cluster of 16"},
  };
  for (const Case& one : cases) {
    const std::string line = error_of_runs(kThreeFaults + sweep(one.key, one.values));
    EXPECT_TRUE(has(line, one.found)) << one.key << ": " << line;
    EXPECT_TRUE(has(line, "exp/test.toml:3")) << line;  // lines 35 and on
  }
  const std::string nameless = kThreeFaults.substr(0, kThreeFaults.find("[[fault]]"));
  EXPECT_TRUE(has(error_of_runs(nameless + sweep("fault.crash.on", "[true]")), "which needs name"));
  std::string set = kThreeFaults;
  set.insert(set.find("[[fault]]"), "set = { \"fault.crash.on\" = false }\n");
  EXPECT_TRUE(has(error_of_runs(set), "every system gets the same faults"));
}

/// A fault that does not happen may lie outside a smaller cluster.
TEST(FaultAxis, TheClusterMustHoldOnlyWhatHappens) {
  EXPECT_EQ(error_of_runs(kThreeFaults, {"fault.crash.gpu=16", "fault.crash.on=false"}), "no error");
  EXPECT_NE(error_of_runs(kThreeFaults, {"fault.crash.gpu=16"}), "no error");
}

}  // namespace
}  // namespace harness
