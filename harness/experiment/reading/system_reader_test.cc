#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

const std::string kFourWorkloads =
    "[workload]\npipelines = [\"tm\", \"lv\"]\ntraces = [\"tweet\", \"wiki\"]\nseeds = [1, 2]\n";

std::string system(const std::string& name, const std::string& fields) {
  return "[[system]]\nname = \"" + name + "\"\n" + fields + "\n";
}

/// Returns "system(variant) pipeline trace seed: parameters" of every cell in order.
std::vector<std::string> cells_of(const ExperimentSpec& spec) {
  CellFactory factory(spec, "b");
  std::vector<std::string> cells;
  for (const Cell& cell : factory.cells()) {
    const CellIdentity is = factory.prepare(cell).identity;
    cells.push_back(is.system + "(" + is.variant + ") " + is.pipeline + " " + is.trace + " " +
                    std::to_string(is.seed) + ": " + is.parameters);
  }
  return cells;
}

// A setting tuned per trace: one series with other parameters on each.
const std::string kTuned =
    kFourWorkloads + system("naive", "") +
    system("pard", "variant = \"oc\"\nparams = { lambda = 0.2 }\nonly = { traces = [\"wiki\"] }") +
    system(
        "pard",
        "variant = \"oc\"\nparams = { lambda = 0.3 }\nonly = { traces = \"tweet\", pipelines = [\"lv\"] }");

TEST(SystemReader, OnlyLimitsAnEntryToItsWorkloadsInTheStatedOrder) {
  const std::string own = "pard.lambda=0.";
  std::vector<std::string> expected;
  for (const std::string pipeline : {"tm", "lv"}) {
    for (const std::string trace : {"tweet", "wiki"}) {
      for (const std::string seed : {"1", "2"}) {
        const std::string at = " " + pipeline + " " + trace + " " + seed + ": ";
        expected.push_back("naive(default)" + at);
        if (trace == "wiki") expected.push_back("pard(oc)" + at + own + "2");
        if (trace == "tweet" && pipeline == "lv") expected.push_back("pard(oc)" + at + own + "3");
      }
    }
  }
  EXPECT_EQ(cells_of(parse(kTuned)), expected);
}

TEST(SystemReader, AnEmptyOnlyMeansEverywhere) {
  EXPECT_EQ(cells_of(parse(kFourWorkloads + system("naive", "only = {}"))),
            cells_of(parse(kFourWorkloads + system("naive", ""))));
}

TEST(SystemReader, TheCellsOfALimitedEntryAreExperimentsOfTheirOwn) {
  const ExperimentSpec spec = parse(kTuned);
  CellFactory factory(spec, "b");
  for (const Cell& cell : factory.cells()) {
    const std::string text = factory.prepare(cell).identity.effective_toml;
    const ExperimentSpec one = parse(text);
    EXPECT_EQ(cells_of(one).size(), 1U) << text;
    CellFactory again(one, "b");
    const std::string repeated = again.prepare(again.cells()[0]).identity.effective_toml;
    EXPECT_EQ(repeated.substr(0, repeated.find("\n# cell ")), text.substr(0, text.find("\n# cell ")));
  }
}

TEST(SystemReader, NoWorkloadGetsASystemAndVariantTwice) {
  const std::string lv = "only = { pipelines = [\"lv\"] }";
  EXPECT_EQ(
      error_of(kFourWorkloads + system("pard", lv) + system("pard", "")),
      "exp/test.toml:9: system.name: found pard with variant \"default\" twice on lv with tweet; allowed: a "
      "variant of its own for each [[system]] of a workload (see also `only`)");
  EXPECT_EQ(
      error_of(kFourWorkloads + system("pard", lv) + system("pard", "only = { traces = \"wiki\" }"))
          .find("exp/test.toml:9: system.name: found pard with variant \"default\" twice on lv with wiki"),
      0U);
  EXPECT_NO_THROW(
      parse(kFourWorkloads + system("pard", lv) + system("pard", "only = { pipelines = [\"tm\"] }")));
  EXPECT_NO_THROW(parse(kFourWorkloads + system("pard", lv) + system("pard", "variant = \"two\"")));
}

TEST(SystemReader, UnknownNamesInOnlyAreErrors) {
  EXPECT_EQ(error_of(kFourWorkloads + system("pard", "only = { traces = [\"wiki\", \"twet\"] }")),
            "exp/test.toml:7: system.only.traces: found unknown name in workload.traces 'twet', did you mean "
            "'tweet'?; allowed: tweet, wiki");
  EXPECT_NE(error_of(kFourWorkloads + system("pard", "only = { pipelines = [\"da\"] }"))
                .find("unknown name in workload.pipelines 'da'"),
            std::string::npos);
  EXPECT_NE(error_of(kFourWorkloads + system("pard", "only = { pipeline = [\"lv\"] }"))
                .find("did you mean 'pipelines'"),
            std::string::npos);
  EXPECT_NE(error_of(kFourWorkloads + system("pard", "only = { traces = [] }")).find("an empty array"),
            std::string::npos);
  EXPECT_NE(error_of(kFourWorkloads + system("pard", "only = 3")).find("a table"), std::string::npos);
}

// A shorter list from the command line leaves out what is only for the others.
TEST(SystemReader, ListsGivenBySetLeaveOutTheRest) {
  const ExperimentSpec wiki = parse(kTuned, {"workload.traces=[\"wiki\"]"});
  EXPECT_EQ(wiki.systems.size(), 2U);
  EXPECT_EQ(cells_of(wiki).size(), 2U * 2 * 2);
  EXPECT_EQ(cells_of(parse(wiki.text)), cells_of(wiki));
  const ExperimentSpec tm = parse(kTuned, {"workload.pipelines=tm"});
  EXPECT_EQ(tm.systems.size(), 2U);
  EXPECT_EQ(cells_of(tm).size(), 2U * 2 + 2);
  EXPECT_NE(
      error_of(kFourWorkloads + system("pard", "only = { traces = \"wiki\" }"), {"workload.traces=tweet"}),
      "no error");
}

// The cluster has one kind of device, so that the workload can give loads.
const std::string kOneWorkload =
    "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\nloads = 0.2\nduration_s = 5\n[cluster]\nworkers = "
    "32\n"
    "[serving]\nqueue = \"module\"\ncommit = \"late\"\n";
const std::string kOnInferLine = "planner = \"inferline\"\nplanner_params = { tuner = \"none\" }";

TEST(SystemReader, ResultsSayWhoPlans) {
  const std::vector<std::string> cells = cells_of(parse(
      kOneWorkload + system("pard", "params = { lambda = 0.2 }\n" + kOnInferLine) + system("pard", "")));
  EXPECT_EQ(cells, (std::vector<std::string>{"pard(planner=inferline,lambda=0.2,tuner=none) tm poisson 1: "
                                             "planner=inferline pard.lambda=0.2 inferline.tuner=none",
                                             "pard(default) tm poisson 1: "}));
}

TEST(SystemReader, ACellOnOtherPlansReadsBackAsTheSame) {
  const ExperimentSpec spec = parse(kOneWorkload + "[inferline]\nmax_utilisation = 0.9\n" +
                                    system("pard", "variant = \"on\"\n" + kOnInferLine));
  const CellIdentity cell = prepare_all(spec).front().identity;
  EXPECT_TRUE(has(cell.effective_toml, "planner = \"inferline\"\nplanner_params = { plan = \"greedy\""));
  EXPECT_TRUE(has(cell.effective_toml, "max_utilisation = 0.9"));
  EXPECT_EQ(prepare_all(parse(cell.effective_toml)).front().identity.input_hash, cell.input_hash);
}

// No two of these may take each other's results.
TEST(SystemReader, WhoPlansAndHowIsPartOfWhatACellIs) {
  std::set<std::string> hashes;
  std::set<double> capacities;
  for (const std::string fields : {"", "planner = \"inferline\"",
                                   "planner = \"inferline\"\nplanner_params = { plan = \"coarse_peak\" }"}) {
    const PreparedCell cell =
        prepare_all(parse(kOneWorkload + system("naive", "variant = \"one\"\n" + fields))).front();
    ASSERT_EQ(cell.why, "");
    hashes.insert(cell.identity.input_hash);
    capacities.insert(cell.capacity_rps);
  }
  EXPECT_EQ(hashes.size(), 3U);
  EXPECT_EQ(capacities.size(), 3U);
}

TEST(SystemReader, TheParametersOfAPlannerAreSwept) {
  const std::string swept = sweep("inferline.max_utilisation", "[0.5, 0.9]");
  const ExperimentSpec spec =
      parse(kOneWorkload + system("pard", kOnInferLine) + system("naive", "") + swept);
  EXPECT_EQ(cells_of(spec).size(), 3U) << "naive is planned for by the shared planner";
  EXPECT_TRUE(has(error_of(kOneWorkload + system("naive", "") + swept), "inferline.max_utilisation"));
}

// InferLine's own run, through the files.
TEST(SystemReader, NaiveOnInferLinesPlansRunsAsInferLine) {
  const ExperimentSpec spec =
      parse(kOneWorkload + system("inferline", "") + system("naive", "planner = \"inferline\""));
  CellFactory factory(spec, "b");
  std::vector<std::uint64_t> fingerprints;
  for (const Cell& cell : factory.cells())
    fingerprints.push_back(simulate(factory.make_run(factory.prepare(cell)), nullptr).fingerprint);
  ASSERT_EQ(fingerprints.size(), 2U);
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

TEST(SystemReader, PlansThatMakeNoSenseAreRefused) {
  const std::string at = "exp/test.toml:13: system.planner: found ";
  const std::string planners =
      "; allowed: inferline, quart, whose plans schedulers of other systems can serve by";
  for (const std::string planner : {"inferlin", "loki", "shepherd", "ds2", "pard"})
    EXPECT_EQ(error_of(kOneWorkload + system("pard", "planner = \"" + planner + "\"")),
              at + "\"" + planner + "\"" + planners);
  EXPECT_EQ(error_of(kOneWorkload + system("inferline", "planner = \"inferline\"")),
            at + "the system itself; allowed: another system, or no such key");
  EXPECT_EQ(
      error_of(kOneWorkload + system("pard", "planner_params = { tuner = \"none\" }")),
      "exp/test.toml:13: system.planner_params: found no planner beside it; allowed: planner = \"NAME\" too");
  EXPECT_TRUE(
      has(error_of(kOneWorkload + system("pard", "planner = \"inferline\"\nplanner_params = { tune = 1 }")),
          "unknown key 'tune', did you mean 'tuner'?"));
  EXPECT_TRUE(
      has(error_of(kOneWorkload + system("pard", kOnInferLine + "\nset = { \"loki.draw\" = \"even\" }")),
          "parameters of pard, of inferline and shared settings"));
  EXPECT_EQ(
      error_of_cells(kOneWorkload +
                     system("quart", "params = { corrector = \"exact\" }\nplanner = \"inferline\"")),
      "exp/test.toml:13: quart.corrector: found quart.corrector, which is for its own plans, with planner "
      "= inferline; allowed: cache, placement, roomy_gpus, kl_threshold");
  for (const std::string name : {"ds2", "shepherd", "clockwork", "symphony", "loki"})
    EXPECT_EQ(error_of_cells(kOneWorkload + system(name, "planner = \"inferline\"")),
              "exp/test.toml:12: system.name: found " + name +
                  ", which has a planner of its own, with planner = inferline; allowed: a system that the "
                  "shared planner plans for, or that plans for others");
  std::string tree = kOneWorkload;
  tree.replace(tree.find("\"tm\""), 4, "\"traffic-analysis\"");
  EXPECT_TRUE(has(error_of_cells(tree + system("naive", "planner = \"inferline\"")),
                  "found naive with the plans of inferline, which serves no task trees"));
}

}  // namespace
}  // namespace harness
