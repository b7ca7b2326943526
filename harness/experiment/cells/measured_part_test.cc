// workload.measure_from_s: which requests count.
#include <gtest/gtest.h>

#include <string>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"

namespace harness {
namespace {

std::string measured_text(const std::string& lines) {
  return "[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\nduration_s = 20\n" + lines +
         "[[system]]\nname = \"naive\"\n";
}

PreparedCell first_cell(const std::string& text) {
  const ExperimentSpec spec = parse(text);
  CellFactory factory(spec, "b");
  return factory.prepare(factory.cells()[0]);
}

TEST(MeasuredPart, BeginsWhereTheWorkloadSays) {
  const ExperimentSpec spec = parse(measured_text("measure_from_s = 5\n"));
  CellFactory factory(spec, "b");
  EXPECT_EQ(factory.make_world(factory.cells()[0]).measured_from_ns, 5 * kNsPerS);
  const PreparedCell cell = factory.prepare(factory.cells()[0]);
  // The cell's settings are an experiment of their own, of the same cell.
  EXPECT_EQ(parse(cell.identity.effective_toml).base.requests.measure_from_s, 5);
}

TEST(MeasuredPart, IsTheWholeLoadUnlessTold) {
  const PreparedCell plain = first_cell(measured_text(""));
  EXPECT_EQ(plain.identity.effective_toml.find("measure_from_s"), std::string::npos);
  EXPECT_EQ(plain.identity.input_hash, first_cell(measured_text("measure_from_s = 0\n")).identity.input_hash);
  EXPECT_NE(plain.identity.input_hash, first_cell(measured_text("measure_from_s = 1\n")).identity.input_hash);
}

TEST(MeasuredPart, MayBeSwept) {
  const ExperimentSpec spec = parse(measured_text("") + sweep("workload.measure_from_s", "[0, 10]"));
  CellFactory factory(spec, "b");
  ASSERT_EQ(factory.cells().size(), 2U);
  EXPECT_EQ(factory.prepare(factory.cells()[1]).identity.parameters, "workload.measure_from_s=10");
}

TEST(MeasuredPart, IsWholeSecondsWithinTheLoad) {
  const auto refused = [](const std::string& lines) {
    return refusal_of([&] { first_cell(measured_text(lines)); });
  };
  EXPECT_EQ(refused("measure_from_s = 20\n"),
            "exp/test.toml:5: workload.measure_from_s: found 20; allowed: less than the 20 s that trace "
            "poisson lasts");
  EXPECT_EQ(refused("measure_from_s = 2.5\n"),
            "exp/test.toml:5: workload.measure_from_s: found 2.5; allowed: an integer from 0 to 1000000000");
  EXPECT_EQ(refused("measure_from_s = [1, 2]\n"),
            "exp/test.toml:5: workload.measure_from_s: found an array; allowed: one value (for several, a "
            "[[sweep]] with the key workload.measure_from_s)");
}

}  // namespace
}  // namespace harness
