#include "harness/experiment/running/driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>

#include "harness/core/environment_error.h"
#include "harness/core/exit_codes.h"
#include "harness/experiment/reading/suite.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/experiment_run.h"
#include "harness/experiment/running/run_console.h"
#include "harness/experiment/running/run_options.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/mpi_launch.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"
#include "harness/text/json.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> stop_signal = 0;  // read by the watch of devices, too

void install_signal_handlers() {
  const auto stop = [](int signal) {
    stop_signal = signal;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  // The terminal is gone; under nohup that does not count.
  if (std::signal(SIGHUP, stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

/// The experiments of one call of the program, in one process.
class Driver {
 public:
  Driver(const RunOptions& options, CellDistribution& ranks) : options_(options), ranks_(ranks) {}
  int run();

 private:
  void find_experiments();
  int run_each();
  int dry_run();

  const RunOptions& options_;
  CellDistribution& ranks_;
  RunConsole console_{options_.progress, options_.says_end};
  Clock::time_point began_ = Clock::now();
  ExperimentFiles what_;
  std::vector<std::unique_ptr<ExperimentRun>> runs_;
};

void Driver::find_experiments() {
  on_all_ranks(ranks_, options_.file, [this](RankReport& report) {
    what_ = options_.text.empty() ? experiment_files(options_.file)
                                  : ExperimentFiles{false, stem_of(options_.file), {options_.file}};
    // Only the number must be the same here: each experiment is compared by itself.
    report.digest = std::to_string(what_.files.size());
  });
  const auto check_signal = [this] {
    if (stop_signal == 0) return;
    throw EnvironmentError(options_.dry_run ? "interrupted"
                                            : "interrupted; the same command finishes the rest");
  };
  for (const std::string& file : what_.files)
    runs_.push_back(std::make_unique<ExperimentRun>(options_, file, ranks_, console_, check_signal));
}

int Driver::run() {
  find_experiments();
  // An experiment of a suite that was not reached could not tell that it is to start over.
  if (!is_launched() && !options_.again && !(options_.fresh && what_.is_suite)) start_again_after_crashes();
  for (const auto& run : runs_) run->check();
  return options_.dry_run ? dry_run() : run_each();
}

int Driver::dry_run() {
  const bool speaks = ranks_.rank() == 0;
  int worst = kAllWell;
  std::vector<Json> plans;
  for (const auto& run : runs_) {
    std::string plan;
    worst = std::max(worst, run->dry_run(what_.is_suite, plan));
    if (options_.json)
      plans.push_back({plan});
    else if (speaks)
      console_.print(plan);
  }
  if (!options_.json || !speaks) return worst;
  JsonObject document;
  document.add("name", what_.name);
  document.add("is_suite", what_.is_suite);
  document.add("experiments", plans);
  console_.print(document.json(",\n").text + "\n");
  return worst;
}

int Driver::run_each() {
  const bool speaks = what_.is_suite && ranks_.rank() == 0;
  std::vector<RunEnd> ends;
  int worst = kAllWell;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (speaks)
      console_.line("experiment " + std::to_string(i + 1) + " of " + std::to_string(runs_.size()) + ": " +
                    what_.files[i]);
    ends.push_back(runs_[i]->run());
    worst = std::max(worst, ends.back().exit_code);
    runs_[i].reset();  // its plans and the lock on its results
  }
  if (speaks && options_.says_end)
    console_.end_suite(what_.name, ends, std::chrono::duration<double>(Clock::now() - began_).count());
  return worst;
}

}  // namespace

int run_experiment_on(const RunOptions& options, CellDistribution& ranks) {
  install_signal_handlers();
  return Driver(options, ranks).run();
}

int run_experiment(const RunOptions& options) {
  CellDistribution ranks;
  try {
    return run_experiment_on(options, ranks);
  } catch (const RankStopped&) {
    return kAllWell;  // rank 0 says what is wrong; a launcher may end all ranks before that, as soon as one
                      // fails
  }
}

}  // namespace harness
