#include "harness/fit/fit_plan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/files/file_bytes.h"
#include "harness/fit/generated_experiments.h"

namespace harness {
namespace {

const std::string kHead = R"(claims_file = "claims.toml"
claims = ["pard.*"]
[search]
points = 4
best = 1
moves = 2
round = 1
confirmed = 3
set = ["workload.seeds=[1, 2]"]
[[confirm]]
name = "seeds"
set = ["workload.seeds=[7]"]
)";
const std::string kKnobs = R"(
[[knob]]
name = "sizes"
key = "planner.sizing_factor"
values = [1.5, 2]
default = 2
text = "not given"
[[knob]]
name = "scaling"
default = "fixed"
text = "5.1"
[[knob.value]]
name = "fixed"
[[knob.value]]
name = "autoscaled"
set = { "trace.*.scale_to" = "peak", "trace.azure.compress" = 3, "planner.workers" = "rate", "workload.load" = 0.9 }
[[knob]]
name = "headroom"
key = "planner.headroom"
values = [1, 1.1]
default = 1
text = "not given"
when = { scaling = "autoscaled" }
)";
const std::string kBase = R"(
[[base]]
experiment = "sizing.toml"
systems = ["pard", "pard/back"]
)";

FitPlan parse(const std::string& text) { return parse_fit("exp/fit.toml", text); }
std::string error_of(const std::string& text) {
  return refusal_of([&] { parse(text); });
}

TEST(FitPlan, KnobsBasesAndConditions) {
  const FitPlan plan = parse(kHead + kKnobs + kBase);
  EXPECT_EQ(plan.name, "fit");
  EXPECT_EQ(plan.claims_file, "exp/claims.toml");
  EXPECT_EQ(plan.bases[0].file, "exp/sizing.toml");
  EXPECT_EQ(plan.bases[0].as, "sizing");
  EXPECT_EQ(standard_point(plan), (FitPoint{1, 0, 0}));
  EXPECT_TRUE(plan.knobs[0].is_scale);
  EXPECT_FALSE(plan.knobs[1].is_scale);
  EXPECT_FALSE(is_active(plan, 2, {1, 0, 1}));
  EXPECT_TRUE(is_active(plan, 2, {1, 1, 1}));
}

TEST(FitPlan, Refusals) {
  const auto refused = [](const std::string& text, const std::string& part) {
    EXPECT_NE(error_of(text).find(part), std::string::npos) << error_of(text);
  };
  refused(kHead + kBase, "knob");
  refused(kHead + kKnobs, "base");
  refused(kHead + kKnobs + kBase + "when = { scalin = \"fixed\" }\n", "when scalin");
  refused(kHead + kKnobs + kBase + "when = { scaling = \"never\" }\n", "when scaling = never");
  refused(kHead + "[[knob]]\nname = \"a\"\nkey = \"x.y\"\nvalues = [1]\ndefault = 1\ntext = \"\\u0020\"\n" +
              kBase,
          "at least two values");
  refused(
      kHead + "[[knob]]\nname = \"a\"\nkey = \"x.y\"\nvalues = [1, 2]\ndefault = 3\ntext = \"t\"\n" + kBase,
      "found 3; allowed: 1, 2");
  refused(kHead + kKnobs +
              "[[knob]]\nname = \"other\"\nkey = \"planner.sizing_factor\"\nvalues = [1, 2]\n"
              "default = 1\ntext = \"t\"\n" +
              kBase,
          "found planner.sizing_factor, which knob sizes sets too");
}

class GeneratedExperiment : public testing::Test {
 protected:
  GeneratedExperiment() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fitXXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    write_file(folder_ + "/sizing.toml", R"([workload]
pipelines = ["tm"]
traces = ["wiki", "tweet"]
seeds = [1, 2, 3]
[planner]
headroom = 1.3
[[sweep]]
key = "planner.sizing_factor"
values = [1.5, 2, 3]
[[sweep]]
key = "pard.lambda"
values = [0.1, 0.2]
[[system]]
name = "naive"
[[system]]
name = "pard"
[[system]]
name = "pard"
variant = "back"
params = { estimate = "back" }
)");
  }
  ~GeneratedExperiment() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

// 2 traces x 2 seeds x 2 points x 2 lambdas x 2 series; the sweep of the knob's key is gone.
TEST_F(GeneratedExperiment, HasTheSettingsOfItsPoints) {
  const FitPlan plan = parse_fit(folder_ + "/fit.toml", kHead + kKnobs + kBase);
  const std::vector<NumberedPoint> points = {{0, {1, 0, 0}}, {17, {0, 1, 1}}};
  const std::string text = experiment_text(plan, plan.bases[0], points, plan.worlds[0]);
  const ExperimentSpec spec = parse_experiment("made.toml", text, {});
  CellFactory factory(spec, "b");
  ASSERT_EQ(factory.cells().size(), 2u * 2 * 2 * 2 * 2);
  EXPECT_EQ(text.find("azure"), std::string::npos);  // the base does not replay it
  std::size_t scaled = 0;
  for (const Cell& cell : factory.cells()) {
    EXPECT_NE(spec.systems[cell.system].name, "naive");
    const Settings settings = settings_of(spec, cell);
    const bool is_second = parameters_text(spec, cell).find("setting=p0017") != std::string::npos;
    EXPECT_EQ(settings.planner.sizing_factor, is_second ? 1.5 : 2);
    EXPECT_EQ(settings.planner.headroom, is_second ? 1.1 : 1.3);  // the knob has no effect with fixed workers
    EXPECT_EQ(settings.trace.scale_to == ScaleTo::kPeak, is_second);
    EXPECT_EQ(cell.rate, is_second ? 0.9 : 1);
    scaled += is_second ? 1 : 0;
  }
  EXPECT_EQ(scaled, 16u);
  EXPECT_EQ(parse_experiment("made.toml", experiment_text(plan, plan.bases[0], points, plan.worlds[1]), {})
                .workload.seeds,
            std::vector<std::uint64_t>{7});
}

// The worlds differ in seeds and traces; a base that does not replay a trace has none of its keys.
TEST_F(GeneratedExperiment, IsAsItsWorldSays) {
  const FitPlan plan = parse_fit(folder_ + "/fit.toml", kHead + R"([refine]
set = ["workload.seeds=[1, 2, 3, 4]"]
[[confirm]]
name = "shapes"
set = ["trace.wiki.shape='step'", "trace.tweet.from_s=7"]
)" + kKnobs + kBase + R"(
refine = ["workload.traces=['tweet']"]
confirm = ["workload.traces=['wiki']"]
[[base]]
experiment = "sizing.toml"
only = ["refine"]
)");
  EXPECT_EQ(plan.confirmed, 3u);
  ASSERT_EQ(plan.worlds.size(), 4u);
  EXPECT_EQ(last_of_search(plan), 1u);
  const std::vector<NumberedPoint> points = {{0, standard_point(plan)}};
  const auto spec_in = [&](std::size_t world) {
    return parse_experiment("made.toml", experiment_text(plan, plan.bases[0], points, plan.worlds[world]),
                            {});
  };
  EXPECT_EQ(spec_in(0).workload.seeds.size(), 2u);
  EXPECT_EQ(spec_in(1).workload.seeds.size(), 4u);
  EXPECT_EQ(spec_in(1).workload.traces.size(), 1u);
  const std::string text = experiment_text(plan, plan.bases[0], points, plan.worlds[3]);
  EXPECT_NE(text.find("shape = \"step\""), std::string::npos) << text;
  EXPECT_EQ(text.find("from_s"), std::string::npos) << text;
  EXPECT_EQ(spec_in(2).workload.seeds, std::vector<std::uint64_t>{7});
  EXPECT_EQ(spec_in(3).workload.seeds.size(), 3u);
  EXPECT_EQ(experiment_text(plan, plan.bases[1], points, plan.worlds[0]), "");
  EXPECT_NE(experiment_text(plan, plan.bases[1], points, plan.worlds[1]), "");
}

TEST_F(GeneratedExperiment, KeepsWhatTheBaseKeeps) {
  const FitPlan plan = parse_fit(
      folder_ + "/fit.toml", kHead + kKnobs + kBase + "keeps = [\"workload.load\", \"trace.*.scale_to\"]\n");
  const std::vector<NumberedPoint> points = {{17, {0, 1, 1}}};
  const std::string text = experiment_text(plan, plan.bases[0], points, plan.worlds[0]);
  EXPECT_EQ(text.find("scale_to"), std::string::npos);
  EXPECT_EQ(text.find("workload.load"), std::string::npos);
  EXPECT_NE(text.find("planner.workers"), std::string::npos);
  const FitPlan odd = parse_fit(folder_ + "/fit.toml", kHead + kKnobs + R"(
[[base]]
experiment = "sizing.toml"
systems = ["pard/bak"]
)");
  EXPECT_NE(refusal_of([&] { experiment_text(odd, odd.bases[0], points, odd.worlds[0]); }).find("pard/back"),
            std::string::npos);
}

}  // namespace
}  // namespace harness
