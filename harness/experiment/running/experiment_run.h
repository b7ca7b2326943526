// One experiment, from its file to STEM.h5, on all ranks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/experiment/running/cell_runner.h"
#include "harness/experiment/running/checked_experiment.h"
#include "harness/experiment/running/live_runner.h"
#include "harness/experiment/running/run_console.h"
#include "harness/experiment/running/run_options.h"
#include "harness/experiment/running/run_status.h"
#include "harness/experiment/running/seed_rounds.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/ranks/cell_distribution.h"

namespace harness {

/// The run of one experiment. All ranks make the same calls in the same order. Each call throws on any rank's
/// failure as on_all_ranks() does.
class ExperimentRun {
 public:
  /// Throws what the signals SIGINT, SIGTERM and SIGHUP ask for; it is called every few milliseconds.
  using SignalCheck = std::function<void()>;

  /// `options`, `ranks` and `console` must outlive this.
  ExperimentRun(const RunOptions& options, std::string file, CellDistribution& ranks,
                const RunConsole& console, SignalCheck check);

  /// Reads the experiment and plans every cell. Finds all that is wrong with it, also other results in its
  /// place, without writing.
  void check();
  /// Tells what it would run; call it after check(). On rank 0 `plan` becomes the table of cells or, if
  /// `brief`, one line; with RunOptions::json an object (docs/commands.md). Returns the exit code on every
  /// rank.
  int dry_run(bool brief, std::string& plan);
  /// Runs what is not finished and writes STEM.h5; call it after check(). Only rank 0's answer counts.
  RunEnd run();

 private:
  using Clock = std::chrono::steady_clock;

  void check_replaceable();
  void check_results();
  void inspect();
  void refuse_without_devices() const;
  bool begin();
  void renew_text();
  bool another_round();
  bool at_first_rank(const std::function<bool()>& work);
  void run_round();
  void run_cells(std::vector<std::uint32_t> cells, bool live);
  std::string assemble();
  RunEnd end(const std::string& how) const;
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  const RunOptions& options_;
  std::string file_;
  CellDistribution& ranks_;
  const RunConsole& console_;
  SignalCheck check_signal_;
  CellStore store_;
  std::optional<StatusFile> status_;  ///< set on rank 0 while cells run
  Clock::duration checking_{};
  Clock::time_point began_{};
  std::optional<CheckedExperiment> experiment_;  ///< set by check()
  std::optional<SeedRounds> seeds_;              ///< set by check()
  std::unique_ptr<CellRunner> cells_;            ///< set by run()
  std::optional<LiveRunner> live_;               ///< set from the first live cell on
  std::vector<std::uint32_t> order_;             ///< cells of this round
};

}  // namespace harness
