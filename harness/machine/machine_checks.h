// What `harness doctor` reads about a machine: clock source, processor frequency, cores, limits. Reads only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/archive.h"

namespace harness {

/// kFail: a live run will not work or its times will be wrong. kWarn: it works, and its times scatter more.
enum class CheckLevel : std::uint8_t { kOk, kWarn, kFail };

/// One finding.
struct Check {
  CheckLevel level = CheckLevel::kOk;
  std::string subject;  ///< what was looked at: "clock source"
  std::string found;
  std::string advice;  ///< what to do; empty when nothing is to be done
};

/// "warn  cores: 9 ranks on 2 cores; fewer ranks a host".
std::string text_of(const Check& check);

/// The files that the kernel shows, below a folder: "/" outside of tests. What is missing or cannot be read
/// is nothing, never an error.
class MachineFiles {
 public:
  explicit MachineFiles(std::string root = "/") : root_(std::move(root)) {}
  /// The file's text without white space at its end.
  std::optional<std::string> read(const std::string& path) const;
  /// A whole number that is all of the file.
  std::optional<std::int64_t> read_number(const std::string& path) const;
  bool exists(const std::string& path) const;
  std::string path(const std::string& path) const { return root_ + "/" + path; }

 private:
  std::string root_;
};

/// The cores that a list such as "0-3,8" names, each once, in order; empty when it is no such list.
std::vector<int> cores_in_list(std::string_view list);

/// What a process may use.
struct UsableCores {
  std::vector<int> allowed;     ///< by its affinity; empty: not visible
  std::optional<double> quota;  ///< cores' worth of time that its control group may take
};

template <class Way>
void code(Archive<Way>& archive, UsableCores& cores) {
  archive.list(cores.allowed);
  double quota = cores.quota.value_or(0);
  archive.value(quota);
  if (quota > 0) cores.quota = quota;
}

UsableCores usable_cores(const MachineFiles& files);

/// Bytes that the processes here may take beyond what they have: what is free or can be freed, and what the
/// control groups leave. Nothing where that is not visible.
std::optional<double> available_memory(const MachineFiles& files);
/// Bytes of this process that are in memory; 0 where that is not visible. A few microseconds.
double resident_memory();

/// Whether `ranks` ranks of a host find a core each among those that any of them may use, within the quota.
Check check_cores(const UsableCores& cores, int ranks);

/// Each of these says "not visible" with a warning where the kernel does not tell, as in containers.
Check check_clock_source(const MachineFiles& files);
/// Governor and turbo of all processors.
Check check_frequency(const MachineFiles& files);
/// What else runs here, by the load average of the last minute.
Check check_load(const MachineFiles& files);
/// `share`: of the time that the processors had work, what a hypervisor gave to other virtual machines;
/// nothing where that is not visible.
Check check_stolen_time(std::optional<double> share);
/// Whether one process can open what a job of `ranks` ranks needs.
Check check_open_files(const MachineFiles& files, int ranks);
Check check_locked_memory(const MachineFiles& files);
/// Whether `ranks` ranks on this host find room for Open MPI's shared memory.
Check check_shared_memory(const MachineFiles& files, int ranks);

}  // namespace harness
