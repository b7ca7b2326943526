// The accounts of the servers' host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The parameters in the host memory of each server: the instances' own, and copies that are kept. On each
/// server their sum is at most the capacity.
///
/// An instance has parameters of its own from the start of its start-up until it has left, also if it is
/// forked from a kept copy (QUART, section 6.1: "a duplicate set of parameters is created"). A copy that is
/// kept beside an instance is a fork of it that shares its pages (copy-on-write, ibidem) and takes no memory
/// while that instance is there; when the instance has left, the copy has the pages alone. At most one copy
/// of a module is kept on a server.
///
/// The caller decides; a decision that the accounts do not allow is illegal. Sizes are whole bytes, so that
/// sums are exact. Single-threaded.
class HostMemory {
 public:
  /// `capacity_mb` is the memory of each server; 0: no limit. `module_mb` has the memory that an instance of
  /// each module takes.
  HostMemory(std::uint32_t servers, double capacity_mb, const std::vector<double>& module_mb);

  bool is_limited() const { return capacity_ != kUnlimited; }
  /// Returns the free memory of the server; infinite without a limit.
  double free_mb(std::uint32_t server) const;
  /// Returns the memory that an instance of the module lacks there; 0: it fits.
  double missing_mb(std::uint32_t server, ModuleId module) const;
  /// True if an instance of the module would fit after all copies that can be dropped had been dropped.
  bool could_fit(std::uint32_t server, ModuleId module) const;
  bool is_kept(std::uint32_t server, ModuleId module) const { return entry(server, module).is_kept; }
  bool is_shared(std::uint32_t server, ModuleId module) const {
    return entry(server, module).sharer != kNone;
  }
  bool is_source(std::uint32_t server, ModuleId module) const { return entry(server, module).starting > 0; }

  /// Starts an instance there. If `from_copy` is true it reads the kept copy, which stays until on_loaded()
  /// or leave().
  void enter(std::uint32_t server, ModuleId module, WorkerId worker, bool from_copy);
  /// Notes that the parameters of the instance are in memory.
  void on_loaded(std::uint32_t server, ModuleId module, WorkerId worker);
  /// Removes the instance; returns true if its parameters were in memory: they can be kept until the next
  /// enter().
  bool leave(std::uint32_t server, ModuleId module, WorkerId worker);
  /// Keeps a copy, unless one is kept already. `has_left` says that an instance has just left whose
  /// parameters can be kept.
  void keep(std::uint32_t server, ModuleId module, bool has_left);
  void drop(std::uint32_t server, ModuleId module);
  /// Drops all copies of a server that has lost its memory.
  void lose(std::uint32_t server);

 private:
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;
  struct Instance {
    WorkerId worker = kNone;
    bool is_loaded = false;
    bool from_copy = false;  ///< true if it reads the kept copy, until it is loaded
  };
  struct Entry {
    std::vector<Instance> instances;
    bool is_kept = false;
    WorkerId sharer = kNone;  ///< worker whose pages the copy shares; kNone: it has its own
    int starting = 0;         ///< number of instances that start from the copy
  };

  const Entry& entry(std::uint32_t server, ModuleId module) const {
    return entries_[server * bytes_.size() + module];
  }
  Entry& entry(std::uint32_t server, ModuleId module) { return entries_[server * bytes_.size() + module]; }
  /// Checks, after each change, that the used memory is the sum of its parts, and fits.
  void check(std::uint32_t server) const;

  std::int64_t capacity_;
  std::vector<std::int64_t> bytes_;  ///< size of each module's parameters
  std::vector<std::int64_t> used_;   ///< used bytes of each server
  std::vector<Entry> entries_;       ///< entries by server and module
};

}  // namespace harness
