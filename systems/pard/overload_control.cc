#include "systems/pard/overload_control.h"

#include <algorithm>

namespace harness {

OverloadControl::OverloadControl(const Pipeline& pipeline, ModuleId module, const PardParams& params)
    : rule_(params.admission),
      threshold_ns_(params.overload_threshold_ms * static_cast<double>(kNsPerMs)),
      alpha_(params.overload_alpha),
      recovery_(params.overload_recovery),
      admitted_(params.overload_admitted),
      module_(module),
      counts_(modules_after(pipeline, module)),
      levels_(pipeline.modules.size(), 1.0) {
  counts_[module] = true;
}

void OverloadControl::on_period(double queueing_mean_ns) {
  if (rule_ == AdmissionRule::kOpen) return;
  double& level = levels_[module_];
  const bool overloaded = queueing_mean_ns > threshold_ns_;
  if (rule_ == AdmissionRule::kFixed) {
    level = overloaded ? admitted_ : 1;
  } else {
    level = overloaded ? level * (1 - alpha_) : std::min(1.0, level + recovery_);
  }
}

bool OverloadControl::on_level(ModuleId module, double level) {
  if (rule_ == AdmissionRule::kOpen || !counts_[module]) return false;
  const double before = admitted();
  levels_[module] = level;
  return admitted() != before;
}

double OverloadControl::admitted() const {
  double least = 1;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (counts_[i]) least = std::min(least, levels_[i]);
  }
  return least;
}

}  // namespace harness
