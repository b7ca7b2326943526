#include "systems/quart/cpu_compensator.h"

#include <vector>

namespace harness {

CpuCompensator::CpuCompensator(const Profile& profile, int batch, int most)
    : batch_(batch), measured_(profile.cores), most_(profile.cpu_ns > 0 ? most : 0) {
  if (!has_effect()) return;
  std::vector<double> exec_s;
  for (int cores = 1; cores <= most_; ++cores)
    exec_s.push_back(ns_to_s(latency_with_cores(profile, batch, cores)));
  model_ = fitted_core_model(exec_s);
}

double CpuCompensator::delay_with_s(DelayMethod method, const StageLoad& load, int replicas,
                                    int cores) const {
  StageLoad with = load;
  with.exec_s = model_.exec_s(cores);
  with.replica_rps = batch_ / with.exec_s;
  return steady_delay_s(method, with, replicas);
}

CoreChoice CpuCompensator::allocate(DelayMethod method, const StageLoad& load, int replicas, int cores,
                                    double target_s) const {
  if (steady_delay_s(method, load, replicas) <= target_s) {
    const bool can_go = cores > measured_ && delay_with_s(method, load, replicas, measured_) <= target_s;
    return {can_go ? measured_ : cores};
  }
  for (int more = cores + 1; more <= most_; ++more) {
    if (delay_with_s(method, load, replicas, more) <= target_s) return {more};
  }
  return {most_, false};
}

}  // namespace harness
