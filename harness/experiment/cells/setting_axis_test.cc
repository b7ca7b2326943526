#include <gtest/gtest.h>

#include "harness/experiment/cells/test_experiment_text.h"

namespace harness {
namespace {

const std::string kHead =
    "[workload]\npipelines = \"tm\"\ntraces = \"tweet\"\nloads = 0.5\n[planner]\nsizing_factor = 2\n"
    "[[system]]\nname = \"clipperpp\"\n[[system]]\nname = \"pard\"\nparams = { lambda = 0.3 }\n";

std::string setting(const std::string& name, const std::string& set) {
  return "[[setting]]\nname = \"" + name + "\"\nset = { " + set + " }\n";
}

TEST(SettingAxis, ValuesGoTogetherAndASystemsOwnStay) {
  const ExperimentSpec spec =
      parse(kHead + setting("first", "\"planner.sizing_factor\" = 1.5, \"pard.lambda\" = 0.5") +
            setting("second",
                    "\"workload.load\" = 1.25, \"trace.tweet.compress\" = 144, \"clipperpp.aimd\" = true") +
            sweep("cluster.profile_scale", "[1, 2]"));
  CellFactory factory(spec, "b");
  ASSERT_EQ(factory.cells().size(), 8u);
  for (const Cell& cell : factory.cells()) {
    const bool second = cell.index >= 4;
    const Settings settings = settings_of(spec, cell);
    EXPECT_EQ(settings.planner.sizing_factor, second ? 2 : 1.5);
    EXPECT_EQ(settings.trace.compress, second ? 144 : 0);
    EXPECT_EQ(cell.rate, second ? 1.25 : 0.5);
    const PreparedCell prepared = factory.prepare(cell);
    EXPECT_DOUBLE_EQ(prepared.target_rps, cell.rate * prepared.reference_rps);
    EXPECT_TRUE(has(parameters_text(spec, cell), second ? "setting=second" : "setting=first"));
    // pard sets its own lambda, whatever the setting says.
    const auto last = settings.system_params.back();
    if (spec.systems[cell.system].name == "pard") {
      EXPECT_EQ(std::get<double>(last.value), 0.3);
    }
    // The recorded settings are the cell.
    const ExperimentSpec one = parse(prepared.identity.effective_toml);
    CellFactory again(one, "b");
    ASSERT_EQ(again.cells().size(), 1u);
    EXPECT_EQ(again.prepare(again.cells()[0]).target_rps, prepared.target_rps);
  }
}

TEST(SettingAxis, ASystemMayMakeCellsInSomeSettingsAlone) {
  const std::string settings =
      setting("one", "\"planner.max_batch\" = 8") + setting("two", "\"planner.max_batch\" = 9");
  const std::string limited = kHead + "only = { settings = [\"two\"] }\n";  // of pard, the last one
  const ExperimentSpec spec = parse(limited + settings);
  CellFactory factory(spec, "b");
  std::vector<std::string> cells;
  for (const Cell& cell : factory.cells())
    cells.push_back(spec.settings[cell.swept.front()].name + " " + spec.systems[cell.system].name);
  EXPECT_EQ(cells, (std::vector<std::string>{"one clipperpp", "two clipperpp", "two pard"}));
  EXPECT_TRUE(has(error_of(kHead + "only = { settings = [\"twoo\"] }\n" + settings), "did you mean 'two'"));
  EXPECT_TRUE(has(error_of(limited), "unknown name of a [[setting]] 'two'"));
}

TEST(SettingAxis, RefusesWhatItCannotSet) {
  const auto refused = [](const std::string& set) { return error_of(kHead + setting("one", set)); };
  EXPECT_TRUE(
      has(refused("\"workload.seeds\" = 2"), "found workload.seeds; allowed: workload.load and keys"));
  EXPECT_TRUE(has(refused("\"workload.load\" = 0"), "found 0; allowed: a number from 1e-06 to 1000"));
  EXPECT_TRUE(has(refused("\"trace.wiki.compress\" = 9"), "a trace of workload.traces: tweet"));
  EXPECT_TRUE(has(refused("\"planner.sizing_facto\" = 2"), "did you mean 'sizing_factor'"));
  EXPECT_TRUE(has(refused("\"cluster.workers\" = 0"), "an integer from 1 to"));
  EXPECT_TRUE(
      has(error_of(kHead + setting("one", "\"pard.lambda\" = 0.1") + sweep("pard.lambda", "[0.1, 0.2]")),
          "pard.lambda, which"));
  EXPECT_TRUE(has(error_of(kHead + setting("one", "\"planner.max_batch\" = 8") +
                           setting("one", "\"planner.max_batch\" = 9")),
                  "\"one\" twice; allowed: a name of its own"));
  EXPECT_TRUE(has(error_of(kHead + "[[setting]]\nname = \"one\"\n"), "setting"));
  EXPECT_TRUE(has(error_of(kHead + setting("one", "\"workload.load\" = 1"), {"workload.loads=[1, 2]"}),
                  "beside several rates"));
  EXPECT_TRUE(has(error_of(kHead + setting("one", "\"workload.load\" = 1"), {"workload.loads=[2]"}),
                  "--set: workload.loads: found a key that the [[setting]] one has"));
  EXPECT_TRUE(has(error_of(kHead + setting("one", "\"planner.headroom\" = 1.2"), {"planner.headroom=1"}),
                  "--set: planner.headroom: found a key"));
}

}  // namespace
}  // namespace harness
