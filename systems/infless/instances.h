// What an instance of a function can be, and how many of them a rate needs (INFless, ASPLOS'22, by its public
// code).
#pragma once

#include <vector>

#include "harness/core/profile.h"

namespace harness {

/// What an instance has: whole GPUs (Profile::gpus), so many cores, and a queue that it serves in batches of
/// at most `batch`.
struct InstanceKind {
  int batch = 1;
  int cores = 0;       ///< 0: as the profile was measured
  TimeNs exec_ns = 0;  ///< t, of a full batch
  double up_rps = 0;   ///< r_up: more than this it cannot serve
  double low_rps = 0;  ///< r_low: below this batches do not fill before they must start

  bool operator==(const InstanceKind&) const = default;
};

/// What an instance may take of a server.
struct InstanceLimits {
  int slot_cores = 0;          ///< that belong to the GPUs of an instance; 0: none are planned
  bool cores_by_batch = true;  ///< at most one core for each request of a batch, and at least two
};

/// Those with which every request of a function can end within `slo_ns`: a full batch takes t <= SLO / 2, one
/// request alone t <= SLO. Batches are powers of two, largest first, then 1; cores even numbers. r_up =
/// floor(batch / t), or batch / t where that is below 1; r_low = floor(batch / (SLO - t)), for a batch of one
/// 1, never above r_up. Empty: none can.
std::vector<InstanceKind> feasible_kinds(const Profile& profile, TimeNs slo_ns, const InstanceLimits& limits);

/// The kind of an instance that is added for that rate: of the largest batch whose r_low the rate reaches,
/// else of one, that with the largest r_up / (share of its slot left unused); a core counts 64, a GPU 14,200.
/// Of equals the first. `kinds` as made above, not empty.
const InstanceKind& choose_kind(const std::vector<InstanceKind>& kinds, double rate_rps, int gpus,
                                int slot_cores);

/// Fewest instances that can serve the rate; at least 1.
int instances_for(const InstanceKind& kind, double rate_rps);

/// Whether that many can, and their rate is at least R_low + alpha (R_up - R_low).
bool is_well_used(const InstanceKind& kind, int instances, double rate_rps, double alpha);

/// Of `instances`, those that the rate is dealt to from now on: all where they are well used; fewer where
/// they are not; more where they do not suffice. At least 1.
int dealt_instances(const InstanceKind& kind, int instances, double rate_rps, double alpha);

}  // namespace harness
