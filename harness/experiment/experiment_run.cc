#include "harness/experiment/experiment_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "harness/experiment/build_info.h"
#include "harness/experiment/cell_text.h"
#include "harness/experiment/dry_run.h"
#include "harness/experiment/rank_work.h"
#include "harness/experiment/run_cell.h"
#include "workloads/checksum.h"

namespace harness {
namespace {

std::string stem_of_file(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string count_text(std::size_t cells) {
  return std::to_string(cells) + (cells == 1 ? " cell" : " cells");
}

}  // namespace

ExperimentRun::ExperimentRun(const RunOptions& options, std::string file, CellDistribution& ranks,
                             SignalCheck check)
    : options_(options),
      file_(std::move(file)),
      ranks_(ranks),
      check_signal_(std::move(check)),
      store_(options.folder, stem_of_file(file_)) {}

void ExperimentRun::load(RankReport& report) {
  spec_ = load_experiment(file_, options_.overrides);
  factory_ = std::make_unique<CellFactory>(spec_, build_id());
  std::string hashes;
  for (const Cell& cell : factory_->cells()) {
    check_signal_();
    const PreparedCell prepared = factory_->prepare(cell);
    expected_.push_back({cell.index, prepared.identity.input_hash});
    costs_.push_back(prepared.why.empty() ? prepared.expected_requests : 0);
    hashes += prepared.identity.input_hash;
  }
  report.digest = sha256_of(hashes);
}

void ExperimentRun::check() {
  const Clock::time_point began = Clock::now();
  on_all_ranks(ranks_, file_, [this](RankReport& report) {
    load(report);
    if (ranks_.rank() == 0 && !options_.dry_run && !options_.fresh) inspect();
  });
  checking_ = Clock::now() - began;
}

void ExperimentRun::print_plan(bool brief, RankReport& report) {
  std::vector<PreparedCell> cells;
  for (const Cell& cell : factory_->cells()) {
    check_signal_();
    cells.push_back(factory_->prepare(cell));
  }
  const auto skipped =
      std::count_if(cells.begin(), cells.end(), [](const PreparedCell& cell) { return !cell.why.empty(); });
  if (brief) {
    std::printf("%s: %s", file_.c_str(), dry_run_total(cells).c_str());
    std::fputs(skipped == 0 ? "\n" : (", " + std::to_string(skipped) + " skipped\n").c_str(), stdout);
  } else {
    std::fputs((dry_run_table(cells) + dry_run_total(cells) + "\n").c_str(), stdout);
  }
  report.value = skipped > 0 && !options_.allow_skipped ? kVerdictAgainst : kAllWell;
}

int ExperimentRun::dry_run(bool brief) {
  return on_all_ranks(ranks_, file_, [&](RankReport& report) {
    if (ranks_.rank() == 0) print_plan(brief, report);
  });
}

void ExperimentRun::inspect() {
  if (const std::optional<ForeignCell> foreign = store_.inspect(expected_)) refuse(*foreign);
}

/// What the first cell that cannot be used again was made with instead.
std::string ExperimentRun::difference_from(const ForeignCell& foreign) {
  const Cell& cell = factory_->cells().at(foreign.index);
  std::string before = foreign.effective_toml;
  std::string now = factory_->prepare(cell).identity.effective_toml;
  if (!foreign.experiment_toml.empty()) {
    const ExperimentSpec spec = parse_experiment(spec_.file, foreign.experiment_toml, {});
    CellFactory factory(spec, "");
    const Cell& old_cell = factory.cells().at(foreign.index);
    if (before.empty()) before = factory.prepare(old_cell).identity.effective_toml;
    before = with_rate_as_given(before, spec, old_cell);
    now = with_rate_as_given(now, spec_, cell);
  }
  const std::string difference = first_difference(before, now);
  return difference.empty() ? "another build of harness" : difference;
}

void ExperimentRun::refuse(const ForeignCell& foreign) {
  std::string difference;
  try {
    difference = difference_from(foreign);
  } catch (const std::exception&) {
    difference = "other cells";
  }
  throw input_error({foreign.path, 0, "results made differently"}, difference,
                    "the same settings and build; -o for another folder; --fresh to start over");
}

/// False: the results are complete already.
bool ExperimentRun::begin() {
  if (!options_.fresh) {
    inspect();
    if (store_.complete() && !store_.has_cells_folder()) return false;
  }
  store_.open();
  if (options_.fresh) {
    store_.remove_all();
  } else {
    inspect();  // again: until the lock was taken another run may have gone on
    if (store_.complete()) {
      store_.remove_cells();
      return false;
    }
  }
  store_.keep_experiment(spec_.text);
  plan_order();
  return true;
}

void ExperimentRun::plan_order() {
  for (const ExpectedCell& cell : expected_) {
    if (!store_.has(cell.input_hash)) order_.push_back(cell.index);
  }
  if (order_.size() < expected_.size() && !options_.quiet) {
    std::fprintf(stderr, "%zu of %s are finished already\n", expected_.size() - order_.size(),
                 count_text(expected_.size()).c_str());
  }
  if (ranks_.ranks() > 1) {
    std::stable_sort(order_.begin(), order_.end(), [this](auto a, auto b) { return costs_[a] > costs_[b]; });
  }
}

void ExperimentRun::run_one(std::uint32_t index, Progress& progress) {
  const Cell& cell = factory_->cells().at(index);
  const PreparedCell prepared = factory_->prepare(cell);
  progress.begin(prepared.identity, ns_to_ms(prepared.slo_ns), prepared.duration_s);
  const SummaryRow row =
      run_cell(*factory_, cell, prepared, spec_.rows, store_.cell_path(prepared.identity.input_hash),
               [&](TimeNs now, std::uint64_t sent) {
                 check_signal_();
                 ranks_.serve();
                 progress.update(now, sent);
               });
  ranks_.finish_one(static_cast<std::int64_t>(row.sent));
  progress.finish(row);
}

void ExperimentRun::compute_cells() {
  double requests = 0;
  for (const std::uint32_t index : order_) requests += costs_.at(index);
  Progress progress(ranks_, order_.size(), requests, options_.quiet);
  while (const std::optional<std::size_t> place = ranks_.next()) {
    check_signal_();
    run_one(order_[*place], progress);
  }
}

void ExperimentRun::compute() {
  ranks_.deal(order_);
  on_all_ranks(ranks_, file_, [this](RankReport&) {
    try {
      compute_cells();
    } catch (...) {
      set_bug_context({});
      ranks_.stop();
      throw;
    }
    set_bug_context({});
  });
}

ExperimentEnd ExperimentRun::run() {
  began_ = Clock::now() - checking_;
  const int unfinished = on_all_ranks(ranks_, file_, [this](RankReport& report) {
    if (ranks_.rank() == 0) report.value = begin() ? 1 : 0;
  });
  if (unfinished != 0) compute();
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    if (ranks_.rank() != 0) return;
    if (unfinished != 0)
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
  provenance.wall_s = std::chrono::duration<double>(Clock::now() - began_).count();
  store_.assemble(expected_, provenance, check_signal_);
  end(short_time(provenance.wall_s));
}

void ExperimentRun::end(const std::string& how) {
  std::size_t bad = 0;
  std::string why;
  for (const SummaryRow& row : read_summary(store_.results_path())) {
    if (row.status == "ok") continue;
    ++bad;
    if (why.empty()) why = row.status + ", cell " + std::to_string(row.cell.index) + ": " + row.why;
  }
  end_ = {bad > 0 && !options_.allow_skipped ? kVerdictAgainst : kAllWell, expected_.size(), how};
  const std::string counts = count_text(end_.cells);
  std::printf("%s: %s, %s\n", store_.results_path().c_str(), counts.c_str(), how.c_str());
  std::fflush(stdout);
  if (bad > 0)
    std::fprintf(stderr, "%zu of %s skipped or invalid; the first: %s\n", bad, counts.c_str(), why.c_str());
}

}  // namespace harness
