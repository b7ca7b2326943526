// What a cell takes of memory and disk: estimated before anything runs, and watched while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// A lower estimate of what a cell takes at its rank; a system that lets requests wait takes more.
struct CellNeeds {
  double memory_bytes = 0;
  std::string key;       ///< of the experiment's file: what the most of the memory is for
  double row_bytes = 0;  ///< on disk, by the compression that is usual
};

CellNeeds needs_of(const PreparedCell& prepared, const ExperimentSpec& spec);

/// The needs of an experiment's cells, and what there is for them.
class ExperimentNeeds {
 public:
  /// Of each cell in order. Those that cannot run need nothing.
  void note(const PreparedCell& prepared, const ExperimentSpec& spec);
  /// Throws InputError, naming cell and key, when one cell takes more memory than a rank of this host can
  /// have.
  void check_memory(const ExperimentSpec& spec, int ranks_here);
  /// The same of the rows of the first `cells` cells on the disk of `folder`, which need not exist. Cells'
  /// files stay until the results have been assembled from them; `has` says which are there.
  void check_disk(const ExperimentSpec& spec, const std::string& folder, std::size_t cells,
                  const std::function<bool(std::size_t)>& has) const;
  /// On disk, of the first `cells` cells.
  double row_bytes(std::size_t cells) const;
  /// What this rank may have; infinite where the kernel does not tell. After check_memory().
  double memory_bytes() const { return memory_bytes_; }

 private:
  std::vector<double> row_bytes_;  ///< of each cell on disk
  CellNeeds largest_;              ///< of the cell that takes the most memory
  std::uint32_t largest_cell_ = 0;
  double memory_bytes_ = 0;
};

/// Made when a run begins; call look() at least every few milliseconds. Throws CellFailed when the process
/// has more than three fifths of `for_rank` in memory: a table that grows is copied to twice its size.
class MemoryWatch {
 public:
  explicit MemoryWatch(double for_rank);
  void look();

 private:
  double limit_bytes_;
  TimeNs next_ns_ = 0;
};

}  // namespace harness
