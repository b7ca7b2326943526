// The books of the servers' host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Parameters in the host memory of each server: of the instances there, and copies that are kept. On each
/// server their sum is at most the capacity.
///
/// An instance has parameters of its own from the start of its start-up until it has left, also one that is
/// forked from a kept copy (QUART, section 6.1: "a duplicate set of parameters is created"). A copy that is
/// kept beside an instance is a fork of it that shares its pages (copy-on-write, ibidem) and takes nothing
/// while that instance is there; when it has left the copy has them alone. At most one copy of a module is
/// kept on a server.
///
/// Whoever calls decides; what the books do not allow is an illegal decision. Sizes are whole bytes, so that
/// sums are exact. Single-threaded.
class HostMemory {
 public:
  /// `capacity_mb`: of each server; 0: no limit. `module_mb`: what an instance of each module takes.
  HostMemory(std::uint32_t servers, double capacity_mb, const std::vector<double>& module_mb);

  bool is_limited() const { return capacity_ != kUnlimited; }
  /// Infinite without a limit.
  double free_mb(std::uint32_t server) const;
  /// What an instance of the module lacks there; 0: it fits.
  double missing_mb(std::uint32_t server, ModuleId module) const;
  /// The same if all copies that can be dropped had been.
  bool could_fit(std::uint32_t server, ModuleId module) const;
  bool is_kept(std::uint32_t server, ModuleId module) const { return entry(server, module).is_kept; }
  bool is_shared(std::uint32_t server, ModuleId module) const {
    return entry(server, module).sharer != kNone;
  }
  bool is_source(std::uint32_t server, ModuleId module) const { return entry(server, module).starting > 0; }

  /// An instance starts there. `from_copy`: it reads the kept copy, which stays until on_loaded() or leave().
  void enter(std::uint32_t server, ModuleId module, WorkerId worker, bool from_copy);
  /// Its parameters are in memory.
  void on_loaded(std::uint32_t server, ModuleId module, WorkerId worker);
  /// It is gone; true if its parameters were in memory, which can be kept until the next enter().
  bool leave(std::uint32_t server, ModuleId module, WorkerId worker);
  /// Keeps a copy, if there is none. `has_left`: of an instance that has just left.
  void keep(std::uint32_t server, ModuleId module, bool has_left);
  void drop(std::uint32_t server, ModuleId module);
  /// The server has lost its memory: nothing is kept there.
  void lose(std::uint32_t server);

 private:
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;
  struct Instance {
    WorkerId worker = kNone;
    bool is_loaded = false;
    bool from_copy = false;  ///< until it is loaded
  };
  struct Entry {
    std::vector<Instance> instances;
    bool is_kept = false;
    WorkerId sharer = kNone;  ///< whose pages the copy shares; kNone: it has its own
    int starting = 0;         ///< instances that start from the copy
  };

  const Entry& entry(std::uint32_t server, ModuleId module) const {
    return entries_[server * bytes_.size() + module];
  }
  Entry& entry(std::uint32_t server, ModuleId module) { return entries_[server * bytes_.size() + module]; }
  /// After each change: the sum is that of its parts, and fits.
  void check(std::uint32_t server) const;

  std::int64_t capacity_;
  std::vector<std::int64_t> bytes_;  ///< by module
  std::vector<std::int64_t> used_;   ///< by server
  std::vector<Entry> entries_;       ///< by server and module
};

}  // namespace harness
