// PARD's variants in whole simulated runs.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"
#include "systems/pard/pard.h"
#include "systems/pard/pard_test_world.h"
#include "systems/pard/test_variants.h"

namespace harness {
namespace {

constexpr TimeNs kDuration = 20 * kNsPerS;

/// A chain of modules with batches of 4 in 10 ms, one worker each (400 requests/s), SLO 60 ms a module.
RunRecord run(const std::string& variant, std::size_t modules, double rate_rps, const ParamValues& more = {},
              double slow_last = 1, double state_delay_ms = 0) {
  std::vector<Profile> profiles(modules, testing::linear_profile("test", 1, 6, 4));
  for (TimeNs& latency : profiles.back().latency_ns)
    latency = static_cast<TimeNs>(slow_last * static_cast<double>(latency));
  RunSpec spec = testing::make_spec("pard", testing::chain(modules), profiles,
                                    std::vector<ModuleOverride>(modules, {4, 1}),
                                    static_cast<TimeNs>(modules) * 60 * kNsPerMs,
                                    testing::poisson_times(rate_rps, kDuration, 3), kDuration);
  spec.workers = static_cast<int>(modules);
  spec.serving.state_delay_ms = state_delay_ms;
  spec.record_states = true;
  apply_variant(*spec.system, variant);
  set_params(*spec.system, more);
  return simulate(spec, nullptr);
}

std::uint64_t dropped(const RunRecord& record, std::size_t module, DropReason reason) {
  return record.modules[module].dropped[static_cast<std::size_t>(reason)];
}

// With one module there is nothing to split, to estimate or to warn: L_sub is 0 in all of them.
TEST(PardSimulated, WithOneModuleEveryEstimateIsPards) {
  for (const double rate : {200.0, 390.0, 600.0}) {
    const std::uint64_t pard = run("default", 1, rate).fingerprint;
    for (const char* variant : {"split", "wcl", "back", "sf", "lower", "upper"}) {
      EXPECT_EQ(run(variant, 1, rate).fingerprint, pard) << variant << " at " << rate;
    }
  }
}

// Lambda 0 is PARD-lower and lambda 1 PARD-upper, to the bit.
TEST(PardSimulated, TheEndsOfLambdaAreLowerAndUpper) {
  EXPECT_EQ(run("default", 3, 420, {{"lambda", 0.0}}).fingerprint, run("lower", 3, 420).fingerprint);
  EXPECT_EQ(run("default", 3, 420, {{"lambda", 1.0}}).fingerprint, run("upper", 3, 420).fingerprint);
}

// Until the first re-allocation could take effect, PARD-WCL is PARD-split.
TEST(PardSimulated, WclWithoutReallocationIsTheSplit) {
  for (const char* budget : {"cumulative", "per_module"}) {
    const std::pair<std::string, ParamValue> reading{"budget", std::string(budget)};
    EXPECT_EQ(run("wcl", 3, 420, {{"wcl_period_s", 3600.0}, reading}).fingerprint,
              run("split", 3, 420, {reading}).fingerprint);
    EXPECT_NE(run("wcl", 3, 420, {reading}).fingerprint, run("split", 3, 420, {reading}).fingerprint);
  }
}

/// Returns the states of `period` by module, as published last; empty if one is lacking.
std::vector<PardState> last_states(const RunRecord& record, double period, std::size_t modules) {
  const std::size_t width = record.states.names.size();
  std::vector<PardState> states(modules);
  for (std::size_t row = 0; row < record.states.rows.size(); ++row) {
    std::vector<double> values(record.states.values.begin() + static_cast<std::ptrdiff_t>(row * width),
                               record.states.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
    values.resize(PardState::kSize, 0.0);
    const PardState state = PardState::unpack(values);
    if (state.period == period) states[record.states.rows[row].module] = state;
  }
  return states;
}

// Lambda 0: L_sub is the sum of what the later modules say of the same period (fresh), or of the one before.
TEST(PardSimulated, LsubIsOfThePeriodThatEndsOrOfTheOneBefore) {
  for (const char* exchange : {"fresh", "previous"}) {
    for (const double delay_ms : {0.0, 300.0}) {
      const RunRecord record = run("lower", 3, 420, {{"exchange", std::string(exchange)}}, 1.5, delay_ms);
      int differ = 0;
      for (int period = 5; period < 15; ++period) {
        const std::vector<PardState> now = last_states(record, period, 3);
        const std::vector<PardState> before = last_states(record, period - 1, 3);
        const std::vector<PardState>& used = exchange == std::string("fresh") ? now : before;
        EXPECT_DOUBLE_EQ(now[0].downstream_ns, 25e6 + used[1].queueing_ns + used[2].queueing_ns);
        EXPECT_DOUBLE_EQ(now[1].downstream_ns, 15e6 + used[2].queueing_ns);
        differ += now[2].queueing_ns != before[2].queueing_ns ? 1 : 0;
      }
      EXPECT_GT(differ, 5);
    }
  }
}

TEST(PardSimulated, EveryVariantDecidesDifferentlyAroundCapacity) {
  const std::uint64_t pard = run("default", 3, 405).fingerprint;
  for (const PardVariant& variant : pard_variants()) {
    EXPECT_NE(run(variant.name, 3, 405).fingerprint, pard) << variant.name;
  }
}

// The last module has half the rate. Overloaded, it has the first refuse for it: since both go by one level
// and one priority, what reaches the last module was refused before, but for what was on its way.
TEST(PardSimulated, OcRefusesAtTheEntryForTheLastModule) {
  const ParamValues hasty = {{"overload_alpha", 0.2}, {"overload_threshold_ms", 30.0}};
  const RunRecord record = run("oc", 3, 300, hasty, 2);
  EXPECT_GT(dropped(record, 0, DropReason::kOverload), 200U);
  EXPECT_LT(dropped(record, 2, DropReason::kOverload), dropped(record, 0, DropReason::kOverload) / 20);
  EXPECT_LT(record.modules[2].arrived, run("back", 3, 300, {}, 2).modules[2].arrived);
}

// Then requests end late that `back` drops.
TEST(PardSimulated, OcWithoutAnEstimateDropsOnlyWhatItRefuses) {
  const RunRecord record = run("oc", 3, 450, {{"estimate", "none"}});
  EXPECT_GT(dropped(record, 0, DropReason::kOverload), 0U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(dropped(record, k, DropReason::kEstimatedLate), 0U);
  EXPECT_GT(record.late, run("oc", 3, 450).late);
}

TEST(PardSimulated, OcRefusesNothingUnlessOverloaded) {
  const RunRecord record = run("oc", 3, 100);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(dropped(record, k, DropReason::kOverload), 0U);
  EXPECT_EQ(record.fingerprint, run("back", 3, 100).fingerprint);
}

/// Returns how long requests wait on average from arriving to the next start of a batch, in executions: those
/// completed in time, and the others. There are eight arrivals at even distances in each execution of ten, in
/// which a batch of four is served; a request before them has the batches start at 0, 10, 20 ... ms.
std::pair<double, double> waits_of_kept_and_dropped(const std::string& system, const ParamValues& params,
                                                    Commit commit = Commit::kLate) {
  constexpr TimeNs kExec = 10 * kNsPerMs;
  constexpr int kWindows = 50;
  std::vector<TimeNs> times = {0};
  for (int i = 0; i < 8 * kWindows; ++i) times.push_back(kExec * (2 * i + 1) / 16);
  // A request may wait for the next batch, and not for the one after it.
  RunSpec spec = testing::make_spec(system, testing::chain(1), {testing::linear_profile("test", 0, 10, 4)},
                                    {{4, 1}}, kExec * 39 / 20, std::move(times), kWindows * kExec);
  spec.serving.commit = commit;
  set_params(*spec.system, params);
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.in_time, 1U + 4 * kWindows);
  EXPECT_EQ(record.dropped, 4U * kWindows);
  TimeNs kept_ns = 0;
  TimeNs dropped_ns = 0;
  for (const RequestRow& row : rows.request_rows) {
    if (row.sent_ns == 0) continue;
    (row.outcome == Outcome::kInTime ? kept_ns : dropped_ns) += kExec - row.sent_ns % kExec;
  }
  constexpr double kExecs = static_cast<double>(4 * kWindows * kExec);
  return {static_cast<double>(kept_ns) / kExecs, static_cast<double>(dropped_ns) / kExecs};
}

// Figure 3a's example: at twice the rate that can be served exactly half must be dropped. Arrival order keeps
// those that wait three quarters of an execution for the next batch, and drops those that wait a quarter of
// it; taking high budgets first keeps and drops the reverse.
TEST(PardSimulated, ArrivalOrderKeepsWhatWaitsLongestForTheNextBatch) {
  const ParamValues by_arrival = {{"order", std::string("fcfs")}};
  const ParamValues high_first = {{"order", std::string("hbf")}};
  EXPECT_EQ(waits_of_kept_and_dropped("nexus", {}), std::pair(0.75, 0.25));
  EXPECT_EQ(waits_of_kept_and_dropped("pard", by_arrival), std::pair(0.75, 0.25));
  EXPECT_EQ(waits_of_kept_and_dropped("pard", high_first), std::pair(0.25, 0.75));
  // With early commitment the first four join the batch as they arrive, whatever the order.
  EXPECT_EQ(waits_of_kept_and_dropped("pard", high_first, Commit::kEarly), std::pair(0.75, 0.25));
}

}  // namespace

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
  EXPECT_EQ(value("exchange"), "fresh");
  EXPECT_EQ(value("budget"), "per_module");
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
