#include "harness/decide/more_seeds.h"

#include <gtest/gtest.h>

#include "harness/experiment/reading/experiment_spec.h"

namespace harness {
namespace {

constexpr const char* kText = R"(
name = "many"
[workload]
pipelines = ["lv", "tm", "da"]
traces = ["wiki", "tweet"]
loads = [0.9, 1.1]
seeds = [1, 2, 3]
[repeat_until]
metric = "drop_rate"
half_width = 0.1
[[system]]
name = "pard"
[[system]]
name = "pard"
variant = "back"
params = { estimate = "back" }
[[system]]
name = "nexus"
[[system]]
name = "naive"
only = { traces = ["wiki"] }
)";

ResultRow row(const char* system, const char* variant, const char* pipeline, const char* trace) {
  ResultRow row;
  for (const auto& [key, value] :
       {std::pair{"system", system}, {"variant", variant}, {"pipeline", pipeline}, {"trace", trace}})
    row.fields.emplace(key, FieldValue{value, std::nullopt});
  return row;
}

TEST(MoreSeeds, RunsTheSystemsAndWorkloadsOfTheRowsWithOtherSeeds) {
  const ResultRow back = row("pard", "back", "lv", "tweet");
  const ResultRow nexus = row("nexus", "default", "da", "tweet");
  const ExperimentSpec spec =
      parse_experiment("more.toml", text_with_seeds("many.h5", kText, {&back, &nexus}, {4, 5, 6}), {});
  ASSERT_EQ(spec.systems.size(), 2u);
  EXPECT_EQ(spec.systems[0].variant, "back");
  EXPECT_EQ(spec.systems[1].name, "nexus");
  ASSERT_EQ(spec.workload.pipelines.size(), 2u);
  EXPECT_EQ(spec.workload.pipelines[0].name, "lv");
  EXPECT_EQ(spec.workload.pipelines[1].name, "da");
  ASSERT_EQ(spec.workload.traces.size(), 1u);
  EXPECT_EQ(spec.workload.traces[0].name, "tweet");
  EXPECT_EQ(spec.workload.seeds, (std::vector<std::uint64_t>{4, 5, 6}));
  EXPECT_EQ(spec.workload.loads.size(), 2u);
  EXPECT_FALSE(spec.repeat.has_value());
}

TEST(MoreSeeds, LeavesOutSweepsOfSystemsAndTracesThatAreNotThere) {
  const std::string text = std::string(kText) +
                           "[[sweep]]\nkey = \"pard.lambda\"\nvalues = [0.1, 0.2]\n"
                           "[[sweep]]\nkey = \"trace.wiki.cv\"\nvalues = [1, 2]\n"
                           "[[sweep]]\nkey = \"planner.sizing_factor\"\nvalues = [1.5, 2]\n"
                           "[record]\nrows = [17]\n[trace.wiki]\nshape = \"gamma\"\n";
  const ResultRow nexus = row("nexus", "default", "da", "tweet");
  const ExperimentSpec spec =
      parse_experiment("more.toml", text_with_seeds("many.h5", text, {&nexus}, {4}), {});
  ASSERT_EQ(spec.sweeps.size(), 1u);
  EXPECT_EQ(spec.sweeps[0].key, "planner.sizing_factor");
}

TEST(MoreSeeds, KnowsPathsThatDependOnTheExperimentsFolder) {
  const auto names = [](const std::string& more) {
    return names_relative_files("many.h5", std::string(kText) + more);
  };
  EXPECT_FALSE(names(""));
  EXPECT_TRUE(names("[trace.wiki]\nshape = \"file\"\nfile = \"log.csv\"\n"));
  EXPECT_FALSE(names("[trace.wiki]\nshape = \"file\"\nfile = \"/data/log.csv\"\n"));
  EXPECT_FALSE(names("[trace.wiki]\nshape = \"file\"\nfile = \"$HARNESS_DATA/log.csv\"\n"));
  EXPECT_TRUE(names("[cluster]\nprofiles = \"mine.toml\"\n"));
}

}  // namespace
}  // namespace harness
