#include "harness/experiment/running/seed_rounds.h"

#include <algorithm>

#include "harness/core/input_error.h"

namespace harness {

SeedRounds::SeedRounds(const CheckedExperiment& experiment, const CellStore& store)
    : experiment_(experiment), store_(store) {
  set_seeds(first_seeds(experiment.spec));
}

void SeedRounds::set_seeds(std::size_t seeds) {
  seeds_ = seeds;
  count_ = cells_with_seeds(experiment_.spec, experiment_.factory.cells(), seeds);
  own_.clear();
  for (const ExpectedCell& cell : std::span(experiment_.cells).first(count_)) {
    if (experiment_.part.has(cell.index)) own_.push_back(cell);
  }
}

/// Adds a seed as long as all cells with the seeds so far are finished and more seeds are needed. Returns
/// true if the number of seeds is settled.
bool SeedRounds::settle() {
  const ExperimentSpec& spec = experiment_.spec;
  for (;;) {
    for (const ExpectedCell& cell : own_) {
      if (!store_.has(cell.input_hash)) return false;
    }
    if (!spec.repeat) return true;
    const std::vector<SummaryRow> more = store_.rows_of(wanted().subspan(std::min(rows_.size(), count_)));
    rows_.insert(rows_.end(), more.begin(), more.end());
    repetition_ = judge(*spec.repeat, std::span<const SummaryRow>(rows_).first(count_));
    if (repetition_.widest <= spec.repeat->half_width || seeds_ == max_seeds(spec)) return true;
    set_seeds(seeds_ + 1);
  }
}

void SeedRounds::begin() {
  rows_.clear();
  set_seeds(first_seeds(experiment_.spec));
  if (!settle()) return;
  for (const ExpectedCell& cell : std::span(experiment_.cells).subspan(count_)) {
    if (!store_.has(cell.input_hash)) continue;
    throw input_refusal(
        {store_.results_path(), 0, "repeat_until"},
        "results have more seeds than needed (" + std::to_string(seeds_) + "); use --fresh to start over");
  }
}

bool SeedRounds::add_seeds() {
  const std::size_t before = seeds_;
  settle();
  return seeds_ > before;
}

std::vector<std::uint32_t> SeedRounds::unfinished(int ranks) const {
  std::vector<std::uint32_t> order;
  for (const ExpectedCell& cell : own_) {
    if (!store_.has(cell.input_hash)) order.push_back(cell.index);
  }
  const auto dealt_longest_first = [this](std::uint32_t a, std::uint32_t b) {
    const bool a_live = experiment_.is_live(a);
    return a_live != experiment_.is_live(b) ? !a_live
                                            : !a_live && experiment_.costs[a] > experiment_.costs[b];
  };
  if (ranks > 1) std::stable_sort(order.begin(), order.end(), dealt_longest_first);
  return order;
}

std::string SeedRounds::precision_text(std::size_t seeds) const {
  return experiment_.spec.repeat ? repetition_text(experiment_.spec, seeds, repetition_) : "";
}

}  // namespace harness
