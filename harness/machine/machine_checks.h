// Checks of a machine for `harness doctor`: clock source, processor frequency, cores, limits. They change
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/archive.h"

namespace harness {

/// The level of a finding. kFail: a live run will not work or its times will be wrong. kWarn: it works, but
/// its times scatter more.
enum class CheckLevel : std::uint8_t { kOk, kWarn, kFail };

/// One finding.
struct Check {
  CheckLevel level = CheckLevel::kOk;
  std::string subject;  ///< subject of the check: "clock source"
  std::string found;
  std::string advice;  ///< advice to the user; empty if nothing is to be done
};

/// Returns a line such as "warn  cores: 9 ranks on 2 cores; fewer ranks a host".
std::string text_of(const Check& check);

/// The files of the kernel below a folder, which is "/" outside of tests. For a file that is missing or
/// cannot be read the result is nothing; it is never an error.
class MachineFiles {
 public:
  explicit MachineFiles(std::string root = "/") : root_(std::move(root)) {}
  /// Returns the file's text without white space at its end.
  std::optional<std::string> read(const std::string& path) const;
  /// Returns the whole number that is the file's only content.
  std::optional<std::int64_t> read_number(const std::string& path) const;
  bool exists(const std::string& path) const;
  std::string path(const std::string& path) const { return root_ + "/" + path; }

 private:
  std::string root_;
};

/// Returns the cores in a list such as "0-3,8", each once, in order; empty if it is no such list.
std::vector<int> cores_in_list(std::string_view list);

/// The cores that a process may use.
struct UsableCores {
  std::vector<int> allowed;     ///< cores of its affinity; empty: not visible
  std::optional<double> quota;  ///< processor time that its control group may take, in cores
};

template <class Way>
void code(Archive<Way>& archive, UsableCores& cores) {
  archive.list(cores.allowed);
  double quota = cores.quota.value_or(0);
  archive.value(quota);
  if (quota > 0) cores.quota = quota;
}

UsableCores usable_cores(const MachineFiles& files);

/// Returns how many more bytes the processes here may allocate: the least of the memory that is free or can
/// be freed, and of the memory that each control group still allows. Returns nothing if that is not visible.
std::optional<double> available_memory(const MachineFiles& files);
/// Returns the number of bytes of this process that are in memory; 0 if that is not visible. Takes a few
/// microseconds.
double resident_memory();

/// Checks that `ranks` ranks of a host have a core each among the cores that they may use, within the quota.
Check check_cores(const UsableCores& cores, int ranks);

// Each of these warns "not visible" if the kernel does not tell the fact, as in containers.

/// Checks that reading the clock source is fast.
Check check_clock_source(const MachineFiles& files);
/// Checks the governor of all processors; the finding also says whether turbo is on.
Check check_frequency(const MachineFiles& files);
/// Checks that nothing else runs here, by the load average of the last minute.
Check check_load(const MachineFiles& files);
/// Checks share_stolen() of a short time (cpu_facts.h): of the time in which the processors had work, the
/// share that a hypervisor gave to other virtual machines. If `share` is empty, it is not visible.
Check check_stolen_time(std::optional<double> share);
/// Checks that one process can open as many files as a job of `ranks` ranks needs.
Check check_open_files(const MachineFiles& files, int ranks);
/// Checks the limit of locked memory, which matters for InfiniBand.
Check check_locked_memory(const MachineFiles& files);
/// Checks that /dev/shm has room for Open MPI's shared memory of `ranks` ranks on this host.
Check check_shared_memory(const MachineFiles& files, int ranks);

}  // namespace harness
