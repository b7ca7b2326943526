// A cell that fails fails alone: schedules of faults drawn at random, limits of time and memory, crashes.
#include "harness/experiment/running/run_cell.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "harness/core/check.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/running/cell_needs.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/dry_run.h"
#include "harness/experiment/running/run_notes.h"
#include "harness/live/transport/local_transport.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

class CellRuns : public testing::Test {
 public:
  CellRuns() {
    std::string name = testing::TempDir() + "/run-cell-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~CellRuns() override { std::filesystem::remove_all(folder_); }

 protected:
  CellRun how() const {
    CellRun how;
    how.path = folder_ + "/cell.h5";
    return how;
  }
  SummaryRow run_first(const std::string& text, const CellRun& how) const {
    const ExperimentSpec spec = parse(text);
    CellFactory factory(spec, "b");
    BoundCache bounds;
    return run_cell(factory, bounds, factory.prepare(factory.cells().front()), how);
  }

  std::string folder_;
};

std::string workload_of(const std::string& system, const std::string& load, int seed) {
  return "[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\nduration_s = 2\nloads = [" + load +
         "]\nseeds = [" + std::to_string(seed) + "]\n[cluster]\nworkers = 8\n[[system]]\nname = \"" + system +
         "\"\n";
}

/// Returns one to four faults of any kind, at any time, as hard as the format allows.
std::string random_faults(RandomStream& random) {
  const auto below = [&random](int end) { return static_cast<int>(random.uniform() * end); };
  std::string text;
  for (int left = 1 + below(4); left > 0; --left) {
    const auto kind = static_cast<FaultKind>(below(kFaultKinds));
    const int first = below(7);
    text += std::string("[[fault]]\nkind = \"") + name_of(kind) +
            "\"\nat_s = " + text_of(random.uniform() * 2) +
            "\nfor_s = " + text_of(0.1 + random.uniform() * 3) + "\ngpus = [" + std::to_string(first) + ", " +
            std::to_string(first + 1 + below(7 - first)) + "]\n";
    if (kind == FaultKind::kSlow) text += below(2) == 0 ? "factor = 1000\n" : "factor = 37\n";
    if (kind == FaultKind::kDelay) text += "delay_ms = " + std::to_string(1 + below(1000)) + "\n";
  }
  return text;
}

TEST_F(CellRuns, AnyScheduleOfFaultsEndsTheCellAlone) {
  constexpr int kTries = 60;
  constexpr const char* kSystems[] = {"naive", "pard", "nexus", "clipperpp"};
  RandomStream random(25, "faults");
  int invalid = 0;
  for (int i = 0; i < kTries; ++i) {
    const std::string text =
        workload_of(kSystems[i % 4], i % 3 == 0 ? "1.5" : "0.8", i + 1) + random_faults(random);
    const SummaryRow row = run_first(text, how());
    if (row.status == "ok") continue;
    ++invalid;
    EXPECT_EQ(row.status, "invalid") << text;
    EXPECT_FALSE(row.why.empty()) << text;
    EXPECT_EQ(read_summary(how().path).front().status, "invalid") << text;
  }
  EXPECT_LT(invalid, kTries / 2) << "most schedules can be run";
}

// Two seconds of 100 and 300 requests: the higher is 1.5 times the mean, whatever the rate; smoothed they are
// one.
TEST_F(CellRuns, KeepThePeakOverTheMeanOfALogAndOfWhatIsSentOfIt) {
  std::ofstream(folder_ + "/log.csv") << "# bin_s = 1\ncount\n100\n300\n";
  const std::string trace = "[trace.log]\nfile = \"" + folder_ + "/log.csv\"\n";
  std::string text = workload_of("naive", "0.5", 1) + trace;
  text.replace(text.find("poisson"), 7, "log");
  for (const auto& [scale_by, sent] : {std::pair{"raw", 1.5}, {"smoothed", 1.0}}) {
    run_first(text + "scale_by = \"" + scale_by + "\"\n", how());
    const SummaryRow row = read_summary(how().path).front();
    EXPECT_NEAR(row["recorded_peak_over_mean"], 1.5, 1e-9) << scale_by;
    EXPECT_NEAR(row["sent_peak_over_mean"], sent, 1e-9) << scale_by;
  }
  run_first(workload_of("naive", "0.5", 1), how());
  const SummaryRow generated = read_summary(how().path).front();
  EXPECT_TRUE(std::isnan(generated["recorded_peak_over_mean"]) &&
              std::isnan(generated["sent_peak_over_mean"]));
}

// Batches of 1 to 4 take 10, 12, 15 and 18 ms, and twice that is to be within the SLO.
TEST_F(CellRuns, AreSaidToHaveSizesOnTheEdge) {
  std::ofstream(folder_ + "/set.toml")
      << "device = 'A40'\n[[profile]]\nmodel = 'm'\nlatency_ms = [10, 12, 15, 18]\n";
  std::ofstream(folder_ + "/pipe.toml") << "slo_ms = 30\n[[module]]\nname = 'a'\nmodel = 'm'\n";
  const auto notes_of = [&](const std::string& slos, const std::string& rest = "") {
    const ExperimentSpec spec = parse(
        "[workload]\npipelines = ['" + folder_ + "/pipe.toml']\ntraces = ['poisson']\nloads = [0.5, 1]\n" +
        "seeds = [1, 2]\nduration_s = 1\nslo_ms = " + slos + "\n[[system]]\nname = 'naive'\n" +
        "[[system]]\nname = 'pard'\n[cluster]\nprofiles = '" + folder_ + "/set.toml'\n" + rest);
    CellFactory factory(spec, "b");
    std::vector<PreparedCell> cells;
    for (const Cell& cell : factory.cells()) cells.push_back(factory.prepare(cell));
    return size_notes(factory, cells);
  };
  EXPECT_EQ(
      notes_of("[30, 33, 35.7, 20]"),
      (std::vector<std::string>{
          "pipe, SLO 30 ms: execution times 1 % longer plan batches of 2 instead of 3",     // 30.3 ms
          "pipe, SLO 35.7 ms: execution times 1 % shorter plan batches of 4 instead of 3",  // 35.64 ms
          "pipe, SLO 20 ms: execution times 1 % longer leave no batches that meet the SLO instead of 1"}));
  EXPECT_EQ(notes_of("[30]", "[module.a]\nbatch = 3\n"), std::vector<std::string>()) << "not planned";
  EXPECT_EQ(notes_of("[45]", "[planner]\nsizing_factor = 3\n"),
            (std::vector<std::string>{
                "pipe, SLO 45 ms: execution times 1 % longer plan batches of 2 instead of 3"}));
}

SummaryRow in_step(std::uint32_t index, double lockstep, const std::string& runtime = "simulated") {
  SummaryRow row;
  row.cell.index = index;
  row.cell.runtime = runtime;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    if (std::string(metrics()[i].name) == "lockstep") row.values[i] = lockstep;
  }
  return row;
}

TEST(LockstepText, NamesTheFirstCellsAboveTheLimit) {
  EXPECT_EQ(lockstep_text({in_step(0, kNoValue), in_step(1, 0.25), in_step(2, 0.9, "emulated")}), "");
  const std::string end = ": batches of a module end in step (lockstep up to ";
  EXPECT_EQ(lockstep_text({in_step(4, 0.506), in_step(5, 0.1)}), "cell 4" + end + "0.51)");
  EXPECT_EQ(lockstep_text({in_step(4, 0.6), in_step(5, 0.93)}), "cells 4 and 5" + end + "0.93)");
  EXPECT_EQ(lockstep_text({in_step(3, 0.6), in_step(5, 0.93), in_step(6, 0.7), in_step(9, 0.8)}),
            "cells 3, 5 and 2 more" + end + "0.93)");
}

TEST_F(CellRuns, KeepTheSloAsTheMultipleThatWasAskedFor) {
  std::string text = workload_of("naive", "0.5", 1);
  EXPECT_TRUE(std::isnan(run_first(text, how())["slo_factor"]));
  text.insert(text.find("duration_s"), "slo_factors = [3.5]\n");
  EXPECT_EQ(run_first(text, how())["slo_factor"], 3.5);
  EXPECT_EQ(read_summary(how().path).front()["slo_factor"], 3.5);
}

TEST_F(CellRuns, WhatTakesForeverIsInvalid) {
  std::string faults;
  for (int i = 0; i < 4; ++i)
    faults += "[[fault]]\nkind = \"slow\"\nat_s = 0.5\nfor_s = 1\ngpus = [0, 7]\nfactor = 1000\n";
  for (const char* system : {"naive", "pard"}) {
    const SummaryRow row = run_first(workload_of(system, "0.8", 1) + faults, how());
    EXPECT_EQ(row.status, "invalid") << system;
    EXPECT_TRUE(has(row.why, "115 days")) << row.why;
  }
}

TEST_F(CellRuns, MemoryIsLimited) {
  CellRun little = how();
  little.memory_bytes = 1;
  const SummaryRow row = run_first(workload_of("naive", "40", 1), little);
  EXPECT_EQ(row.status, "invalid");
  EXPECT_TRUE(has(row.why, "of memory")) << row.why;
}

TEST_F(CellRuns, MemoryOfLiveRunsIsLimited) {
  CellRun little = how();
  little.memory_bytes = 1;
  const ExperimentSpec spec = parse("runtime = \"emulated\"\n" + workload_of("naive", "0.5", 1));
  CellFactory factory(spec, "b");
  const PreparedCell prepared = factory.prepare(factory.cells().front());
  const std::unique_ptr<Transport> transport = make_local_transport();
  BoundCache bounds;
  CellDevices devices(*transport, {});
  const std::optional<SummaryRow> row =
      LiveCell(factory, prepared, little, *transport, devices).run(bounds, [] {});
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, "skipped");
  EXPECT_TRUE(has(row->why, "of memory")) << row->why;
}

TEST_F(CellRuns, WhatTheirProgressThrowsDecides) {
  const auto throwing = [this](auto error) {
    CellRun run = how();
    run.progress = [error](TimeNs, std::uint64_t) { throw error; };
    return run_first(workload_of("naive", "40", 1), run);
  };
  EXPECT_EQ(throwing(std::bad_alloc()).why, "its run failed: there is not enough memory");
  EXPECT_EQ(throwing(std::out_of_range("at")).why, "its run failed: at");
  EXPECT_EQ(throwing(InputError("no plan")).why, "no plan");
  EXPECT_THROW(throwing(EnvironmentError("interrupted")), EnvironmentError);
  EXPECT_FALSE(std::filesystem::exists(how().path + ".tmp"));
}

TEST_F(CellRuns, ABugFailsTheCell) {
  CellRun run = how();
  run.progress = [](TimeNs, std::uint64_t) { HARNESS_CHECK(false, "as it must not be"); };
  const SummaryRow row = run_first(workload_of("naive", "40", 1), run);
  EXPECT_EQ(row.status, "invalid");
  EXPECT_TRUE(has(row.why, "as it must not be (seed 1, virtual time")) << row.why;
}

TEST_F(CellRuns, ACellThatEndedTheProgramIsNotRunAgain) {
  CellRun run = how();
  run.mark = folder_ + "/cell.crash";
  std::ofstream(run.mark) << "the program aborted in it\n";
  const SummaryRow row = run_first(workload_of("naive", "1", 1), run);
  EXPECT_EQ(row.status, "invalid");
  EXPECT_EQ(row.why, "the program aborted in it");
  EXPECT_EQ(run_first(workload_of("naive", "1", 1), run).status, "ok") << "asked for once more, it is";
}

TEST(CrashMarks, HoldTheReason) {
  const struct {
    int signal;
    const char* reason;
  } kCases[] = {{SIGSEGV, "the program crashed in it: segmentation fault"},
                {SIGBUS, "the program crashed in it: bus error"},
                {SIGFPE, "the program crashed in it: arithmetic error"},
                {SIGILL, "the program crashed in it: illegal instruction"},
                {SIGABRT, "the program aborted in it"},
                {SIGALRM, "it took longer than twice cell_limit_s"}};
  for (const auto& one : kCases) {
    const std::string path =
        testing::TempDir() + "/mark-" + std::to_string(::getpid()) + "-" + std::to_string(one.signal);
    EXPECT_EQ(crash_in_mark(path), "");
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(STDERR_FILENO);
      const CrashMark mark(path, "3, naive", 0);
      ::raise(one.signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << one.reason;
    EXPECT_EQ(crash_in_mark(path), one.reason);
    std::filesystem::remove(path);
  }
}

TEST(CrashMarks, AreNotLeftByWhatEndsBetweenCells) {
  const std::string path = testing::TempDir() + "/mark-" + std::to_string(::getpid());
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    { const CrashMark mark(path, "3, naive", 0); }
    ::raise(SIGSEGV);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(crash_in_mark(path), "");
}

TEST(CrashMarks, ThatSaySomethingElseStillTellOfACrash) {
  const std::string path = testing::TempDir() + "/mark-" + std::to_string(::getpid());
  for (const std::string& text : {std::string(), std::string("\x1b[2J\n"), std::string(1 << 20, 'x')}) {
    std::ofstream(path) << text;
    EXPECT_EQ(crash_in_mark(path), "the program crashed in it: its mark does not say how");
  }
  std::filesystem::remove(path);
  ::mkfifo(path.c_str(), 0600);
  EXPECT_TRUE(holds(refusal_of([&] { crash_in_mark(path); }), path, "a pipe"));
  std::filesystem::remove(path);
}

TEST(CellNeedsTest, CountWhatGrowsWithTheKeys) {
  const auto needs = [](const std::string& duration, const std::string& rate) {
    ExperimentSpec spec =
        parse("[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\nduration_s = " + duration +
              "\nrates_rps = [" + rate + "]\n[cluster]\nworkers = 8\n[[system]]\nname = \"naive\"\n");
    const PreparedCell cell = prepare_all(spec).front();
    return needs_of(cell, spec);
  };
  EXPECT_LT(needs("60", "100").memory_bytes, 1e6);
  EXPECT_GT(needs("1e9", "0.001").memory_bytes, 1e11);
  EXPECT_EQ(needs("1e9", "0.001").key, "workload.duration_s");
  EXPECT_GT(needs("600", "1e9").memory_bytes, 1e10);
  EXPECT_EQ(needs("600", "1e9").key, "workload.rates_rps");
  EXPECT_NEAR(needs("60", "100").row_bytes * 10, needs("600", "100").row_bytes, 1e-6);
}

}  // namespace
}  // namespace harness
