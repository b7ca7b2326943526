// How many seeds a run needs, round by round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/experiment/reading/repeat_until.h"
#include "harness/experiment/running/checked_experiment.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// The cells that an experiment runs here, for the seeds so far: at first those with which it begins; with
/// [repeat_until] rank 0 adds more as finished cells tell.
class SeedRounds {
 public:
  /// Both must outlive this. The cells must be planned.
  SeedRounds(const CheckedExperiment& experiment, const CellStore& store);

  /// Begins again with the first seeds, and adds the ones that the finished cells in the store ask for.
  /// Throws InputError if there are finished cells with more seeds than that.
  void begin();
  /// Called after a round: adds seeds if more are needed. Returns true if it did.
  bool add_seeds();

  /// Returns the cells of the part that is run here.
  std::span<const ExpectedCell> wanted() const { return own_; }
  /// Returns the number of cells of all parts, the first ones of the experiment.
  std::size_t cell_count() const { return count_; }
  /// Returns the wanted cells that are not finished, in the order in which they are run. With several ranks,
  /// those that are dealt come first, the longest before the others; live cells, which all ranks run
  /// together, come after them in the order of the file.
  std::vector<std::uint32_t> unfinished(int ranks) const;
  std::size_t seeds() const { return seeds_; }
  /// Returns how precisely the metric of [repeat_until] is known, "with `seeds` seeds"; "" without it.
  std::string precision_text(std::size_t seeds) const;

 private:
  void set_seeds(std::size_t seeds);
  bool settle();

  const CheckedExperiment& experiment_;
  const CellStore& store_;
  std::size_t seeds_ = 0;
  std::size_t count_ = 0;
  std::vector<ExpectedCell> own_;
  std::vector<SummaryRow> rows_;  ///< rows of the first finished cells
  Repetition repetition_;         ///< precision that `rows_` have
};

}  // namespace harness
