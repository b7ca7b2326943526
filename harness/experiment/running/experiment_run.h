// One experiment, from its file to STEM.h5, on all ranks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/experiment/cells/bounds.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/experiment/reading/repeat_until.h"
#include "harness/experiment/running/cell_devices.h"
#include "harness/experiment/running/cell_needs.h"
#include "harness/experiment/running/progress.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/experiment/running/run_options.h"
#include "harness/experiment/running/run_status.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/live/transport/transport.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/rank_report.h"

namespace harness {

/// The run of one experiment. All ranks make the same calls in the same order. Each call throws on any rank's
/// failure as on_all_ranks() does.
class ExperimentRun {
 public:
  /// Throws what the signals SIGINT, SIGTERM and SIGHUP ask for; it is called every few milliseconds.
  using SignalCheck = std::function<void()>;
  /// The end of an experiment; known at rank 0.
  struct End {
    int exit_code = 0;  ///< exit code: 0, or 1 for skipped or invalid cells
    std::size_t cells = 0;
    std::string how;  ///< duration, "2 min 5 s", or "complete already"
  };

  ExperimentRun(const RunOptions& options, std::string file, CellDistribution& ranks, SignalCheck check);

  /// Reads the experiment and plans every cell. Finds all that is wrong with it, also other results in its
  /// place, without writing.
  void check();
  /// Tells what it would run; call it after check(). On rank 0 `plan` becomes the table of cells or, if
  /// `brief`, one line; with RunOptions::json an object (docs/commands.md). Returns the exit code on every
  /// rank.
  int dry_run(bool brief, std::string& plan);
  /// Runs what is not finished and writes STEM.h5; call it after check().
  End run();

 private:
  using Clock = std::chrono::steady_clock;

  void open();
  void load(RankReport& report);
  PreparedCell prepare_marked(const Cell& cell);
  void pass_over(const Cell& cell);
  /// Returns the number of cells of all parts; 0 if it depends on [repeat_until].
  std::uint64_t cells_of_all() const { return spec_.repeat ? 0 : expected_.size(); }
  void check_part() const;
  void check_fresh() const;
  [[noreturn]] void refuse_other_part(const std::string& path, std::uint32_t cell) const;
  void check_layout(const PreparedCell& prepared) const;
  void check_devices(const PreparedCell& prepared);
  void gather_machines_for_devices();
  /// Returns why the cell's devices are not there; empty: they are. Only rank 0's answer counts.
  std::string why_no_devices_for(std::uint32_t cell) const;
  void refuse_without_devices() const;
  std::vector<PreparedCell> prepare_wanted();
  std::string plan_text(bool brief, const std::vector<PreparedCell>& cells) const;
  std::string plan_json(const std::vector<PreparedCell>& cells) const;
  std::vector<std::string> dry_run_notes(const std::vector<PreparedCell>& cells) const;
  void inspect();
  [[noreturn]] void refuse(const ForeignCell& foreign);
  void inspect_own();
  bool begin();
  void renew_text();
  /// Returns the cells of the part that is run here, for the seeds so far.
  std::span<const ExpectedCell> wanted() const { return own_; }
  void set_seeds(std::size_t seeds);
  bool settle_seeds();
  void say_finished() const;
  void begin_status();
  bool is_live_cell(std::uint32_t index) const;
  void plan_order();
  bool another_round();
  bool at_first_rank(const std::function<bool()>& work);
  void compute();
  void compute_simulated(std::vector<std::uint32_t> cells);
  void compute_live(std::vector<std::uint32_t> cells);
  Progress::Work work_of(const std::vector<std::uint32_t>& cells, bool live) const;
  void run_dealt(const std::vector<std::uint32_t>& cells, Progress& progress);
  void run_simulated(std::uint32_t index, Progress& progress);
  std::optional<SummaryRow> run_together(LiveCell& cell);
  void skip_without_devices(PreparedCell& prepared, std::optional<LiveCell>& live);
  void run_live_cell(std::uint32_t index, Progress& progress);
  CellRun how_to_run(const PreparedCell& prepared, Progress& progress);
  void finish();
  void end(const std::string& how);

  const RunOptions& options_;
  std::string file_;
  CellDistribution& ranks_;
  SignalCheck check_signal_;
  CellStore store_;
  std::optional<StatusFile> status_;  ///< set on rank 0 while cells run
  Clock::duration checking_{};
  Clock::time_point began_{};
  ExperimentSpec spec_;
  std::unique_ptr<CellFactory> factory_;
  BoundCache bounds_;
  std::vector<ExpectedCell> expected_;  ///< all cells; without a hash in other parts
  std::string inputs_;                  ///< Provenance::experiment_inputs
  std::vector<ExpectedCell> own_;       ///< the cells that wanted() returns
  std::vector<DeviceNeed> needs_;       ///< needs of the cells with runtime = "gpu"
  std::vector<RankMachine> machines_;   ///< machines by rank; on rank 0, if something is needed
  std::vector<double> costs_;           ///< cost of each cell: expected requests, or seconds of a live one
  ExperimentNeeds needs_of_all_;
  std::size_t seeds_ = 0;                 ///< number of seeds so far; [repeat_until] may add some
  std::size_t wanted_ = 0;                ///< number of cells with those seeds: the first ones
  std::vector<SummaryRow> rows_;          ///< rows of the first finished cells, for [repeat_until]
  Repetition repetition_;                 ///< precision with `seeds_` seeds
  std::vector<std::uint32_t> order_;      ///< cells to run
  std::unique_ptr<Transport> transport_;  ///< transport of live cells, from the first to the last
  std::unique_ptr<CellDevices> devices_;  ///< devices of live cells, from the first to the last
  End end_;
};

}  // namespace harness
