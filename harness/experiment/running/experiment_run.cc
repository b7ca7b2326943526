#include "harness/experiment/running/experiment_run.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "harness/core/exit_codes.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/experiment/running/dry_run.h"
#include "harness/experiment/running/progress.h"
#include "harness/experiment/running/run_notes.h"
#include "harness/experiment/running/short_text.h"
#include "harness/experiment/storing/build_provenance.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

std::string stem_of_file(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

ExperimentRun::ExperimentRun(const RunOptions& options, std::string file, CellDistribution& ranks,
                             const RunConsole& console, SignalCheck check)
    : options_(options),
      file_(std::move(file)),
      ranks_(ranks),
      console_(console),
      check_signal_(std::move(check)),
      store_(options.folder, stem_of_file(file_)) {}

/// Looks at the finished cells of this experiment, and at how many seeds it needs as far as they tell.
void ExperimentRun::inspect() {
  if (const std::optional<ForeignCell> foreign = store_.inspect(experiment_->cells))
    experiment_->refuse(*foreign);
  if (options_.again) store_.forget_failed();
  seeds_->begin();
}

/// Throws InputError if --fresh would replace a file that harness did not write, or cells of another part.
void ExperimentRun::check_replaceable() {
  store_.check_replaceable();
  if (options_.part.is_whole()) return;
  for (const std::uint32_t cell : store_.cells_there()) {
    if (!options_.part.has(cell)) experiment_->refuse_other_part(store_.results_path(), cell);
  }
}

void ExperimentRun::check_results() {
  if (options_.fresh)
    check_replaceable();
  else if (options_.dry_run)
    store_.look(experiment_->cells);
  else
    inspect();
}

/// Throws InputError if no live cell has the devices that it needs. If some have them, the other cells are
/// skipped when their turn comes.
void ExperimentRun::refuse_without_devices() const {
  std::optional<std::uint32_t> without;
  for (const ExpectedCell& cell : seeds_->wanted()) {
    if (!experiment_->is_live(cell.index) || experiment_->costs[cell.index] <= 0) continue;
    if (experiment_->why_no_devices_for(cell.index).empty()) return;
    if (!store_.has(cell.input_hash)) without = cell.index;
  }
  if (!without) return;
  throw input_error(place_of(experiment_->spec, "gpu.device"),
                    name_of(need_of(experiment_->device_needs, *without)->gpu.device),
                    "devices that these hosts and this build have; no live cell can run: " +
                        experiment_->why_no_devices_for(*without));
}

void ExperimentRun::check() {
  const Clock::time_point began = Clock::now();
  on_all_ranks(ranks_, file_, [this](RankReport&) { experiment_.emplace(options_, file_, ranks_); });
  CheckedExperiment& experiment = *experiment_;
  on_all_ranks(ranks_, file_, [&](RankReport& report) {
    experiment.plan_cells(ranks_, check_signal_);
    report.digest = experiment.digest();
    seeds_.emplace(experiment, store_);
    if (options_.again && experiment.spec.repeat)
      throw input_error(place_of(experiment.spec, "repeat_until"),
                        "--rerun-failed, which would settle again how many seeds there are", "--fresh");
    if (ranks_.rank() == 0) check_results();
  });
  if (!experiment.device_needs.empty())
    experiment.machines = gather_machines(ranks_, asks_for_gpus(experiment.device_needs));
  const bool is_complete = ranks_.share(store_.complete(seeds_->wanted()) ? 1 : 0) != 0;
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    if (ranks_.rank() == 0 && !options_.dry_run) refuse_without_devices();
    if (is_complete) return;
    experiment.needs.check_memory(experiment.spec, seeds_->cell_count(), ranks_.ranks_here());
    if (ranks_.rank() != 0) return;
    experiment.needs.check_disk(
        experiment.spec, options_.folder, seeds_->cell_count(),
        [&](std::size_t cell) { return store_.has(experiment.cells[cell].input_hash); });
  });
  checking_ = Clock::now() - began;
}

int ExperimentRun::dry_run(bool brief, std::string& plan) {
  return on_all_ranks(ranks_, file_, [&](RankReport& report) {
    if (ranks_.rank() != 0) return;
    const DryRun run(*experiment_, *seeds_, ranks_.ranks(), check_signal_);
    plan = options_.json ? run.json(store_.results_path()) : run.text(brief);
    report.value = run.has_skipped() && !options_.allow_skipped ? kVerdictAgainst : kAllWell;
  });
}

/// Writes the experiment's text as it is now into complete results: it may have changed in what changes no
/// cell.
void ExperimentRun::renew_text() {
  const ExperimentSpec& spec = experiment_->spec;
  Provenance provenance = read_provenance(store_.results_path());
  if (provenance.experiment_toml == spec.text && provenance.experiment == spec.name) return;
  provenance.experiment = spec.name;
  provenance.experiment_toml = spec.text;
  store_.assemble(seeds_->wanted(), provenance, check_signal_);
}

/// Prepares the output for cells to run; returns false if the results are complete already.
bool ExperimentRun::begin() {
  const std::string& text = experiment_->spec.text;
  if (!options_.fresh) {
    inspect();
    if (store_.complete(seeds_->wanted()) && !store_.has_cells_folder() &&
        read_provenance(store_.results_path()).experiment_toml == text)
      return false;
  }
  store_.open();
  if (options_.fresh) {
    store_.start_over();
  } else {
    inspect();  // again: another run may have gone on until the lock was taken
    if (store_.complete(seeds_->wanted())) {
      renew_text();
      store_.remove_cells();
      return false;
    }
  }
  if (options_.again) store_.forget_crashes();
  store_.keep_experiment(text, experiment_->inputs, experiment_->cells_of_all());
  order_ = seeds_->unfinished(ranks_.ranks());
  RunStatus status = own_status();
  status.experiment = experiment_->spec.name;
  status.results = store_.results_path();
  status.ranks = ranks_.ranks();
  status.total = seeds_->wanted().size();
  status.done = status.total - order_.size();
  console_.begin(file_, status);
  status_.emplace(store_.status_path(), status);
  for (const std::string& note : run_notes(*experiment_)) console_.note(note);
  return true;
}

/// Called after a round; returns true if there is another one.
bool ExperimentRun::another_round() {
  for (const std::uint32_t cell : order_) store_.note_finished(experiment_->cells[cell].input_hash);
  const std::size_t seeds_before = seeds_->seeds();
  const bool more = seeds_->add_seeds();
  order_ = seeds_->unfinished(ranks_.ranks());
  if (more) {
    const std::size_t added = seeds_->seeds() - seeds_before;  // several if finished cells tell of more
    console_.remark(seeds_->precision_text(seeds_before) + "; " +
                    (added == 1 ? "one seed" : counted(added, "seed")) + " more");
  }
  return more;
}

void ExperimentRun::run_cells(std::vector<std::uint32_t> cells, bool live) {
  if (cells.empty()) return;
  ranks_.deal(cells);  // live ones for the counts: each goes to all ranks
  Progress::Work work;
  work.cells = order_.size();
  work.earlier_cells = seeds_->wanted().size() - std::min(seeds_->wanted().size(), order_.size());
  if (live) work.finished_cells = order_.size() - cells.size();
  work.live = live;
  for (const std::uint32_t cell : cells) work.amount += experiment_->costs.at(cell);
  Progress progress(ranks_, work, console_, status_ ? &*status_ : nullptr);
  if (live && !live_) live_.emplace(*cells_);
  if (live)
    live_->run(cells, progress);
  else
    cells_->run_dealt(cells, progress);
  progress.end();
}

void ExperimentRun::run_round() {
  ranks_.deal(order_);  // so that every rank has it
  std::vector<std::uint32_t> simulated;
  std::vector<std::uint32_t> live;
  std::partition_copy(order_.begin(), order_.end(), std::back_inserter(live), std::back_inserter(simulated),
                      [this](std::uint32_t cell) { return experiment_->is_live(cell); });
  run_cells(simulated, false);
  run_cells(live, true);
}

bool ExperimentRun::at_first_rank(const std::function<bool()>& work) {
  return on_all_ranks(ranks_, file_, [&](RankReport& report) {
           if (ranks_.rank() == 0) report.value = work() ? 1 : 0;
         }) != 0;
}

RunEnd ExperimentRun::run() {
  began_ = Clock::now() - checking_;
  cells_ = std::make_unique<CellRunner>(CellRunner{*experiment_, store_, ranks_, check_signal_});
  const bool unfinished = at_first_rank([this] { return begin(); });
  for (bool more = unfinished; more; more = at_first_rank([this] { return another_round(); })) run_round();
  RunEnd found;
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    if (ranks_.rank() == 0) found = end(unfinished ? assemble() : "complete already");
  });
  return found;
}

/// Writes STEM.h5; returns how long the run took.
std::string ExperimentRun::assemble() {
  Provenance provenance = build_provenance();
  provenance.experiment = experiment_->spec.name;
  provenance.experiment_toml = experiment_->spec.text;
  provenance.experiment_inputs = experiment_->inputs;
  provenance.experiment_cells = experiment_->cells_of_all();
  provenance.wall_s = elapsed_s();
  store_.assemble(seeds_->wanted(), provenance, check_signal_);
  if (status_) status_->close();
  return short_time(provenance.wall_s);
}

RunEnd ExperimentRun::end(const std::string& how) const {
  const std::vector<SummaryRow> rows = read_summary(store_.results_path());
  for (const std::string& note : end_notes(*experiment_, rows)) console_.note(note);
  RunEnd end;
  end.file = file_;
  end.results = store_.results_path();
  end.how = how;
  end.precision = seeds_->precision_text(seeds_->seeds());
  end.cells = seeds_->wanted().size();
  for (const SummaryRow& row : rows) {
    if (row.status == "ok") continue;
    ++end.failed;
    end.may_rerun = end.may_rerun || (row.status == "invalid" && !experiment_->spec.repeat);
    if (end.why.empty()) end.why = row.status + ", cell " + std::to_string(row.cell.index) + ": " + row.why;
  }
  end.exit_code = end.failed > 0 && !options_.allow_skipped ? kVerdictAgainst : kAllWell;
  end.elapsed_s = elapsed_s();
  console_.end(end);
  return end;
}

}  // namespace harness
