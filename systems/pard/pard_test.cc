#include "systems/pard/pard.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

TEST(Pard, HasThePapersDefaults) {
  ParamList params;
  const std::unique_ptr<System> system = make_pard();
  system->list(params);
  const auto value = [&](const char* name) { return text_of(params.find(name)->get()); };
  EXPECT_EQ(value("lambda"), "0.1");
  EXPECT_EQ(value("wait_samples"), "10000");
  EXPECT_EQ(value("wait_window"), "10000");
  EXPECT_EQ(value("queueing_window_s"), "5");
  EXPECT_EQ(value("order"), "adaptive");
  EXPECT_EQ(value("downstream_wait"), "quantile");
  EXPECT_EQ(value("estimate"), "full");
}

TEST(Pard, ExplainsEveryParameterInItsReadme) {
  std::ifstream file("systems/pard/README.md");
  ASSERT_TRUE(file) << "run from the repository root";
  std::stringstream text;
  text << file.rdbuf();
  ParamList params;
  const std::unique_ptr<System> system = make_pard();
  system->list(params);
  for (const Param& param : params.params()) {
    EXPECT_NE(text.str().find("`" + param.name + "`"), std::string::npos) << param.name;
    EXPECT_FALSE(param.doc.empty());
  }
}

// Planner and workers of one module agree on what they send each other.
TEST(Pard, CarriesReportsToThePlannerAndItsStateBack) {
  const PardTestWorld world({10 * kNsPerMs, 20 * kNsPerMs}, chain_of(2));
  const std::unique_ptr<System> system = make_pard();
  const std::unique_ptr<Scheduler> scheduler = system->make_scheduler(world.context, 0, 0);
  const std::unique_ptr<Controller> controller = system->make_controller(world.context, 0);
  Decisions out;
  Publication publication;
  controller->on_plan(0, world.plan);
  scheduler->on_plan(0, world.plan, out);
  scheduler->on_worker_added(0, 0, out);
  out.clear();
  scheduler->on_timer(kNsPerS, out);
  for (const Decision& decision : out.list()) {
    if (decision.kind == Decision::Kind::kReport)
      controller->on_report(kNsPerS, 0, out.values(decision), publication);
  }
  controller->on_period(kNsPerS + 1, publication);
  ASSERT_TRUE(publication.due());
  out.clear();
  scheduler->on_state(kNsPerS + 1, 0, publication.state(), out);
  EXPECT_TRUE(out.list().empty());
}

}  // namespace
}  // namespace harness
