// The memory and disk space of cells: estimated before anything runs, and watched while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/experiment/cells/prepared_cell.h"

namespace harness {

/// An estimate of what a cell takes at its rank; a system that lets requests wait takes more.
struct CellNeeds {
  double memory_bytes = 0;
  std::string key;       ///< key of the experiment's file that causes most of it
  double row_bytes = 0;  ///< bytes on disk, by the usual compression
};

CellNeeds needs_of(const PreparedCell& prepared, const ExperimentSpec& spec);

/// The needs of an experiment's cells, and the memory and disk space for them.
class ExperimentNeeds {
 public:
  /// Adds the next cell, in the order of all cells. A cell that cannot run needs nothing.
  void note(const PreparedCell& prepared, const ExperimentSpec& spec);
  /// Adds a cell that is not run here.
  void note_none() { needs_.emplace_back(); }
  /// Throws InputError, naming cell and key, if one of the first `cells` cells takes more memory than a rank
  /// of this host may have.
  void check_memory(const ExperimentSpec& spec, std::size_t cells, int ranks_here);
  /// Throws InputError if the rows of the first `cells` cells surely need more than the free space on the
  /// disk of `folder`, which need not exist. Cells' files stay until the results have been assembled from
  /// them; `has` says which are there already.
  void check_disk(const ExperimentSpec& spec, const std::string& folder, std::size_t cells,
                  const std::function<bool(std::size_t)>& has) const;
  /// Returns the bytes of rows on disk of the first `cells` cells.
  double row_bytes(std::size_t cells) const;
  /// Returns the bytes of memory that a cell may take here: three fifths of what this rank can have, because
  /// a table that grows is copied to twice its size; infinite if the kernel does not tell. Call it after
  /// check_memory().
  double memory_bytes() const { return memory_bytes_; }

 private:
  std::vector<CellNeeds> needs_;  ///< needs of each cell
  double memory_bytes_ = 0;
};

/// Throws CellFailed from look() if the process has more than `limit_bytes` in memory. It is made when a run
/// begins; call look() at least every few milliseconds.
class MemoryWatch {
 public:
  explicit MemoryWatch(double limit_bytes) : limit_bytes_(limit_bytes) {}
  void look();

 private:
  double limit_bytes_;
  TimeNs next_ns_ = 0;
};

}  // namespace harness
