#include "harness/experiment/running/experiment_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "harness/core/bug_context.h"
#include "harness/core/exit_codes.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/running/cell_devices.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/dry_run.h"
#include "harness/experiment/running/dry_run_total.h"
#include "harness/experiment/running/progress_form.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/experiment/running/run_notes.h"
#include "harness/experiment/running/short_text.h"
#include "harness/experiment/storing/build_id.h"
#include "harness/experiment/storing/build_provenance.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/experiment/storing/what_differs.h"
#include "harness/files/sha256.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/transport/mpi_transport.h"
#include "harness/machine/pinned_thread.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"
#include "harness/record/analysis/length_notes.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/text/json.h"

namespace harness {
namespace {

std::string stem_of_file(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string count_text(std::size_t cells) { return counted(cells, "cell"); }

struct WaitsNoMore {
  CellDistribution& ranks;
  ~WaitsNoMore() { ranks.while_waiting({}); }
};

}  // namespace

ExperimentRun::ExperimentRun(const RunOptions& options, std::string file, CellDistribution& ranks,
                             SignalCheck check)
    : options_(options),
      file_(std::move(file)),
      ranks_(ranks),
      check_signal_(std::move(check)),
      store_(options.folder, stem_of_file(file_)) {}

/// Prepares the cell. If its system comes from a library, its code may end the program: then a message names
/// the cell and the library.
PreparedCell ExperimentRun::prepare_marked(const Cell& cell) {
  const std::string& system = spec_.systems[cell.system].name;
  std::optional<CrashMark> planning;
  if (const LoadedLibrary* const library = library_of(system))
    planning.emplace("", std::to_string(cell.index) + ", " + system + " (system of " + library->path + ")",
                     0);
  return factory_->prepare(cell);
}

/// Notes a cell of another part, which is not run here.
void ExperimentRun::pass_over(const Cell& cell) {
  expected_.push_back({cell.index, ""});
  costs_.push_back(0);
  needs_of_all_.note_none();
}

/// Reads the experiment. On each host one rank imports recorded traces before the others look for them.
void ExperimentRun::open() {
  spec_ = options_.text.empty() ? load_experiment(file_, options_.overrides)
                                : load_experiment(file_, options_.text, options_.overrides);
  factory_ = std::make_unique<CellFactory>(spec_, build_id(), ranks_.ranks());
  if (ranks_.ranks() > 1 && ranks_.is_first_here()) factory_->prepare_traces();
}

void ExperimentRun::load(RankReport& report) {
  std::string hashes;
  std::string inputs;
  std::set<std::tuple<Runtime, std::size_t, std::size_t, std::size_t, std::vector<std::size_t>>> kinds;
  for (const Cell& cell : factory_->cells()) {
    check_signal_();
    // Seeds, loads and SLOs name no files: the first cell of each kind that differs in something else
    // represents them all, in every part.
    const bool stands_for_all =
        kinds.emplace(cell.runtime, cell.pipeline, cell.trace, cell.system, cell.swept).second;
    const bool is_own = options_.part.has(cell.index);
    if (!is_own) pass_over(cell);
    if (!is_own && !stands_for_all) continue;
    const PreparedCell prepared = prepare_marked(cell);
    if (stands_for_all) inputs += prepared.identity.input_hash;
    if (!is_own) continue;
    expected_.push_back({cell.index, prepared.identity.input_hash});
    const double cost = is_live(prepared) ? prepared.duration_s : prepared.expected_requests;
    costs_.push_back(prepared.why.empty() ? cost : 0);
    if (is_live(prepared) && prepared.why.empty()) check_layout(prepared);
    if (cell.runtime == Runtime::kGpu) check_devices(prepared);
    hashes += prepared.identity.input_hash;
    needs_of_all_.note(prepared, spec_);
  }
  report.digest = sha256_of(hashes);
  inputs_ = sha256_of(inputs);
  check_part();
  set_seeds(first_seeds(spec_));
}

void ExperimentRun::inspect() {
  if (const std::optional<ForeignCell> foreign = store_.inspect(expected_)) refuse(*foreign);
}

void ExperimentRun::refuse(const ForeignCell& foreign) {
  if (!options_.part.has(foreign.cell.index)) refuse_other_part(foreign.path, foreign.cell.index);
  std::string difference = "other cells";
  if (foreign.cell.index < factory_->cells().size()) {
    const PreparedCell now = factory_->prepare(factory_->cells()[foreign.cell.index]);
    difference = what_differs(foreign.cell, now.identity, build_id(), spec_.workload.rates_rps.empty());
  }
  throw input_refusal({foreign.path, 0, ""}, "existing results were made differently: " + difference +
                                                 "; use -o DIR for another folder, or --fresh to start over");
}

void ExperimentRun::set_seeds(std::size_t seeds) {
  seeds_ = seeds;
  wanted_ = cells_with_seeds(spec_, factory_->cells(), seeds);
  own_.clear();
  std::copy_if(expected_.begin(), expected_.begin() + static_cast<std::ptrdiff_t>(wanted_),
               std::back_inserter(own_),
               [this](const ExpectedCell& cell) { return options_.part.has(cell.index); });
}

/// Adds a seed as long as all cells with the seeds so far are finished and more seeds are needed. Returns
/// true if the number of seeds is settled.
bool ExperimentRun::settle_seeds() {
  for (;;) {
    for (const ExpectedCell& cell : wanted()) {
      if (!store_.has(cell.input_hash)) return false;
    }
    if (!spec_.repeat) return true;
    const std::vector<SummaryRow> more = store_.rows_of(wanted().subspan(std::min(rows_.size(), wanted_)));
    rows_.insert(rows_.end(), more.begin(), more.end());
    repetition_ = judge(*spec_.repeat, std::span<const SummaryRow>(rows_).first(wanted_));
    if (repetition_.widest <= spec_.repeat->half_width || seeds_ == max_seeds(spec_)) return true;
    set_seeds(seeds_ + 1);
  }
}

/// Looks at the finished cells of this experiment, and at how many seeds it needs as far as they tell.
void ExperimentRun::inspect_own() {
  inspect();
  if (options_.again) store_.forget_failed();
  rows_.clear();
  set_seeds(first_seeds(spec_));
  if (!settle_seeds()) return;
  for (std::size_t i = wanted_; i < expected_.size(); ++i) {
    if (!store_.has(expected_[i].input_hash)) continue;
    throw input_refusal(
        {store_.results_path(), 0, "repeat_until"},
        "results have more seeds than needed (" + std::to_string(seeds_) + "); use --fresh to start over");
  }
}

void ExperimentRun::check_part() const {
  if (options_.part.is_whole()) return;
  if (spec_.repeat)
    throw input_error(place_of(spec_, "repeat_until"),
                      "--part, whose cells alone do not tell how many seeds there are",
                      "all cells in one run");
  if (options_.part.of > expected_.size())
    throw input_error({file_, 0, "--part"}, options_.part.text() + " of " + counted(expected_.size(), "cell"),
                      "at most as many parts as cells");
}

void ExperimentRun::refuse_other_part(const std::string& path, std::uint32_t cell) const {
  throw input_refusal({path, 0, ""}, "results hold cell " + std::to_string(cell) + ", which is not of part " +
                                         options_.part.text() +
                                         "; use -o DIR for a folder of its own for each part");
}

/// Throws InputError if --fresh would replace a file that harness did not write, or cells of another part.
void ExperimentRun::check_fresh() const {
  store_.check_replaceable();
  if (options_.part.is_whole()) return;
  for (const std::uint32_t cell : store_.cells_there()) {
    if (!options_.part.has(cell)) refuse_other_part(store_.results_path(), cell);
  }
}

void ExperimentRun::check_layout(const PreparedCell& prepared) const {
  const std::string fault =
      layout_fault(prepared.settings.cluster.workers, ranks_.ranks(), prepared.settings.live);
  if (!fault.empty()) {
    throw input_error(place_of(spec_, "live.gpus_per_rank"), fault,
                      "that many ranks or more; without mpirun, one; 0 spreads over any number");
  }
  if (ranks_.rank() != 0) return;
  const std::string core = spin_core_fault(prepared.settings.live, allowed_cores());
  if (!core.empty()) throw input_error(place_of(spec_, "live.spin_core"), core, "one of these, or -1");
}

void ExperimentRun::check_devices(const PreparedCell& prepared) {
  const RunSpec world = factory_->make_world(prepared.cell);
  check_on_devices(world, prepared.plan, prepared.settings.faults, place_of(spec_, "serving.queue"),
                   ranks_.ranks());
  if (world.world.preemption == Preemption::kImmediate && world.system->preempts())
    throw input_error(place_of(spec_, "cluster.preemption"), "immediate with runtime = \"gpu\"",
                      "exit_points: batches on devices stop there alone");
  const std::string exchange = why_no_exchange(prepared.settings.gpu);
  if (!exchange.empty()) throw input_error(place_of(spec_, "gpu.exchange"), exchange, "messages");
  if (prepared.settings.gpu.profile_error_limit > 0 && ranks_.ranks() > 1)
    throw input_error(place_of(spec_, "gpu.profile_error_limit"),
                      "a limit on " + std::to_string(ranks_.ranks()) + " ranks", "0, or one rank");
  if (prepared.why.empty()) add_need(needs_, prepared, world);
}

/// Tells rank 0 what devices all ranks have.
void ExperimentRun::gather_machines_for_devices() {
  if (!needs_.empty()) machines_ = gather_machines(ranks_, asks_for_gpus(needs_));
}

std::string ExperimentRun::why_no_devices_for(std::uint32_t cell) const {
  const DeviceNeed* const need = need_of(needs_, cell);
  return need == nullptr ? "" : why_no_devices(*need, machines_);
}

/// Throws InputError if no live cell has the devices that it needs. If some have them, the other cells are
/// skipped when their turn comes.
void ExperimentRun::refuse_without_devices() const {
  std::optional<std::uint32_t> without;
  for (const ExpectedCell& cell : wanted()) {
    if (!is_live_cell(cell.index) || costs_[cell.index] <= 0) continue;
    if (why_no_devices_for(cell.index).empty()) return;
    if (!store_.has(cell.input_hash)) without = cell.index;
  }
  if (!without) return;
  throw input_error(
      place_of(spec_, "gpu.device"), name_of(need_of(needs_, *without)->gpu.device),
      "devices that these hosts and this build have; no live cell can run: " + why_no_devices_for(*without));
}

void ExperimentRun::check() {
  const Clock::time_point began = Clock::now();
  on_all_ranks(ranks_, file_, [this](RankReport&) { open(); });
  on_all_ranks(ranks_, file_, [this](RankReport& report) {
    load(report);
    if (options_.again && spec_.repeat)
      throw input_error(place_of(spec_, "repeat_until"),
                        "--rerun-failed, which would settle again how many seeds there are", "--fresh");
    if (ranks_.rank() != 0) return;
    if (options_.fresh)
      check_fresh();
    else if (options_.dry_run)
      store_.look(expected_);
    else
      inspect_own();
  });
  gather_machines_for_devices();
  const bool is_complete = ranks_.share(store_.complete(wanted()) ? 1 : 0) != 0;
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    if (ranks_.rank() == 0 && !options_.dry_run) refuse_without_devices();
    if (is_complete) return;
    needs_of_all_.check_memory(spec_, wanted_, ranks_.ranks_here());
    if (ranks_.rank() == 0)
      needs_of_all_.check_disk(spec_, options_.folder, wanted_,
                               [this](std::size_t cell) { return store_.has(expected_[cell].input_hash); });
  });
  checking_ = Clock::now() - began;
}

std::vector<PreparedCell> ExperimentRun::prepare_wanted() {
  std::vector<PreparedCell> cells;
  for (const ExpectedCell& cell : wanted()) {
    check_signal_();
    cells.push_back(factory_->prepare(factory_->cells()[cell.index]));
  }
  return cells;
}

std::vector<std::string> ExperimentRun::dry_run_notes(const std::vector<PreparedCell>& cells) const {
  std::vector<std::string> notes = run_notes(*factory_, needs_, machines_);
  for (std::string& note : size_notes(*factory_, cells)) notes.push_back(std::move(note));
  return notes;
}

std::string ExperimentRun::plan_text(bool brief, const std::vector<PreparedCell>& cells) const {
  std::string text = brief ? file_ + ": " : dry_run_table(cells) + layout_text(cells, ranks_.ranks());
  text += dry_run_total(cells);
  if (const double bytes = needs_of_all_.row_bytes(wanted_); bytes > 0)
    text += ", about " + short_bytes(bytes) + " of rows";
  const std::size_t skipped = DryRunTotal(cells).skipped;
  if (skipped > 0 && brief) text += ", " + std::to_string(skipped) + " skipped";
  if (wanted_ < expected_.size()) {
    text += "; with [repeat_until] up to " + counted(expected_.size(), "cell") + " (" +
            std::to_string(max_seeds(spec_)) + " seeds)";
  }
  for (const std::string& note : dry_run_notes(cells)) text += "\n" + (brief ? file_ + ": " : "") + note;
  return text + "\n";
}

std::string ExperimentRun::plan_json(const std::vector<PreparedCell>& cells) const {
  const DryRunTotal total(cells);
  std::vector<Json> rows;
  for (const PreparedCell& cell : cells) rows.push_back(cell_json(cell));
  const std::set<std::string> layouts = layout_lines(cells, ranks_.ranks());
  JsonObject object;
  object.add("file", file_);
  object.add("name", spec_.name);
  object.add("results", store_.results_path());
  object.add("ranks", ranks_.ranks());
  object.add("cell_count", cells.size());
  object.add("skipped", total.skipped);
  object.add("max_cell_count", options_.part.is_whole() ? expected_.size() : cells.size());
  object.add("requests", total.requests);
  object.add("live_s", total.live_s);
  object.add("rows_bytes", needs_of_all_.row_bytes(wanted_));
  object.add("layouts", std::vector<std::string>(layouts.begin(), layouts.end()));
  object.add("notes", dry_run_notes(cells));
  object.add("cells", Json{json_lines(rows)});
  return object.json(",\n").text;
}

int ExperimentRun::dry_run(bool brief, std::string& plan) {
  return on_all_ranks(ranks_, file_, [&](RankReport& report) {
    if (ranks_.rank() != 0) return;
    const std::vector<PreparedCell> cells = prepare_wanted();
    plan = options_.json ? plan_json(cells) : plan_text(brief, cells);
    report.value = DryRunTotal(cells).skipped > 0 && !options_.allow_skipped ? kVerdictAgainst : kAllWell;
  });
}

/// Writes the experiment's text as it is now into complete results: it may have changed in what changes no
/// cell.
void ExperimentRun::renew_text() {
  Provenance provenance = read_provenance(store_.results_path());
  if (provenance.experiment_toml == spec_.text && provenance.experiment == spec_.name) return;
  provenance.experiment = spec_.name;
  provenance.experiment_toml = spec_.text;
  store_.assemble(wanted(), provenance, check_signal_);
}

/// Prepares the output for cells to run; returns false if the results are complete already.
bool ExperimentRun::begin() {
  if (!options_.fresh) {
    inspect_own();
    if (store_.complete(wanted()) && !store_.has_cells_folder() &&
        read_provenance(store_.results_path()).experiment_toml == spec_.text)
      return false;
  }
  store_.open();
  if (options_.fresh) {
    store_.start_over();
  } else {
    inspect_own();  // again: another run may have gone on until the lock was taken
    if (store_.complete(wanted())) {
      renew_text();
      store_.remove_cells();
      return false;
    }
  }
  if (options_.again) store_.forget_crashes();
  store_.keep_experiment(spec_.text, inputs_, cells_of_all());
  plan_order();
  say_finished();
  begin_status();
  for (const std::string& note : run_notes(*factory_, needs_, machines_)) say(options_.progress, note);
  return true;
}

bool ExperimentRun::is_live_cell(std::uint32_t index) const {
  return factory_->cells().at(index).runtime != Runtime::kSimulated;
}

void ExperimentRun::plan_order() {
  order_.clear();
  for (const ExpectedCell& cell : wanted()) {
    if (!store_.has(cell.input_hash)) order_.push_back(cell.index);
  }
  if (ranks_.ranks() > 1) {
    // Live cells, which all ranks run together, come after these in the order of the file.
    const auto dealt_longest_first = [this](std::uint32_t a, std::uint32_t b) {
      const bool a_live = is_live_cell(a);
      return a_live != is_live_cell(b) ? !a_live : !a_live && costs_[a] > costs_[b];
    };
    std::stable_sort(order_.begin(), order_.end(), dealt_longest_first);
  }
}

void ExperimentRun::say_finished() const {
  const std::size_t finished = own_.size() - order_.size();
  if (options_.progress == ProgressForm::kJson) {
    JsonObject start;
    start.add("experiment", spec_.name);
    start.add("file", file_);
    start.add("results", store_.results_path());
    start.add("ranks", ranks_.ranks());
    start.add("total", own_.size());
    start.add("done", finished);
    say_event("start", start);
  } else if (finished > 0 && options_.progress == ProgressForm::kText) {
    std::fprintf(stderr, "%zu of %s are finished already\n", finished, count_text(own_.size()).c_str());
  }
}

void ExperimentRun::begin_status() {
  RunStatus status = own_status();
  status.experiment = spec_.name;
  status.results = store_.results_path();
  status.ranks = ranks_.ranks();
  status.total = own_.size();
  status.done = own_.size() - order_.size();
  status_.emplace(store_.status_path(), status);
}

/// Called after a round; returns true if there is another one.
bool ExperimentRun::another_round() {
  for (const std::uint32_t index : order_) store_.note_finished(expected_[index].input_hash);
  const std::size_t before = seeds_;
  settle_seeds();
  plan_order();
  if (seeds_ == before) return false;
  const std::string more = repetition_text(spec_, before, repetition_) + "; one seed more";
  if (options_.progress == ProgressForm::kJson)
    say(options_.progress, more);
  else if (options_.progress == ProgressForm::kText)
    std::fprintf(stderr, "%s\n", more.c_str());
  return true;
}

CellRun ExperimentRun::how_to_run(const PreparedCell& prepared, Progress& progress) {
  CellRun how;
  how.rows = spec_.rows.has(prepared.cell.index);
  how.limit_s = spec_.cell_limit_s;
  how.path = store_.cell_path(prepared.identity.input_hash);
  how.mark = store_.mark_path(prepared.identity.input_hash);
  how.memory_bytes = needs_of_all_.memory_bytes();
  how.check_signal = check_signal_;
  how.progress = [&](TimeNs now, std::uint64_t sent) {
    check_signal_();
    ranks_.serve();
    progress.update(now, sent);
  };
  return how;
}

void ExperimentRun::run_simulated(std::uint32_t index, Progress& progress) {
  const Cell& cell = factory_->cells().at(index);
  const PreparedCell prepared = factory_->prepare(cell);
  progress.begin(prepared.identity, ns_to_ms(prepared.slo_ns), prepared.duration_s);
  const SummaryRow row = run_cell(*factory_, bounds_, prepared, how_to_run(prepared, progress));
  ranks_.finish_one(static_cast<std::int64_t>(row.sent), row.status != "ok");
  progress.finish(row);
}

void ExperimentRun::run_dealt(const std::vector<std::uint32_t>& cells, Progress& progress) {
  while (const std::optional<std::size_t> place = ranks_.next()) {
    check_signal_();
    run_simulated(cells[*place], progress);
  }
}

Progress::Work ExperimentRun::work_of(const std::vector<std::uint32_t>& cells, bool live) const {
  Progress::Work work;
  work.cells = order_.size();
  work.earlier_cells = own_.size() - std::min(own_.size(), order_.size());
  if (live) work.finished_cells = order_.size() - cells.size();
  work.live = live;
  for (const std::uint32_t index : cells) work.amount += costs_.at(index);
  return work;
}

void ExperimentRun::compute_simulated(std::vector<std::uint32_t> cells) {
  if (cells.empty()) return;
  ranks_.deal(cells);
  Progress progress(ranks_, work_of(cells, false), options_.progress, status_ ? &*status_ : nullptr);
  ranks_.while_waiting([&progress] { progress.wait(); });
  const WaitsNoMore end{ranks_};
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    try {
      run_dealt(cells, progress);
    } catch (...) {
      set_bug_context({});
      ranks_.stop();
      throw;
    }
    set_bug_context({});
  });
  progress.end();
}

/// Runs the live cell. If a rank hangs, it ends all ranks at once: that rank could not take part in an
/// orderly end.
std::optional<SummaryRow> ExperimentRun::run_together(LiveCell& cell) {
  try {
    return cell.run(bounds_, check_signal_);
  } catch (const RankHung& hung) {
    ranks_.abort(kEnvironment, hung.what());
  }
}

/// Skips the cell on all ranks if one of them lacks a device or a model.
void ExperimentRun::skip_without_devices(PreparedCell& prepared, std::optional<LiveCell>& live) {
  if (!live) return;
  RankReport own;
  own.message = live->why();
  std::string why;
  const std::vector<RankReport> reports = ranks_.gather(own);
  for (std::size_t rank = 0; rank < reports.size() && why.empty(); ++rank) {
    why = reports[rank].message;
    if (!why.empty() && rank > 0) why = "rank " + std::to_string(rank) + ": " + why;
  }
  if (ranks_.share(why.empty() ? 0 : 1) == 0) return;
  live.reset();
  prepared.why = why;
}

/// Runs a live cell on all ranks at once; a failure on one of them ends it on all.
void ExperimentRun::run_live_cell(std::uint32_t index, Progress& progress) {
  const Cell& cell = factory_->cells().at(index);
  PreparedCell prepared;
  std::optional<LiveCell> live;
  const std::string missing = why_no_devices_for(index);
  const bool is_without = ranks_.share(missing.empty() ? 0 : 1) != 0;
  const std::string mark = store_.mark_path(expected_[index].input_hash);
  const bool has_crashed = ranks_.share(crash_in_mark(mark).empty() ? 0 : 1) != 0;
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    check_signal_();
    prepared = factory_->prepare(cell);
    if (is_without) prepared.why = missing.empty() ? "rank 0 knows" : missing;
    progress.begin(prepared.identity, ns_to_ms(prepared.slo_ns), prepared.duration_s);
    if (prepared.why.empty() && !has_crashed)
      live.emplace(*factory_, prepared, how_to_run(prepared, progress), *transport_, *devices_);
  });
  skip_without_devices(prepared, live);
  if (live && cell.runtime == Runtime::kGpu)
    progress.note_loading(longest_loading(devices_->loading(), ranks_));
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    std::optional<SummaryRow> row;
    if (live)
      row = run_together(*live);
    else if (ranks_.rank() == 0)
      row = run_cell(*factory_, bounds_, prepared, how_to_run(prepared, progress));
    set_bug_context({});
    if (!row) return;
    ranks_.finish_one(static_cast<std::int64_t>(row->sent), row->status != "ok");
    progress.finish(*row);
  });
}

void ExperimentRun::compute_live(std::vector<std::uint32_t> cells) {
  if (cells.empty()) return;
  ranks_.deal(cells);  // for the counts: each cell goes to all ranks
  Progress progress(ranks_, work_of(cells, true), options_.progress, status_ ? &*status_ : nullptr);
  if (!transport_) transport_ = make_mpi_transport();
  if (!devices_)
    devices_ =
        std::make_unique<CellDevices>(*transport_, DeviceWatch::Rules{spec_.cell_limit_s, check_signal_});
  ranks_.watch_ranks(false);
  for (const std::uint32_t index : cells) run_live_cell(index, progress);
  progress.end();
  ranks_.watch_ranks(true);
}

void ExperimentRun::compute() {
  ranks_.deal(order_);  // so that every rank has it
  std::vector<std::uint32_t> live = order_;
  const auto end = std::stable_partition(live.begin(), live.end(),
                                         [this](std::uint32_t index) { return !is_live_cell(index); });
  const std::vector<std::uint32_t> simulated(live.begin(), end);
  live.erase(live.begin(), end);
  compute_simulated(simulated);
  compute_live(live);
}

bool ExperimentRun::at_first_rank(const std::function<bool()>& work) {
  return on_all_ranks(ranks_, file_, [&](RankReport& report) {
           if (ranks_.rank() == 0) report.value = work() ? 1 : 0;
         }) != 0;
}

ExperimentRun::End ExperimentRun::run() {
  began_ = Clock::now() - checking_;
  const bool unfinished = at_first_rank([this] { return begin(); });
  for (bool more = unfinished; more; more = at_first_rank([this] { return another_round(); })) compute();
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    if (ranks_.rank() != 0) return;
    if (unfinished)
      finish();
    else
      end("complete already");
  });
  return end_;
}

void ExperimentRun::finish() {
  Provenance provenance = build_provenance();
  provenance.experiment = spec_.name;
  provenance.experiment_toml = spec_.text;
  provenance.experiment_inputs = inputs_;
  provenance.experiment_cells = cells_of_all();
  provenance.wall_s = std::chrono::duration<double>(Clock::now() - began_).count();
  store_.assemble(wanted(), provenance, check_signal_);
  if (status_) status_->close();
  end(short_time(provenance.wall_s));
}

void ExperimentRun::end(const std::string& how) {
  std::size_t bad = 0;
  bool some_invalid = false;
  std::string why;
  const std::vector<SummaryRow> rows = read_summary(store_.results_path());
  for (const std::string& note : length_notes(rows)) say(options_.progress, note);
  if (const std::string note = lockstep_text(rows); !note.empty()) {
    const bool is_exact = spec_.base.world.jitter == Jitter::kOff;
    say(options_.progress, note + (is_exact ? "; cluster.jitter would break that" : ""));
  }
  if (const std::string note = same_fingerprint_text(spec_, factory_->cells(), rows); !note.empty())
    say(options_.progress, note);
  for (const SummaryRow& row : rows) {
    if (row.status == "ok") continue;
    ++bad;
    some_invalid = some_invalid || (row.status == "invalid" && !spec_.repeat);
    if (why.empty()) why = row.status + ", cell " + std::to_string(row.cell.index) + ": " + row.why;
  }
  end_ = {bad > 0 && !options_.allow_skipped ? kVerdictAgainst : kAllWell, own_.size(), how};
  const std::string counts = count_text(end_.cells);
  if (options_.says_end) {
    std::printf("%s: %s, %s\n", store_.results_path().c_str(), counts.c_str(), how.c_str());
    if (spec_.repeat) std::printf("%s\n", repetition_text(spec_, seeds_, repetition_).c_str());
    std::fflush(stdout);
  }
  if (options_.progress == ProgressForm::kJson) {
    JsonObject object;
    object.add("results", store_.results_path());
    object.add("total", end_.cells);
    object.add("failed", bad);
    object.add("why", why);
    object.add("exit_code", end_.exit_code);
    object.add("elapsed_s", std::chrono::duration<double>(Clock::now() - began_).count());
    say_event("end", object);
  } else if (bad > 0) {
    std::fprintf(stderr, "%zu of %s skipped or invalid%s; the first: %s\n", bad, counts.c_str(),
                 some_invalid ? " (--rerun-failed runs them once more)" : "", why.c_str());
  }
}

}  // namespace harness
