// The kinds of instances that a function can have, and the number of them that a rate needs (INFless,
// ASPLOS'22, by its public code).
#pragma once

#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// The kind of an instance: it has whole GPUs (Profile::gpus), a number of cores, and a queue that it serves
/// in batches of at most `batch`.
struct InstanceKind {
  int batch = 1;
  int cores = 0;       ///< number of cores; 0: the profile's
  TimeNs exec_ns = 0;  ///< t: execution time of a full batch
  double up_rps = 0;   ///< r_up: the most requests/s that it can serve
  double low_rps = 0;  ///< r_low: requests/s below which batches do not fill before they must start

  bool operator==(const InstanceKind&) const = default;
};

/// The limits of what an instance may take of a server.
struct InstanceLimits {
  int slot_cores = 0;          ///< cores that belong to the GPUs of an instance; 0: cores are not planned
  bool cores_by_batch = true;  ///< true: at most one core for each request of a batch, but at least two
};

/// Returns the kinds with which every request of a function can end within `slo_ns`: a full batch takes t <=
/// SLO / 2, one request alone t <= SLO. Batches are powers of two and cores are even numbers (or one, if
/// there is only one), the largest first. r_up = floor(batch / t), or batch / t if that is below 1; r_low =
/// floor(batch / (SLO - t)), but 1 for a batch of one, and never above r_up. Empty if no kind can.
std::vector<InstanceKind> feasible_kinds(const Profile& profile, TimeNs slo_ns, const InstanceLimits& limits);

/// Returns the kind of an instance that is added for that rate. Its batch is the largest one whose r_low the
/// rate reaches, or one. Among the kinds with this batch it is the one with the largest r_up / (share of its
/// slot left unused), in which a core counts 64 and a GPU 14,200; the first among equals. `kinds` are as
/// feasible_kinds() makes them, and not empty.
const InstanceKind& choose_kind(const std::vector<InstanceKind>& kinds, double rate_rps, int gpus,
                                int slot_cores);

/// Returns the fewest instances that can serve the rate; at least 1.
int instances_for(const InstanceKind& kind, double rate_rps);

/// True if that many instances can serve the rate and it is at least R_low + alpha (R_up - R_low), with R_low
/// and R_up the sums over them.
bool is_well_used(const InstanceKind& kind, int instances, double rate_rps, double alpha);

/// Returns how many of `instances` the rate is dealt to from now on: all if they are well used, fewer if they
/// are not, more if they are too few. At least 1.
int dealt_instances(const InstanceKind& kind, int instances, double rate_rps, double alpha);

}  // namespace harness
