#include "harness/experiment/reading/robustness.h"

#include <gtest/gtest.h>

#include "harness/experiment/cells/test_experiment_text.h"

namespace harness {
namespace {

const std::string kSmall =
    "[workload]\npipelines = \"tm\"\ntraces = \"tweet\"\n[[system]]\nname = \"pard\"\n"
    "[[system]]\nname = \"nexus\"\n";

TEST(Robustness, ReadsAValueForEachStepAndKeysWrittenEitherWay) {
  const Robustness read =
      parse(kSmall +
            "[robustness]\nstandard = false\nmetric = \"drop_rate\"\nmargin = 0.05\nseeds = 8\ncells = 300\n"
            "[robustness.over]\n\"pard.lambda\" = [0.05, 0.2]\nserving.commit = \"late\"\n")
          .robustness;
  ASSERT_EQ(read.over.size(), 3U);
  EXPECT_EQ(read.over[0].key, "pard.lambda");
  EXPECT_EQ(read.over[1].value, ParamValue(0.2));
  EXPECT_EQ(read.over[2].key, "serving.commit");
  EXPECT_FALSE(read.standard);
  EXPECT_EQ(read.metric, "drop_rate");
  EXPECT_EQ(read.margin, 0.05);
  EXPECT_EQ(read.seeds, 8);
  EXPECT_EQ(read.cells, 300);
}

// What comes later, as from the command line, replaces it.
TEST(Robustness, AKeyThatComesAgainReplacesTheOneBefore) {
  const Robustness read =
      parse(kSmall + "[robustness.over]\n\"pard.lambda\" = [0.05, 0.2]\n\"pard.order\" = [\"fcfs\"]\n",
            {"robustness.over.pard.lambda=0.3"})
          .robustness;
  ASSERT_EQ(read.over.size(), 2U);
  EXPECT_EQ(read.over[0].key, "pard.order");
  EXPECT_EQ(read.over[1].value, ParamValue(0.3));
}

TEST(Robustness, RefusesWhatASettingCouldNotHave) {
  const auto refused = [](const std::string& text) { return error_of(kSmall + "[robustness]\n" + text); };
  EXPECT_TRUE(has(refused("over = { \"serving.comit\" = \"late\" }\n"), "did you mean 'commit'"));
  EXPECT_TRUE(
      has(refused("over = { \"serving.commit\" = \"soon\" }\n"),
          "exp/test.toml:9: robustness.over.serving.commit: found \"soon\"; allowed: one of early, late"))
      << refused("over = { \"serving.commit\" = \"soon\" }\n");
  EXPECT_TRUE(has(refused("over = { \"workload.load\" = 2 }\n"), "keys of [workload] are axes already"));
  EXPECT_TRUE(has(refused("metric = \"goodput\"\n"), "did you mean 'goodput_rps'"));
  EXPECT_TRUE(has(refused("margin = 2\n"), "a number from 0 to 1"));
  EXPECT_TRUE(has(refused("seeds = 1\n"), "an integer from 2 to 1000"));
  EXPECT_TRUE(has(refused("cell = 10\n"), "did you mean 'cells'"));
}

// A plain run takes no notice: its cells are the same, to their hashes.
TEST(Robustness, ChangesNoCell) {
  const std::vector<PreparedCell> plain = prepare_all(parse(kSmall));
  const std::vector<PreparedCell> with =
      prepare_all(parse(kSmall + "[robustness]\ncells = 5\nover = { \"serving.commit\" = \"late\" }\n"));
  ASSERT_EQ(plain.size(), with.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].identity.input_hash, with[i].identity.input_hash);
    EXPECT_EQ(plain[i].identity.effective_toml, with[i].identity.effective_toml);
  }
}

}  // namespace
}  // namespace harness
