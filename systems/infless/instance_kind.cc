#include "systems/infless/instance_kind.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/core/check.h"

namespace harness {
namespace {

constexpr double kUnitsPerCore = 64;
constexpr double kUnitsPerGpu = 100 * 142;

/// Rounds down, but counts no rate as less than the whole number that it was meant to be.
double whole_rps(double rps) { return std::floor(rps + 1e-9); }

int most_cores(int batch, const InstanceLimits& limits) {
  return limits.cores_by_batch ? std::min(std::max(2, batch), limits.slot_cores) : limits.slot_cores;
}

void add_if_feasible(const Profile& profile, TimeNs slo_ns, int batch, int cores,
                     std::vector<InstanceKind>& kinds) {
  const TimeNs exec_ns = latency_with_cores(profile, batch, cores);
  if (batch == 1 ? exec_ns > slo_ns : exec_ns > slo_ns / 2) return;
  const double fastest_rps = batch / ns_to_s(exec_ns);
  const double up_rps = fastest_rps < 1 ? fastest_rps : whole_rps(fastest_rps);
  const double low_rps = batch == 1 ? 1 : whole_rps(batch / ns_to_s(slo_ns - exec_ns));
  kinds.push_back({batch, cores, exec_ns, up_rps, std::min(low_rps, up_rps)});
}

/// Returns the share of the slot that is left unused, plus 0.1 % as in the authors' code, so that it is never
/// 0.
double left_unused(const InstanceKind& kind, int gpus, int slot_cores) {
  const double slot = kUnitsPerGpu * gpus + kUnitsPerCore * slot_cores;
  return 1.001 - (kUnitsPerGpu * gpus + kUnitsPerCore * kind.cores) / slot;
}

}  // namespace

std::vector<InstanceKind> feasible_kinds(const Profile& profile, TimeNs slo_ns,
                                         const InstanceLimits& limits) {
  std::vector<InstanceKind> kinds;
  const auto largest = static_cast<unsigned>(profile.max_batch());
  for (unsigned size = std::bit_floor(largest); size > 0; size /= 2) {
    const int batch = static_cast<int>(size);
    if (profile.cpu_ns == 0 || limits.slot_cores == 0) {
      add_if_feasible(profile, slo_ns, batch, 0, kinds);
      continue;
    }
    const int most = most_cores(batch, limits);
    for (int cores = most > 1 ? most - most % 2 : most; cores > 0; cores -= 2)
      add_if_feasible(profile, slo_ns, batch, cores, kinds);
  }
  return kinds;
}

const InstanceKind& choose_kind(const std::vector<InstanceKind>& kinds, double rate_rps, int gpus,
                                int slot_cores) {
  const InstanceKind* best = nullptr;
  double best_value = 0;
  for (const InstanceKind& kind : kinds) {
    if (best != nullptr && kind.batch < best->batch) break;
    if (kind.batch > 1 && kind.low_rps > rate_rps) continue;
    const double value = kind.up_rps / left_unused(kind, gpus, slot_cores);
    if (best != nullptr && value <= best_value) continue;
    best = &kind;
    best_value = value;
  }
  HARNESS_CHECK(!kinds.empty(), "a function has no kind of instance");
  return best == nullptr ? kinds.back() : *best;
}

int instances_for(const InstanceKind& kind, double rate_rps) {
  constexpr double kMax = 1e9;
  return static_cast<int>(std::clamp(std::ceil(rate_rps / kind.up_rps - 1e-9), 1.0, kMax));
}

bool is_well_used(const InstanceKind& kind, int instances, double rate_rps, double alpha) {
  const double least_rps = kind.low_rps + alpha * (kind.up_rps - kind.low_rps);
  return instances_for(kind, rate_rps) <= instances && rate_rps >= instances * least_rps - 1e-9;
}

int dealt_instances(const InstanceKind& kind, int instances, double rate_rps, double alpha) {
  const int needed = instances_for(kind, rate_rps);
  if (needed >= instances || rate_rps <= 0) return needed;
  // As many as stay well used have the rate. If no number does, the authors' code asks for half of alpha, a
  // quarter, 0.
  for (const double part : {1.0, 0.5, 0.25, 0.0}) {
    const double least_rps = kind.low_rps + part * alpha * (kind.up_rps - kind.low_rps);
    const int most = part < 1 ? instances - 1 : instances;
    const int some = rate_rps < most * least_rps ? static_cast<int>(rate_rps / least_rps + 1e-9) : most;
    if (some >= needed) return some;
  }
  return needed;
}

}  // namespace harness
