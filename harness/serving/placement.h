// Where instances start and whose parameters stay in the memory of a server: for systems on a cluster whose
// GPUs stand in servers (QUART, section 6).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"

namespace harness {

/// What a module has on a server.
struct ServerModule {
  int instances = 0;  ///< that start, serve or drain there
  bool is_kept =
      false;  ///< a copy of its parameters is kept in host memory: the next instance starts from it
  bool is_shared = false;  ///< the copy takes no memory: it shares the pages of an instance that is there
  bool is_source = false;  ///< an instance starts from the copy at this moment, so that it cannot be dropped
  TimeNs used_ns = -1;     ///< when an instance last started, could serve or left there; -1: never
};

/// A server at this moment. It is the same object all over the run.
struct ServerView {
  int free_gpus = 0;
  int free_cores = std::numeric_limits<int>::max();  ///< the largest int: cores are not limited
  /// Neither of an instance nor of a kept copy; infinite: memory is not limited.
  double free_memory_mb = std::numeric_limits<double>::infinity();
  std::vector<ServerModule> modules;  ///< by module
};

/// What a placement decides about the host memory of one server: a write-only list, carried out in order.
class MemoryDecisions {
 public:
  struct Decision {
    ModuleId module = 0;
    bool keeps = false;
  };
  /// Keeps a copy of the module's parameters, if there is none yet: of an instance that serves or drains
  /// there, or has just left.
  void keep(ModuleId module) { list_.push_back({module, true}); }
  /// Drops the copy, which is there and from which no instance is starting.
  void drop(ModuleId module) { list_.push_back({module, false}); }
  const std::vector<Decision>& list() const { return list_; }
  void clear() { list_.clear(); }

 private:
  std::vector<Decision> list_;
};

/// Decides for the whole cluster, whose servers are 0, 1, ... (ServingContext::servers), at the dispatcher:
/// of the real state, not of one that travels. Nothing but values comes in; an answer that the books do not
/// allow is a bug of the system and ends the run.
class Placement {
 public:
  /// No server: the instance waits, as when no GPU is free.
  static constexpr std::uint32_t kNoServer = kNone;

  virtual ~Placement() = default;
  /// A plan takes effect: before anything starts or ends because of it.
  virtual void on_plan(TimeNs /*now*/, const Plan& /*plan*/) {}
  /// The server on which an instance of the module starts, or kNoServer. It must have the GPUs and the cores
  /// free, and the memory once make_room has been called. Asked again whenever GPUs may have fallen free, and
  /// with each plan.
  virtual std::uint32_t place(TimeNs now, ModuleId module, std::span<const ServerView> servers) = 0;
  /// An instance of the module that starts on `server` lacks `missing_mb` of memory: copies that are dropped
  /// make room, but for those that are shared.
  virtual void make_room(TimeNs /*now*/, std::uint32_t /*server*/, ModuleId /*module*/, double /*missing_mb*/,
                         const ServerView& /*view*/, MemoryDecisions& /*out*/) {}
  /// An instance of the module can serve there from now on: its parameters are in memory.
  virtual void on_started(TimeNs /*now*/, std::uint32_t /*server*/, ModuleId /*module*/,
                          const ServerView& /*view*/, MemoryDecisions& /*out*/) {}
  /// An instance of the module that could serve there has ended or is lost, and its memory is free unless a
  /// copy stays. Its parameters can be kept now at last.
  virtual void on_left(TimeNs /*now*/, std::uint32_t /*server*/, ModuleId /*module*/,
                       const ServerView& /*view*/, MemoryDecisions& /*out*/) {}
};

}  // namespace harness
