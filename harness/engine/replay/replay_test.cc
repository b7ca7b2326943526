// The logs that a run records of its queues repeat every decision, and show a decision that was changed.
#include <gtest/gtest.h>

#include <limits>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/replay/replay.h"
#include "harness/engine/replay/replay_code.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

constexpr TimeNs kDurationNs = 4 * kNsPerS;

/// Returns a cell that is overloaded by a third, with jitter, so that every kind of callback and decision
/// occurs.
RunSpec overloaded(const std::string& system, const Pipeline& pipeline) {
  const std::size_t modules = pipeline.modules.size();
  RunSpec spec = testing::make_spec(
      system, pipeline, std::vector<Profile>(modules, testing::linear_profile("m", 2, 8, 8)),
      std::vector<ModuleOverride>(modules, {4, 2}), ms_to_ns(150), {}, kDurationNs);
  spec.arrivals =
      std::make_unique<testing::FixedArrivals>(testing::poisson_times(660, kDurationNs, 5), kDurationNs);
  spec.world.jitter = Jitter::kUniform;
  spec.world.jitter_fraction = 0.2;
  spec.serving.state_period_ms = 200;
  spec.serving.state_delay_ms = 3;
  spec.record_replay = true;
  return spec;
}

/// Returns a cell in which workers come and go.
RunSpec scaled(const std::string& system) {
  RunSpec spec = overloaded(system, testing::chain(2));
  spec.module_overrides = std::vector<ModuleOverride>(2, {4, 0});
  spec.workers = 12;
  spec.planner.autoscale = true;
  spec.planner.workers = WorkerRule::kRate;
  spec.planner.period_s = 0.5;
  spec.planner.scale_down_s = 0.5;
  spec.world.cold_start_ms = 100;
  std::vector<TimeNs> times = testing::poisson_times(900, kDurationNs / 2, 6);
  const std::vector<TimeNs> rest = testing::poisson_times(100, kDurationNs / 2, 7);
  for (const TimeNs time : rest) times.push_back(time + kDurationNs / 2);
  spec.arrivals = std::make_unique<testing::FixedArrivals>(times, kDurationNs);
  return spec;
}

/// Returns a cell in which two of three workers behind each queue stop for half a second.
RunSpec failing(const std::string& system) {
  RunSpec spec = overloaded(system, testing::chain(2));
  spec.module_overrides = std::vector<ModuleOverride>(2, {4, 3});
  spec.workers = 6;
  spec.serving.queue = QueueScope::kModule;
  spec.faults = {testing::fault_of(FaultKind::kStop, 1000, 500, 1, 4)};
  return spec;
}

/// Returns a cell in which two GPUs fail, one of them until the end.
RunSpec failing_in_turn(const std::string& system, QueueScope queue) {
  RunSpec spec = overloaded(system, testing::chain(2));
  spec.serving.queue = queue;
  spec.faults.push_back({FaultKind::kStop, kNsPerS, kNsPerS, 0, 1, 1, 0});
  spec.faults.push_back({FaultKind::kStop, 2 * kNsPerS, kDurationNs, 3, 1, 1, 0});
  return spec;
}

/// Replays each queue's log with the scheduler that `system` makes.
std::vector<ReplayDifference> replayed(const RunSpec& spec, System& system, const RunRecord& record,
                                       ReplayCounts& counts) {
  const RequestSizes sizes(spec.seed, spec.profiles, spec.trace_tokens);
  const ServingContext context = make_context(spec, &sizes);
  std::vector<ReplayDifference> differences;
  for (const ReplayLog& log : record.replay) {
    const auto scheduler = system.make_scheduler(context, log.queue, log.group);
    if (auto difference = replay(log, *scheduler, counts)) differences.push_back(std::move(*difference));
  }
  return differences;
}

/// A step of a log, to be changed and written again.
struct Step {
  ReplayCall call;
  Decisions decisions;
};

std::vector<Step> steps_of(const ReplayLog& log) {
  std::vector<Step> steps;
  ReplayReader reader(log);
  Step step;
  while (reader.next(step.call, step.decisions)) steps.push_back(step);
  EXPECT_FALSE(reader.damaged());
  return steps;
}

ReplayLog log_of(const ReplayLog& place, std::vector<Step>& steps) {
  ReplayLog log{place.queue, place.group, 0, 0, {}};
  ReplayWriter writer(log);
  for (Step& step : steps) writer.write(step.call, step.decisions, 0);
  return log;
}

class Replay : public ::testing::TestWithParam<const SystemEntry*> {
 protected:
  std::vector<RunSpec> specs() const {
    std::vector<RunSpec> result;
    for (const Pipeline& pipeline : {testing::chain(3), testing::diamond()}) {
      for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
        result.push_back(overloaded(GetParam()->name, pipeline));
        result.back().serving.queue = queue;
        result.back().serving.commit = queue == QueueScope::kWorker ? Commit::kEarly : Commit::kLate;
      }
    }
    result.push_back(scaled(GetParam()->name));
    result.push_back(failing(GetParam()->name));
    for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule})
      result.push_back(failing_in_turn(GetParam()->name, queue));
    return result;
  }
};

TEST_P(Replay, RepeatsEveryDecision) {
  for (RunSpec& spec : specs()) {
    const RunRecord record = simulate(spec, nullptr);
    ReplayCounts counts;
    EXPECT_TRUE(replayed(spec, *GetParam()->make(), record, counts).empty());
    EXPECT_EQ(counts.queues, record.replay.size());
    std::uint64_t callbacks = 0;
    std::uint64_t decisions = 0;
    for (const ReplayLog& log : record.replay) {
      callbacks += log.callbacks;
      decisions += log.decisions;
    }
    EXPECT_EQ(counts.callbacks, callbacks);
    EXPECT_EQ(counts.decisions, decisions);
    // Every visit arrived and either ran, by a join, or was dropped or cancelled. Only reserve's router
    // refuses visits, which do not reach a queue.
    const bool refuses = std::string(GetParam()->name) == "reserve";
    std::uint64_t arrived = 0;
    std::uint64_t batches = 0;
    for (const ModuleTotals& module : record.modules) {
      arrived += module.arrived;
      if (refuses) arrived -= module.dropped[static_cast<std::size_t>(DropReason::kOverBudget)];
      batches += module.batches;
    }
    EXPECT_GE(callbacks, arrived + 2 * batches);
    EXPECT_GT(decisions, arrived / 2);
  }
}

TEST_P(Replay, RecordingChangesNothing) {
  std::vector<RunSpec> recorded = specs();
  std::vector<RunSpec> plain = specs();
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    plain[i].record_replay = false;
    const RunRecord without = simulate(plain[i], nullptr);
    EXPECT_TRUE(without.replay.empty());
    EXPECT_EQ(simulate(recorded[i], nullptr).fingerprint, without.fingerprint);
  }
}

TEST_P(Replay, FindsAChangedDecisionWhereItIs) {
  RunSpec spec = overloaded(GetParam()->name, testing::chain(3));
  RunRecord record = simulate(spec, nullptr);
  const std::size_t last = record.replay.size() - 1;
  const ReplayLog original = record.replay[last];
  std::vector<Step> steps = steps_of(original);
  const auto starts = [](const Step& step) {
    const auto is_start = [](const Decision& one) {
      return one.kind == Decision::Kind::kJoin || one.kind == Decision::Kind::kLaunch ||
             one.kind == Decision::Kind::kReport;
    };
    const std::span<const Decision> list = step.decisions.list();
    return !list.empty() && list[0].kind == Decision::Kind::kJoin &&
           std::all_of(list.begin(), list.end(), is_start);
  };
  std::size_t at = steps.size() / 2;
  while (!starts(steps[at])) ++at;
  const std::string recorded = decision_text(steps[at].decisions, 0);
  Decisions changed;
  changed.drop(steps[at].decisions.list()[0].visit_or_first, DropReason::kNoWorker);
  for (std::size_t i = 1; i < steps[at].decisions.list().size(); ++i) {
    const Decision& decision = steps[at].decisions.list()[i];
    if (decision.kind == Decision::Kind::kJoin)
      changed.join(decision.worker_or_count, decision.visit_or_first);
    else if (decision.kind == Decision::Kind::kReport)
      changed.report(steps[at].decisions.values(decision));
    else
      changed.launch(decision.worker_or_count);
  }
  steps[at].decisions = changed;
  record.replay[last] = log_of(original, steps);
  ReplayCounts counts;
  const std::vector<ReplayDifference> found = replayed(spec, *GetParam()->make(), record, counts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].queue, last);
  EXPECT_EQ(found[0].group, original.group);
  EXPECT_EQ(found[0].callback, at + 1);
  EXPECT_EQ(found[0].at_ns, steps[at].call.now);
  EXPECT_EQ(found[0].decision, 1U);
  EXPECT_EQ(found[0].before, decision_text(changed, 0));
  EXPECT_EQ(found[0].after, recorded);
  const auto between = first_difference(original, record.replay[last], counts);
  ASSERT_TRUE(between.has_value());
  EXPECT_EQ(between->callback, at + 1);
  EXPECT_EQ(between->decision, 1U);
  EXPECT_EQ(between->before, recorded);
}

TEST_P(Replay, NamesADifferingCallbackBeforeDecisions) {
  RunSpec spec = overloaded(GetParam()->name, testing::chain(3));
  const RunRecord record = simulate(spec, nullptr);
  const ReplayLog& original = record.replay.back();
  std::vector<Step> steps = steps_of(original);
  std::size_t at = steps.size() / 3;
  while (steps[at].call.kind != ReplayCall::Kind::kArrival) ++at;
  steps[at].call.visit.deadline_ns += 1;
  const ReplayLog changed = log_of(original, steps);
  ReplayCounts counts;
  const auto found = first_difference(original, changed, counts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->callback, at + 1);
  EXPECT_EQ(found->decision, 0U);
  EXPECT_EQ(found->after, text_of(steps[at].call) + " at " + time_text(steps[at].call.now));
  steps.resize(at);
  const auto shorter = first_difference(original, log_of(original, steps), counts);
  ASSERT_TRUE(shorter.has_value());
  EXPECT_EQ(shorter->callback, at + 1);
  EXPECT_EQ(shorter->after, "nothing");
  EXPECT_FALSE(first_difference(original, original, counts).has_value());
}

/// Every callback and decision read from a log can be written again to the same bytes.
TEST_P(Replay, LogsAreReadAndWrittenWithoutLoss) {
  for (RunSpec& spec : specs()) {
    const RunRecord record = simulate(spec, nullptr);
    for (const ReplayLog& log : record.replay) {
      std::vector<Step> steps = steps_of(log);
      ASSERT_EQ(log_of(log, steps), log);
    }
  }
}

/// A queue that has other workers hears of each loss, with the visits that had joined there.
TEST_P(Replay, HoldsTheLossOfWorkers) {
  RunSpec spec = failing_in_turn(GetParam()->name, QueueScope::kModule);
  // Clockwork forms a batch behind another only up to this time ahead.
  if (std::string(GetParam()->name) == "clockwork") testing::set_param(spec, "schedule_ahead_ms", 1000.0);
  testing::without_early_dropping(spec);
  std::size_t losses = 0;
  std::size_t visits = 0;
  for (const ReplayLog& log : simulate(spec, nullptr).replay) {
    for (const Step& step : steps_of(log)) {
      if (step.call.kind != ReplayCall::Kind::kWorkersLost) continue;
      ++losses;
      visits += step.call.lost.size();
    }
  }
  EXPECT_EQ(losses, 2U);
  // FLEX, DS2, INFless, Symphony, Triton and reserve form batches only for free workers, so that they start
  // at once.
  const std::string name = GetParam()->name;
  EXPECT_EQ(visits > 0, name != "shepherd" && name != "ds2" && name != "infless" && name != "symphony" &&
                            name != "triton" && name != "reserve");
}

INSTANTIATE_TEST_SUITE_P(AllSystems, Replay, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

TEST(ReplayLogs, AnotherParameterDecidesOtherwise) {
  RunSpec spec = overloaded("pard", testing::chain(3));
  const RunRecord record = simulate(spec, nullptr);
  testing::set_param(spec, "order", std::string("fcfs"));
  ReplayCounts counts;
  EXPECT_FALSE(replayed(spec, *spec.system, record, counts).empty());
}

/// The cost of a visit at a shared service depends on its text's length; the replay's context has the same
/// lengths.
TEST(ReplayLogs, SharedServicesSeeTheSameLengths) {
  Profile profile;
  profile.model = "llm";
  profile.service = Service::kShared;
  profile.shared.slots = 4;
  profile.shared.prefill_tokens_per_s = 1000;
  profile.shared.chunk_tokens = 500;
  profile.shared.decode_tokens_per_s = {10, 20, 30, 40};
  profile.shared.ends_at_first_token = true;
  profile.shared.input.median = 300;
  profile.shared.input.sigma = 0.8;
  profile.shared.output.median = 20;
  profile.latency_ns = {static_cast<TimeNs>(alone_ns(profile.shared, 300, 20))};
  RunSpec spec = testing::make_spec("rag", testing::chain(2), {profile, profile}, {{1, 4}, {1, 4}},
                                    3 * kNsPerS, testing::poisson_times(4, 20 * kNsPerS, 3), 20 * kNsPerS);
  spec.record_replay = true;
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_GT(record.dropped, 0U);
  ReplayCounts counts;
  EXPECT_TRUE(replayed(spec, *find_system("rag")->make(), record, counts).empty());
  spec.seed += 1;  // other texts
  EXPECT_FALSE(replayed(spec, *find_system("rag")->make(), record, counts).empty());
}

TEST(ReplayLogs, TextsTellModulesAndStreamsApart) {
  using Change = void (*)(ReplayCall&);
  const Change changes[] = {
      [](ReplayCall& call) { call.visit.module = 2; }, [](ReplayCall& call) { call.visit.stream = 2; },
      [](ReplayCall& call) { call.lost[0].stream = 2; }, [](ReplayCall& call) { call.module = 2; }};
  for (const Change change : changes) {
    int differ = 0;
    for (const auto kind : {ReplayCall::Kind::kArrival, ReplayCall::Kind::kWorkersLost,
                            ReplayCall::Kind::kBatchStarted, ReplayCall::Kind::kBatchPreempted}) {
      ReplayCall call;
      call.kind = kind;
      call.lost.resize(1);
      ReplayCall changed = call;
      change(changed);
      EXPECT_EQ(text_of(call) == text_of(changed), same_call(call, changed)) << text_of(call);
      differ += same_call(call, changed) ? 0 : 1;
    }
    EXPECT_GT(differ, 0);
  }
}

/// The arguments are unlike any run's: batches without joins, times that go back, the extremes of every
/// number.
TEST(ReplayLogs, HoldWhatIsUnusual) {
  const double strange[] = {0.0, -0.0, 1e-300, 0.1, -12345678.9, std::numeric_limits<double>::infinity()};
  std::vector<Step> steps(6);
  steps[0].call.kind = ReplayCall::Kind::kArrival;
  steps[0].call.now = -5;
  steps[0].call.visit = {kNone, 65535, 65535, std::numeric_limits<RequestId>::max(), kNever, -kNever, 0};
  steps[0].decisions.report(strange);
  for (WorkerId worker = 0; worker < 40; ++worker) steps[0].decisions.join(worker, kNone - worker);
  steps[1].call.kind = ReplayCall::Kind::kBatchStarted;
  steps[1].call.now = kNever;
  steps[1].call.worker = 0;
  steps[1].call.started_ns = -1;
  steps[1].call.expected_end_ns = kNever;
  steps[1].call.visits = {{7, 1, 2}, {0, kNever, -kNever}};
  steps[2].call = steps[1].call;
  steps[2].call.kind = ReplayCall::Kind::kBatchDone;
  steps[2].call.visits.pop_back();
  steps[2].call.ended_ns = -7;
  steps[3].call.kind = ReplayCall::Kind::kState;
  steps[3].call.module = 3;
  steps[3].call.values.assign(std::begin(strange), std::end(strange));
  steps[3].decisions.wake_at(-kNever);
  steps[4].call.kind = ReplayCall::Kind::kPlan;
  steps[4].call.plan.modules = {{-1, 2, kNever, -3}, {}};
  steps[5].call.kind = ReplayCall::Kind::kWorkersLost;
  steps[5].call.workers = {39, 0};
  steps[5].call.lost = {steps[0].call.visit, {}};
  const ReplayLog log = log_of({9, 4, 0, 0, {}}, steps);
  EXPECT_EQ(log.callbacks, 6U);
  EXPECT_EQ(log.decisions, 42U);
  const std::vector<Step> back = steps_of(log);
  ASSERT_EQ(back.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_TRUE(same_call(back[i].call, steps[i].call)) << i;
    ASSERT_EQ(back[i].decisions.list().size(), steps[i].decisions.list().size());
    for (std::size_t k = 0; k < steps[i].decisions.list().size(); ++k)
      EXPECT_TRUE(same_decision(back[i].decisions, steps[i].decisions, k)) << i << " " << k;
  }
}

/// Reading ends for any bytes of a log; a log that was cut is noticed.
TEST(ReplayLogs, DamageIsNoticed) {
  RunSpec spec = overloaded("pard", testing::chain(1));
  const RunRecord record = simulate(spec, nullptr);
  const ReplayLog& log = record.replay[0];
  RandomStream random(1, "damage");
  for (int round = 0; round < 300; ++round) {
    ReplayLog damaged = log;
    if (round % 3 == 0) {
      damaged.bytes.resize(random.below(damaged.bytes.size()));
    } else {
      damaged.bytes[random.below(damaged.bytes.size())] ^= static_cast<std::byte>(1 + random.below(255));
    }
    ReplayCounts counts;
    try {
      first_difference(log, damaged, counts);
      EXPECT_EQ(damaged.bytes.size(), log.bytes.size());
    } catch (const DamagedReplay& damage) {
      EXPECT_EQ(damage.queue, log.queue);
    }
  }
}

}  // namespace
}  // namespace harness
