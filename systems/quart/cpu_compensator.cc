#include "systems/quart/cpu_compensator.h"

namespace harness {

CoreModel fitted_core_model(const std::vector<double>& exec_s) {
  const auto count = static_cast<double>(exec_s.size());
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < exec_s.size(); ++i) {
    mean_x += 1 / static_cast<double>(i + 1) / count;
    mean_y += exec_s[i] / count;
  }
  double xy = 0;
  double xx = 0;
  for (std::size_t i = 0; i < exec_s.size(); ++i) {
    const double x = 1 / static_cast<double>(i + 1) - mean_x;
    xy += x * (exec_s[i] - mean_y);
    xx += x * x;
  }
  const double slope = xy / xx;
  return {mean_y - slope * mean_x, slope};
}

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
