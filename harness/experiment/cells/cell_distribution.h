// Deals the cells of an experiment over MPI ranks; without mpirun there is one rank and MPI is never started.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/archive.h"
#include "harness/machine/machine_checks.h"

namespace harness {

/// How a rank fared in a piece of work.
struct RankReport {
  int exit_code = 0;    ///< 0: well
  std::string message;  ///< of any length; empty when all is well
  int value = 0;        ///< what came out
  std::string digest;   ///< hash of what must be the same on every rank
};

/// Whether a launcher of MPI started this process, as the environment says.
bool is_launched();
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
  /// Those that run on this host.
  int ranks_here() const;
  /// True for one of them.
  bool is_first_here() const;

  /// From the start a rank of this host that stands still for 15 s, whatever the others do, ends the program
  /// with exit code 3 and a line that names it. Not while this was called with false: live runs watch each
  /// other.
  void watch_ranks(bool watches);

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
    std::int64_t failed = 0;  ///< of the cells: skipped or invalid
  };
  void finish_one(std::int64_t requests, bool failed);
  Counts counts();

  /// What rank 0 does every millisecond while it waits for others; it must not throw, nor make collective
  /// calls. Nothing: {}.
  void while_waiting(std::function<void()> look) { look_ = std::move(look); }

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
  std::function<void()> look_;
  std::size_t dealt_ = 0;
  std::size_t next_ = 0;
  Counts counts_;
};

// A piece of work that all ranks do at once, with one line for whatever fails on any of them.

/// The program's exit codes.
inline constexpr int kAllWell = 0;
inline constexpr int kVerdictAgainst = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kEnvironment = 3;

/// What ends a rank other than 0 when any rank failed: rank 0 says why.
struct RankStopped {};

/// Every rank does `work`, which sets `value` and, where all ranks must have read the same from `file`,
/// `digest` of its report. Returns rank 0's value on every rank. What `work` throws on any rank, and a digest
/// other than rank 0's, is thrown at rank 0, with the rank's number when it is another; the others throw
/// RankStopped.
int on_all_ranks(CellDistribution& ranks, const std::string& file,
                 const std::function<void(RankReport&)>& work);

// What the ranks of a job have for cells with runtime = "gpu": known before the first cell runs.

/// A rank's processor cores and GPUs.
struct RankMachine {
  std::string host;
  std::uint64_t gpu_set = 0;  ///< visible_gpu_set(): ranks with the same share GPUs
  UsableCores cores;
  int nvidia = 0;              ///< NVIDIA GPUs that the kernel shows, usable or not
  int cuda = 0;                ///< GPUs that this build can use
  std::string why_no_cuda;     ///< in a line, where that is none; empty when it was not asked
  std::string why_no_network;  ///< on processor cores; empty: they can
};

template <class Way>
void code(Archive<Way>& archive, RankMachine& machine) {
  archive.value(machine.host);
  archive.value(machine.gpu_set);
  code(archive, machine.cores);
  archive.value(machine.nvidia);
  archive.value(machine.cuda);
  archive.value(machine.why_no_cuda);
  archive.value(machine.why_no_network);
}

/// Collective: rank 0 gets every rank's, the others nothing. Only with `asks_for_cuda`, and on ranks that
/// host GPUs, those are counted that the build can use, which loads LibTorch.
std::vector<RankMachine> gather_machines(CellDistribution& ranks, bool asks_for_cuda);

}  // namespace harness
