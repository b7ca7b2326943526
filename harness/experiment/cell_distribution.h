// Deals the cells of an experiment over MPI ranks; without mpirun there is one rank and MPI is never started.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace harness {

/// How a rank fared in a piece of work.
struct RankReport {
  int exit_code = 0;    ///< 0: well
  std::string message;  ///< of any length; empty when all is well
  int value = 0;        ///< what came out
  std::string digest;   ///< hash of what must be the same on every rank
};

/// Rank of this process as the launcher's environment says, without starting MPI; 0 when there is no
/// launcher.
int launched_rank();
/// Name and version of the MPI library that runs, on one line; MPI need not be started.
std::string mpi_library();

/// One per process. All ranks make the same calls in the same order, except next(), finish_one() and
/// counts(), which any rank calls as it needs. Deals dynamically: a counter in rank 0's memory says which
/// place of the list is next.
class CellDistribution {
 public:
  /// Starts MPI when a launcher started this process.
  CellDistribution();
  ~CellDistribution();
  CellDistribution(const CellDistribution&) = delete;
  CellDistribution& operator=(const CellDistribution&) = delete;

  int rank() const;
  int ranks() const;

  /// Rank 0's value, on every rank. The others wait without spinning.
  int share(int value);
  /// Makes rank 0's list of cells, in the order in which they are to be dealt, every rank's, and begins to
  /// deal it. A list dealt before must have been gathered.
  void deal(std::vector<std::uint32_t>& cells);
  /// The next place in the list that nobody has, or nothing.
  std::optional<std::size_t> next();
  /// Nobody gets another cell of this list.
  void stop();

  /// What has been finished since deal(), on all ranks.
  struct Counts {
    std::int64_t cells = 0;
    std::int64_t requests = 0;
  };
  void finish_one(std::int64_t requests);
  Counts counts();

  /// Lets messages of other ranks through; rank 0 calls it every few milliseconds while it simulates.
  void serve();
  /// Ends all ranks at once, with the line `why` on standard error, where not all of them can be reached any
  /// more. When several call it, the lowest speaks.
  [[noreturn]] void abort(int exit_code, const std::string& why);
  /// Waits, without spinning, until every rank is here. Rank 0 gets all reports, the others nothing.
  std::vector<RankReport> gather(const RankReport& report);

 private:
  struct Ranks;
  std::unique_ptr<Ranks> mpi_;  ///< null without a launcher
  std::size_t dealt_ = 0;
  std::size_t next_ = 0;
  Counts counts_;
};

}  // namespace harness
