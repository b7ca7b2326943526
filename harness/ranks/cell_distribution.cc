#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/rank_report.h"

// The C interface only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "harness/core/exit_codes.h"
#include "harness/core/printable.h"
#include "harness/machine/host_name.h"
#include "harness/ranks/mpi_launch.h"
#include "harness/ranks/rank_watch.h"
#include "harness/ranks/watchdog.h"

namespace harness {
namespace {

constexpr std::int64_t kStopped = std::int64_t{1} << 40;  // more than any list is long
enum Counter { kNext, kCells, kRequests, kFailed, kCounters };

/// Returns true if the launcher says that all ranks are on this host.
bool all_ranks_are_here() {
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  return here != nullptr && all != nullptr && std::string_view(here) == all;
}

/// A report without its texts, which follow it: first the digest, then the message.
struct PackedReport {
  int exit_code = 0;
  int value = 0;
  std::size_t digest_bytes = 0;
  std::size_t message_bytes = 0;
};

/// Waits for `request`. Rank 0, through which others may be asking for cells, looks every millisecond and
/// calls `look`; the others, which may share few processors with it, look more and more seldom.
void wait_without_spinning(MPI_Request& request, int rank, const std::function<void()>& look) {
  constexpr std::chrono::microseconds kShortest(1'000);
  constexpr std::chrono::microseconds kLongest(20'000);
  std::chrono::microseconds pause = kShortest;
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (rank == 0 && look) look();
    std::this_thread::sleep_for(pause);
    if (rank != 0) pause = std::min(kLongest, pause * 9 / 8);
  }
}

void broadcast(void* values, int count, MPI_Datatype type, int rank, const std::function<void()>& look) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(values, count, type, 0, MPI_COMM_WORLD, &request);
  wait_without_spinning(request, rank, look);
}

}  // namespace

struct CellDistribution::Ranks {
  Ranks() {
    // A container may forbid reading another process's memory; the messages here are small.
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    // Debian switches off the only one-sided messages that need no special network between hosts.
    setenv("OMPI_MCA_osc", "^ucx", 0);
    // A live run's ranks sleep between their calls of MPI; then 3 pieces at a time, as is usual, are few.
    setenv("OMPI_MCA_pml_ob1_send_pipeline_depth", "64", 0);
    // Shared memory alone: else each rank would listen on a port that other hosts can reach.
    if (all_ranks_are_here()) setenv("OMPI_MCA_btl", "self,vader", 0);
    // On a crash Open MPI would print the stack, for which it allocates memory: a rank that crashed while it
    // did the same would wait for itself for ever.
    setenv("OMPI_MCA_opal_signal", "", 0);
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &ranks_here);
    share_beats(host);
    MPI_Comm_free(&host);
    const MPI_Aint bytes = rank == 0 ? static_cast<MPI_Aint>(kCounters * sizeof(std::int64_t)) : 0;
    MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &window);
    if (rank == 0) std::fill_n(counters, static_cast<std::size_t>(kCounters), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    start_watch();
  }

  ~Ranks() {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);  // all ranks are here: none misses another's beats any more
    watch.reset();
    MPI_Win_free(&beats_window);
    MPI_Finalize();
  }

  /// Makes the memory in which this host's ranks count their beats, and exchanges their ranks.
  void share_beats(MPI_Comm host) {
    int own_place = 0;
    MPI_Comm_rank(host, &own_place);
    const auto here = static_cast<std::size_t>(ranks_here);
    const MPI_Aint bytes = own_place == 0 ? static_cast<MPI_Aint>(here * sizeof(RankWatch::Beat)) : 0;
    void* memory = nullptr;
    MPI_Win_allocate_shared(bytes, sizeof(RankWatch::Beat), MPI_INFO_NULL, host, &memory, &beats_window);
    MPI_Aint all_bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(beats_window, 0, &all_bytes, &unit, &memory);
    beats = std::span(static_cast<RankWatch::Beat*>(memory), here);
    place = static_cast<std::size_t>(own_place);
    new (&beats[place]) RankWatch::Beat(0);
    ranks_of_places.resize(here);
    MPI_Allgather(&rank, 1, MPI_INT, ranks_of_places.data(), 1, MPI_INT, host);
  }

  void start_watch() {
    constexpr TimeNs kLimitNs = 15 * kNsPerS;
    if (ranks_here < 2) return;
    watch.emplace(beats, place, kLimitNs, [this](std::size_t silent, TimeNs silent_ns) {
      // The others of this host see it, too: the first of them ends all.
      std::this_thread::sleep_for(std::chrono::milliseconds(700) * std::min<std::size_t>(place, 20));
      std::fprintf(stderr, "harness: %s; the same command finishes the rest\n",
                   silence_text(ranks_of_places[silent], host_name(), silent_ns).c_str());
      std::_Exit(kEnvironment);
    });
  }

  std::int64_t add(Counter counter, std::int64_t value) {
    std::int64_t before = 0;
    MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, counter, MPI_SUM, window);
    MPI_Win_flush(0, window);
    return before;
  }

  void reset(Counter counter) {
    const std::int64_t zero = 0;
    std::int64_t before = 0;
    MPI_Fetch_and_op(&zero, &before, MPI_INT64_T, 0, counter, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
  }

  int rank = 0;
  int ranks = 1;
  int ranks_here = 1;
  std::size_t place = 0;             ///< index of this rank among this host's ranks
  std::vector<int> ranks_of_places;  ///< rank at each place of this host
  std::span<RankWatch::Beat> beats;
  MPI_Win beats_window = MPI_WIN_NULL;
  std::optional<RankWatch> watch;
  std::int64_t* counters = nullptr;
  MPI_Win window = MPI_WIN_NULL;
};

CellDistribution::CellDistribution() {
  if (is_launched()) mpi_ = std::make_unique<Ranks>();
}

CellDistribution::~CellDistribution() = default;

bool CellDistribution::is_first_here() const { return mpi_ ? mpi_->place == 0 : true; }
int CellDistribution::rank() const { return mpi_ ? mpi_->rank : 0; }

int CellDistribution::ranks() const { return mpi_ ? mpi_->ranks : 1; }

void CellDistribution::watch_ranks(bool watches) {
  if (mpi_ && mpi_->watch) mpi_->watch->ignore(!watches);
}

int CellDistribution::ranks_here() const { return mpi_ ? mpi_->ranks_here : 1; }

int CellDistribution::share(int value) {
  if (mpi_) broadcast(&value, 1, MPI_INT, mpi_->rank, look_);
  return value;
}

void CellDistribution::deal(std::vector<std::uint32_t>& cells) {
  // Before any rank has the list, and so may ask for a cell.
  if (rank() == 0 && mpi_) {
    for (const Counter counter : {kNext, kCells, kRequests, kFailed}) mpi_->reset(counter);
  }
  const int count = share(static_cast<int>(cells.size()));
  cells.resize(static_cast<std::size_t>(count));
  if (mpi_) broadcast(cells.data(), count, MPI_UINT32_T, mpi_->rank, look_);
  dealt_ = cells.size();
  next_ = 0;
  counts_ = {};
}

std::optional<std::size_t> CellDistribution::next() {
  const auto place = mpi_ ? static_cast<std::size_t>(mpi_->add(kNext, 1)) : next_++;
  if (place >= dealt_) return std::nullopt;
  return place;
}

void CellDistribution::stop() {
  if (mpi_) mpi_->add(kNext, kStopped);
  next_ = dealt_;
}

void CellDistribution::finish_one(std::int64_t requests, bool failed) {
  if (mpi_) {
    mpi_->add(kCells, 1);
    mpi_->add(kRequests, requests);
    if (failed) mpi_->add(kFailed, 1);
  } else {
    ++counts_.cells;
    counts_.requests += requests;
    counts_.failed += failed ? 1 : 0;
  }
}

CellDistribution::Counts CellDistribution::counts() {
  if (!mpi_) return counts_;
  return {mpi_->add(kCells, 0), mpi_->add(kRequests, 0), mpi_->add(kFailed, 0)};
}

void CellDistribution::serve() {
  if (!mpi_ || mpi_->rank != 0) return;
  int pending = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pending, MPI_STATUS_IGNORE);
}

void CellDistribution::abort(int exit_code, const std::string& why) {
  // The others are ended while they wait here, unless this rank cannot do it.
  std::this_thread::sleep_for(std::chrono::milliseconds(100) * std::min(rank(), 20));
  std::fprintf(stderr, "harness: %s\n", printable(why).c_str());
  std::fflush(stderr);
  if (mpi_) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::vector<RankReport> CellDistribution::gather(const RankReport& report) {
  if (!mpi_) return {report};
  const auto here = static_cast<std::size_t>(mpi_->rank == 0 ? mpi_->ranks : 0);
  const PackedReport packed{report.exit_code, report.value, report.digest.size(), report.message.size()};
  std::vector<PackedReport> all(here);
  constexpr int kBytes = static_cast<int>(sizeof(PackedReport));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&packed, kBytes, MPI_BYTE, all.data(), kBytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  wait_without_spinning(request, mpi_->rank, look_);

  std::vector<int> sizes(here);
  std::vector<int> starts(here);
  int end = 0;
  for (std::size_t rank = 0; rank < here; ++rank) {
    sizes[rank] = static_cast<int>(all[rank].digest_bytes + all[rank].message_bytes);
    starts[rank] = std::exchange(end, end + sizes[rank]);
  }
  const std::string text = report.digest + report.message;
  std::string texts(static_cast<std::size_t>(end), '\0');
  MPI_Igatherv(text.data(), static_cast<int>(text.size()), MPI_BYTE, texts.data(), sizes.data(),
               starts.data(), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  wait_without_spinning(request, mpi_->rank, look_);

  std::vector<RankReport> reports;
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) { return texts.substr(std::exchange(at, at + bytes), bytes); };
  for (const PackedReport& one : all) {
    RankReport& next = reports.emplace_back(RankReport{one.exit_code, "", one.value, ""});
    next.digest = take(one.digest_bytes);
    next.message = take(one.message_bytes);
  }
  return reports;
}

}  // namespace harness
