// What a cell takes of memory and disk: estimated before anything runs, and watched while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// An estimate of what a cell takes at its rank; a system that lets requests wait takes more.
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
  /// The next cell is not run here.
  void note_none() { needs_.emplace_back(); }
  /// Throws InputError, naming cell and key, when one of the first `cells` cells takes more memory than a
  /// rank of this host may have.
  void check_memory(const ExperimentSpec& spec, std::size_t cells, int ranks_here);
  /// The same of the rows of the first `cells` cells on the disk of `folder`, which need not exist. Cells'
  /// files stay until the results have been assembled from them; `has` says which are there.
  void check_disk(const ExperimentSpec& spec, const std::string& folder, std::size_t cells,
                  const std::function<bool(std::size_t)>& has) const;
  /// On disk, of the first `cells` cells.
  double row_bytes(std::size_t cells) const;
  /// What a cell may take here: three fifths of what there is for this rank, because a table that grows is
  /// copied to twice its size. Infinite where the kernel does not tell. After check_memory().
  double memory_bytes() const { return memory_bytes_; }

 private:
  std::vector<CellNeeds> needs_;  ///< of each cell
  double memory_bytes_ = 0;
};

/// Made when a run begins; call look() at least every few milliseconds. Throws CellFailed when the process
/// has more than `limit_bytes` in memory.
class MemoryWatch {
 public:
  explicit MemoryWatch(double limit_bytes) : limit_bytes_(limit_bytes) {}
  void look();

 private:
  double limit_bytes_;
  TimeNs next_ns_ = 0;
};

}  // namespace harness
