// Checks of a machine for `harness doctor`: clock source, processor frequency, cores, limits. They change
// nothing. A check warns "not visible" if the kernel does not tell the fact, as in containers.
#pragma once

#include <optional>

#include "harness/machine/check.h"
#include "harness/machine/machine_files.h"
#include "harness/machine/usable_cores.h"

namespace harness {

/// Checks that `ranks` ranks of a host have a core each among the cores that they may use, within the quota.
Check check_cores(const UsableCores& cores, int ranks);

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
