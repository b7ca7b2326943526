// Placements: they decide on which server an instance starts and whose parameters stay in a server's memory,
// for systems on a cluster whose GPUs belong to servers (QUART, section 6).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"

namespace harness {

class MemoryDecisions;
struct ServerView;

/// Decides for the whole cluster, whose servers are 0, 1, ... (ServingContext::servers). It runs at the
/// dispatcher and sees the real state, not a state that has travelled. It is given values only. An answer
/// that the free GPUs, cores and memory do not allow is a bug of the system and ends the run.
class Placement {
 public:
  /// Answer that names no server: the instance waits, as when no GPU is free.
  static constexpr std::uint32_t kNoServer = kNone;

  virtual ~Placement() = default;
  /// Called when a plan takes effect, before anything starts or ends because of it.
  virtual void on_plan(TimeNs /*now*/, const Plan& /*plan*/) {}
  /// Returns the server on which an instance of the module starts, or kNoServer. The server must have the
  /// GPUs and the cores free, and the memory once make_room has been called. Called again whenever GPUs may
  /// have fallen free, and with each plan.
  virtual std::uint32_t place(TimeNs now, ModuleId module, std::span<const ServerView> servers) = 0;
  /// Called when an instance of the module that starts on `server` lacks `missing_mb` of memory. Dropped
  /// copies make room, except shared ones.
  virtual void make_room(TimeNs /*now*/, std::uint32_t /*server*/, ModuleId /*module*/, double /*missing_mb*/,
                         const ServerView& /*view*/, MemoryDecisions& /*out*/) {}
  /// Called when an instance of the module can serve there from now on: its parameters are in memory.
  virtual void on_started(TimeNs /*now*/, std::uint32_t /*server*/, ModuleId /*module*/,
                          const ServerView& /*view*/, MemoryDecisions& /*out*/) {}
  /// Called when an instance of the module that could serve there has ended or is lost. Its memory is free
  /// unless a copy stays. This is the last moment at which its parameters can be kept.
  virtual void on_left(TimeNs /*now*/, std::uint32_t /*server*/, ModuleId /*module*/,
                       const ServerView& /*view*/, MemoryDecisions& /*out*/) {}
};

/// The decisions of a placement about the host memory of one server: a write-only list, carried out in order.
class MemoryDecisions {
 public:
  struct Decision {
    ModuleId module = 0;
    bool keeps = false;
  };
  /// Keeps a copy of the module's parameters, unless one is kept already. They are the parameters of an
  /// instance that serves or drains there, or has just left.
  void keep(ModuleId module) { list_.push_back({module, true}); }
  /// Drops the copy, which must be there and from which no instance may be starting.
  void drop(ModuleId module) { list_.push_back({module, false}); }
  const std::vector<Decision>& list() const { return list_; }
  void clear() { list_.clear(); }

 private:
  std::vector<Decision> list_;
};

/// The instances and the kept copy of a module on one server.
struct ServerModule {
  int instances = 0;  ///< number of instances that start, serve or drain there
  /// True if a copy of its parameters is kept in host memory: the next instance starts from it.
  bool is_kept = false;
  bool is_shared = false;  ///< true if the copy takes no memory: it shares the pages of an instance there
  /// True if an instance starts from the copy at this moment, so that it cannot be dropped.
  bool is_source = false;
  TimeNs used_ns = -1;  ///< time at which an instance last started, could serve or left there; -1: never
};

/// A server at this moment. It is the same object during the whole run.
struct ServerView {
  int free_gpus = 0;
  /// Number of free cores; the largest int: cores are not limited.
  int free_cores = std::numeric_limits<int>::max();
  /// Memory that neither an instance nor a kept copy takes; infinite: memory is not limited.
  double free_memory_mb = std::numeric_limits<double>::infinity();
  std::vector<ServerModule> modules;  ///< state of each module
};

}  // namespace harness
