#include "harness/experiment/driver.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>

#include "harness/experiment/build_info.h"
#include "harness/experiment/cell_distribution.h"
#include "harness/experiment/cell_store.h"
#include "harness/experiment/cell_text.h"
#include "harness/experiment/dry_run.h"
#include "harness/experiment/progress.h"
#include "harness/experiment/run_cell.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kGoOn = -1;
constexpr int kBadInput = 2;
constexpr int kEnvironment = 3;
volatile std::sig_atomic_t stop_signal = 0;

std::string stem_of_file(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// One experiment in one process.
class Driver {
 public:
  Driver(const RunOptions& options, CellDistribution& ranks)
      : options_(options), ranks_(ranks), store_(options.folder, stem_of_file(options.file)) {}

  /// Rank 0: everything that can be found wrong, then the list of cells still to run. Returns kGoOn or an
  /// exit code.
  int prepare();
  /// The cells, on every rank. Other ranks than 0 load the experiment here: what fails then is reported to
  /// rank 0.
  int run();

 private:
  void load();
  int dry_run();
  void inspect();
  [[noreturn]] void refuse(const ForeignCell& foreign);
  void plan_order();
  void compute(Progress& progress);
  void run_one(std::uint32_t index, Progress& progress);
  int finish(const std::vector<RankReport>& reports);
  int verdict(const std::string& how) const;
  void check_signal() const;

  const RunOptions& options_;
  CellDistribution& ranks_;
  CellStore store_;
  Clock::time_point began_ = Clock::now();
  ExperimentSpec spec_;
  std::unique_ptr<CellFactory> factory_;
  std::vector<ExpectedCell> expected_;
  std::vector<double> costs_;         ///< expected requests of each cell
  std::vector<std::uint32_t> order_;  ///< cells to run
};

void Driver::load() {
  spec_ = load_experiment(options_.file, options_.overrides);
  factory_ = std::make_unique<CellFactory>(spec_, build_id());
}

int Driver::dry_run() {
  std::vector<PreparedCell> cells;
  for (const Cell& cell : factory_->cells()) {
    check_signal();
    cells.push_back(factory_->prepare(cell));
  }
  const bool skipped =
      std::any_of(cells.begin(), cells.end(), [](const PreparedCell& cell) { return !cell.why.empty(); });
  std::fputs(dry_run_table(cells).c_str(), stdout);
  return skipped && !options_.allow_skipped ? 1 : 0;
}

int Driver::prepare() {
  load();
  if (options_.dry_run) return dry_run();
  for (const Cell& cell : factory_->cells()) {
    check_signal();
    const PreparedCell prepared = factory_->prepare(cell);
    expected_.push_back({cell.index, prepared.identity.input_hash});
    costs_.push_back(prepared.why.empty() ? prepared.expected_requests : 0);
  }
  if (!options_.fresh) {
    inspect();
    if (store_.complete() && !store_.has_cells_folder()) return verdict("complete already");
  }
  store_.open();
  if (options_.fresh) {
    store_.remove_all();
  } else {
    inspect();  // again: until the lock was taken another run may have gone on
    if (store_.complete()) {
      store_.remove_cells();
      return verdict("complete already");
    }
  }
  store_.keep_experiment(spec_.text);
  plan_order();
  return kGoOn;
}

void Driver::inspect() {
  if (const std::optional<ForeignCell> foreign = store_.inspect(expected_)) refuse(*foreign);
}

void Driver::refuse(const ForeignCell& foreign) {
  std::string before = foreign.effective_toml;
  std::string difference;
  try {
    if (before.empty()) {
      const ExperimentSpec spec = parse_experiment(spec_.file, foreign.experiment_toml, {});
      CellFactory factory(spec, "");
      before = factory.prepare(factory.cells().at(foreign.index)).identity.effective_toml;
    }
    const Cell& cell = factory_->cells().at(foreign.index);
    difference = first_difference(before, factory_->prepare(cell).identity.effective_toml);
    if (difference.empty()) difference = "another build of harness";
  } catch (const std::exception&) {
    difference = "other cells";
  }
  throw input_error({foreign.path, 0, "results made differently"}, difference,
                    "the same settings and build; -o for another folder; --fresh to start over");
}

void Driver::plan_order() {
  for (const ExpectedCell& cell : expected_) {
    if (!store_.has(cell.input_hash)) order_.push_back(cell.index);
  }
  if (order_.size() < expected_.size() && !options_.quiet) {
    std::fprintf(stderr, "%zu of %zu cells are finished already\n", expected_.size() - order_.size(),
                 expected_.size());
  }
  if (ranks_.ranks() > 1) {
    std::stable_sort(order_.begin(), order_.end(), [this](auto a, auto b) { return costs_[a] > costs_[b]; });
  }
}

void Driver::check_signal() const {
  if (stop_signal == 0) return;
  throw EnvironmentError(options_.dry_run ? "interrupted"
                                          : "interrupted; the same command finishes the rest");
}

void Driver::run_one(std::uint32_t index, Progress& progress) {
  const Cell& cell = factory_->cells().at(index);
  const PreparedCell prepared = factory_->prepare(cell);
  progress.begin(prepared.identity, ns_to_ms(prepared.slo_ns), prepared.duration_s);
  const SummaryRow row =
      run_cell(*factory_, cell, prepared, spec_.rows, store_.cell_path(prepared.identity.input_hash),
               [&](TimeNs now, std::uint64_t sent) {
                 check_signal();
                 ranks_.serve();
                 progress.update(now, sent);
               });
  ranks_.finish_one(static_cast<std::int64_t>(row.sent));
  progress.finish(row);
}

void Driver::compute(Progress& progress) {
  while (const std::optional<std::size_t> place = ranks_.next()) {
    check_signal();
    run_one(order_[*place], progress);
  }
}

int Driver::run() {
  ranks_.deal(order_);
  RankReport report;
  {
    double requests = 0;
    for (const std::uint32_t index : order_) requests += ranks_.rank() == 0 ? costs_[index] : 0;
    Progress progress(ranks_, order_.size(), requests, options_.quiet);
    try {
      if (ranks_.rank() != 0) load();
      compute(progress);
    } catch (const InputError& error) {
      report = {kBadInput, error.what()};
    } catch (const std::exception& error) {
      report = {kEnvironment, error.what()};
    }
    set_bug_context({});
    if (report.exit_code != 0) ranks_.stop();
  }
  const std::vector<RankReport> reports = ranks_.gather(report);
  return ranks_.rank() == 0 ? finish(reports) : report.exit_code;
}

int Driver::finish(const std::vector<RankReport>& reports) {
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].exit_code == 0) continue;
    const std::string where = reports.size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
    if (reports[rank].exit_code == kBadInput) throw InputError(where + reports[rank].message);
    throw EnvironmentError(where + reports[rank].message);
  }
  Provenance provenance = build_provenance();
  provenance.experiment = spec_.name;
  provenance.experiment_toml = spec_.text;
  provenance.wall_s = std::chrono::duration<double>(Clock::now() - began_).count();
  store_.assemble(expected_, provenance, [this] { check_signal(); });
  return verdict(short_time(provenance.wall_s));
}

int Driver::verdict(const std::string& how) const {
  std::size_t bad = 0;
  std::string why;
  for (const SummaryRow& row : read_summary(store_.results_path())) {
    if (row.status == "ok") continue;
    ++bad;
    if (why.empty()) why = row.status + ", cell " + std::to_string(row.cell.index) + ": " + row.why;
  }
  const std::string counts = std::to_string(expected_.size()) + (expected_.size() == 1 ? " cell" : " cells");
  std::printf("%s: %s, %s\n", store_.results_path().c_str(), counts.c_str(), how.c_str());
  if (bad == 0) return 0;
  std::fprintf(stderr, "%zu of %s skipped or invalid; the first: %s\n", bad, counts.c_str(), why.c_str());
  return options_.allow_skipped ? 0 : 1;
}

void install_signal_handlers() {
  const auto stop = [](int signal) {
    stop_signal = signal;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
}

}  // namespace

int run_experiment(const RunOptions& options) {
  install_signal_handlers();
  CellDistribution ranks;
  Driver driver(options, ranks);
  if (ranks.rank() == 0) {
    int code = kGoOn;
    try {
      code = driver.prepare();
    } catch (const InputError&) {
      ranks.share(kBadInput);
      throw;
    } catch (...) {
      ranks.share(kEnvironment);
      throw;
    }
    if (ranks.share(code) != kGoOn) return code;
  } else {
    const int code = ranks.share(kGoOn);
    if (code != kGoOn) return code;
  }
  return driver.run();
}

}  // namespace harness
