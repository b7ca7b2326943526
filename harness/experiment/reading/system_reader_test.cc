#include "harness/experiment/reading/readers.h"

#include <gtest/gtest.h>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/test_experiment_text.h"

namespace harness {
namespace {

const std::string kFourWorkloads =
    "[workload]\npipelines = [\"tm\", \"lv\"]\ntraces = [\"tweet\", \"wiki\"]\nseeds = [1, 2]\n";

std::string system(const std::string& name, const std::string& fields) {
  return "[[system]]\nname = \"" + name + "\"\n" + fields + "\n";
}

/// "system(variant) pipeline trace seed: parameters" of every cell in order.
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

}  // namespace
}  // namespace harness
