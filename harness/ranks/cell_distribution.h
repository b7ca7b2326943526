// Deals the cells of an experiment over MPI ranks; without mpirun there is one rank and MPI is never started.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/ranks/rank_report.h"

namespace harness {

/// The ranks of the program and the list of cells that they share; one object per process. All ranks make the
/// same calls in the same order, except next(), finish_one() and counts(), which any rank calls as it needs.
/// It deals dynamically: a counter in rank 0's memory says which place of the list is next.
class CellDistribution {
 public:
  /// Starts MPI if a launcher started this process.
  CellDistribution();
  ~CellDistribution();
  CellDistribution(const CellDistribution&) = delete;
  CellDistribution& operator=(const CellDistribution&) = delete;

  int rank() const;
  int ranks() const;
  /// Returns the number of ranks on this host.
  int ranks_here() const;
  /// Returns true on exactly one rank of each host.
  bool is_first_here() const;

  /// Switches the watch over the ranks of this host on (as it is at the start) or off. While it is on, a rank
  /// that is frozen for 15 s ends the program with exit code 3 and a line that names it, whatever the other
  /// ranks do. It is off during live runs, whose ranks watch each other.
  void watch_ranks(bool watches);

  /// Returns rank 0's value on every rank. The others wait without spinning.
  int share(int value);
  /// Gives rank 0's list of cells, in the order in which they are to be dealt, to every rank, and begins to
  /// deal it. A list dealt before must have been gathered.
  void deal(std::vector<std::uint32_t>& cells);
  /// Returns the next place in the list that no rank has got yet, or nothing.
  std::optional<std::size_t> next();
  /// Ends the dealing: no rank gets another cell of this list.
  void stop();

  /// The numbers of what all ranks have finished since deal().
  struct Counts {
    std::int64_t cells = 0;
    std::int64_t requests = 0;
    std::int64_t failed = 0;  ///< number of these cells that are skipped or invalid
  };
  void finish_one(std::int64_t requests, bool failed);
  Counts counts();

  /// Sets the function that rank 0 calls every millisecond while it waits for others; it must not throw, nor
  /// make collective calls. {}: no function.
  void while_waiting(std::function<void()> look) { look_ = std::move(look); }

  /// Lets messages of other ranks through; rank 0 calls it every few milliseconds while it simulates.
  void serve();
  /// Ends all ranks at once, with the line `why` on standard error. It is for errors after which not all
  /// ranks can be reached any more. If several ranks call it, the lowest one prints its line.
  [[noreturn]] void abort(int exit_code, const std::string& why);
  /// Waits, without spinning, until every rank has called it. Returns all reports on rank 0, nothing on the
  /// others.
  std::vector<RankReport> gather(const RankReport& report);

 private:
  struct Ranks;
  std::unique_ptr<Ranks> mpi_;  ///< null if there is no launcher
  std::function<void()> look_;
  std::size_t dealt_ = 0;
  std::size_t next_ = 0;
  Counts counts_;
};

}  // namespace harness
