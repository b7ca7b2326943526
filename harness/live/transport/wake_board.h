// How ranks of one host wake each other: by memory that all of them see. A rank that is awake costs its
// senders no system call, and one that sleeps costs them one in all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Each rank has a part of the memory: whether it sleeps, and how many packets each rank has sent it. One
/// object per rank, used from one thread, but for interrupt().
class WakeBoard {
 public:
  /// Bytes of one rank's part.
  static std::size_t bytes(int ranks);

  /// `parts` are the ranks' parts by rank, null for those of other hosts. Makes the own part; nobody may use
  /// it before, so let all ranks wait for each other then.
  WakeBoard(int self, const std::vector<void*>& parts);

  /// Whether `rank` is on this host.
  bool covers(int rank) const { return slot(rank).asleep != nullptr; }
  bool covers_all() const;

  /// Tells `to` that `packets` packets were sent to it so far. True when it sleeps, and the caller must wake
  /// it: by rouse(), or however it is to be woken. Of several senders one is told.
  bool announce(int to, std::uint64_t packets) const;
  /// Ends the sleep() of `to`.
  void rouse(int to) const;

  /// Packets that `from` told this rank of.
  std::uint64_t announced(int from) const { return own().packets[from].load(); }
  /// From here on whoever announces is told that this rank sleeps; so look for announcements after it.
  void lie_down() const { own().asleep->store(1); }
  /// Sleeps after lie_down() until roused, a signal, or `deadline_ns` of steady_ns(), met as exactly as the
  /// thread's timer slack lets it. May end early.
  void sleep(TimeNs deadline_ns) const;
  /// Ends this rank's own sleep(), if it has lain down. From any thread.
  void interrupt() const {
    if (own().asleep->exchange(0) != 0) rouse(self_);
  }
  /// Awake again. Whether somebody was told to wake this rank since lie_down().
  bool get_up() const { return own().asleep->exchange(0) == 0; }

 private:
  struct Slot {
    std::atomic<std::uint32_t>* asleep = nullptr;
    std::atomic<std::uint64_t>* packets = nullptr;  ///< by sender
  };
  const Slot& slot(int rank) const { return slots_[static_cast<std::size_t>(rank)]; }
  const Slot& own() const { return slot(self_); }

  int self_;
  std::vector<Slot> slots_;
};

// The board by which the ranks of a host wake each other, in memory that MPI lets them share.

/// Needs MPI started. Destroying it without leave() leaves the memory until the process ends.
class SharedBoard {
 public:
  /// Collective over MPI_COMM_WORLD.
  SharedBoard();
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  const WakeBoard& board() const { return *board_; }
  /// Gives the memory back, after which board() must not be used. Collective.
  void leave();

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<WakeBoard> board_;
};

}  // namespace harness
