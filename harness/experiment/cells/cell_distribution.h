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

/// The outcome of a piece of work on one rank.
struct RankReport {
  int exit_code = 0;    ///< exit code; 0: all is well
  std::string message;  ///< message of any length; empty if all is well
  int value = 0;        ///< result of the work
  std::string digest;   ///< hash of what must be the same on every rank
};

/// Returns true if a launcher of MPI started this process, as the environment says.
bool is_launched();
/// Returns the rank of this process as the launcher's environment says, without starting MPI; 0 if there is
/// no launcher.
int launched_rank();
/// Returns name and version of the MPI library that runs, on one line; MPI need not be started.
std::string mpi_library();

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

// A piece of work that all ranks do at once, with one line for whatever fails on any of them.

/// The program's exit codes.
inline constexpr int kAllWell = 0;
inline constexpr int kVerdictAgainst = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kEnvironment = 3;

/// Thrown on a rank other than 0 if any rank failed: rank 0 says why.
struct RankStopped {};

/// Does `work` on every rank. `work` sets the report's `value` and, if all ranks must have read the same from
/// `file`, its `digest`. Returns rank 0's value on every rank. Rank 0 throws what `work` threw on any rank,
/// or an InputError for a digest other than its own, with the number of the rank if it is another; the others
/// throw RankStopped.
int on_all_ranks(CellDistribution& ranks, const std::string& file,
                 const std::function<void(RankReport&)>& work);

// The devices of a job's ranks for cells with runtime = "gpu": known before the first cell runs.

/// A rank's processor cores and GPUs.
struct RankMachine {
  std::string host;
  std::uint64_t gpu_set = 0;  ///< visible_gpu_set(): ranks with equal values share GPUs
  UsableCores cores;
  int nvidia = 0;              ///< number of NVIDIA GPUs that the kernel shows, usable or not
  int cuda = 0;                ///< number of GPUs that this build can use
  std::string why_no_cuda;     ///< reason in one line if `cuda` is 0; empty if nobody asked
  std::string why_no_network;  ///< reason why processor cores cannot run networks; empty: they can
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

/// Collective: returns every rank's machine on rank 0, nothing on the others. Only with `asks_for_cuda`, and
/// on ranks that host GPUs, it counts the GPUs that the build can use, which loads LibTorch.
std::vector<RankMachine> gather_machines(CellDistribution& ranks, bool asks_for_cuda);

}  // namespace harness
