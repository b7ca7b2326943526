// A way for the ranks of one host to wake each other: by memory that all of them see. A rank that is awake
// costs its senders no system call, and a rank that sleeps costs all of them together one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The memory by which ranks of one host wake each other. Each rank has a part of it, which tells whether the
/// rank sleeps, and how many packets each rank has sent it. Each rank has one object, used by one thread, but
/// for interrupt().
class WakeBoard {
 public:
  /// Returns the number of bytes of one rank's part.
  static std::size_t bytes(int ranks);

  /// `parts` holds each rank's part, null for ranks of other hosts. Initialises this rank's part, which
  /// nobody may use before: so let all ranks wait for each other afterwards.
  WakeBoard(int self, const std::vector<void*>& parts);

  /// True if `rank` is on this host.
  bool covers(int rank) const { return slot(rank).asleep != nullptr; }
  bool covers_all() const;

  /// Tells `to` that `packets` packets were sent to it so far. Returns true if it sleeps and the caller must
  /// wake it, by rouse() or in another way. Of several senders only one gets true.
  bool announce(int to, std::uint64_t packets) const;
  /// Ends the sleep() of `to`.
  void rouse(int to) const;

  /// Returns the number of packets that `from` has announced to this rank.
  std::uint64_t announced(int from) const { return own().packets[from].load(); }
  /// Marks this rank as asleep: from now on whoever announces packets is told so. Look for announcements
  /// after this call.
  void lie_down() const { own().asleep->store(1); }
  /// Sleeps after lie_down() until roused, until a signal, or until steady_ns() reaches `deadline_ns`, met as
  /// exactly as the thread's timer slack allows. May end early.
  void sleep(TimeNs deadline_ns) const;
  /// Ends this rank's own sleep(), if it has lain down. Any thread may call it.
  void interrupt() const {
    if (own().asleep->exchange(0) != 0) rouse(self_);
  }
  /// Marks this rank as awake again. Returns true if somebody was told to wake it since lie_down().
  bool get_up() const { return own().asleep->exchange(0) == 0; }

 private:
  struct Slot {
    std::atomic<std::uint32_t>* asleep = nullptr;
    std::atomic<std::uint64_t>* packets = nullptr;  ///< number of packets from each sender
  };
  const Slot& slot(int rank) const { return slots_[static_cast<std::size_t>(rank)]; }
  const Slot& own() const { return slot(self_); }

  int self_;
  std::vector<Slot> slots_;
};

}  // namespace harness
