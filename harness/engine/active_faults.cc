#include "harness/engine/active_faults.h"

#include <algorithm>

namespace harness {

ActiveFaults::ActiveFaults(std::span<const Fault> faults)
    : faults_(faults.begin(), faults.end()), active_(faults.size(), false) {
  std::size_t gpus = 0;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    changes_.push_back({faults_[i].at_ns, i, true});
    changes_.push_back({faults_[i].at_ns + faults_[i].for_ns, i, false});
    gpus = std::max(gpus, static_cast<std::size_t>(faults_[i].first_gpu + faults_[i].gpus));
  }
  std::stable_sort(changes_.begin(), changes_.end(), [](const FaultChange& a, const FaultChange& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.begins && !b.begins;
  });
  gpus_.resize(gpus);
}

const Fault& ActiveFaults::apply(const FaultChange& change) {
  active_[change.fault] = change.begins;
  refresh(change.at_ns);
  return faults_[change.fault];
}

void ActiveFaults::refresh(TimeNs now) {
  for (Gpu& gpu : gpus_) {
    gpu.factor = 1;
    gpu.delay_ns = 0;
    gpu.loses = false;
  }
  slows_ = false;
  bool links = false;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (!active_[i]) continue;
    slows_ = slows_ || fault.kind == FaultKind::kSlow;
    links = links || fault.kind == FaultKind::kDelay || fault.kind == FaultKind::kLoss;
    for (int place = fault.first_gpu; place < fault.first_gpu + fault.gpus; ++place) {
      Gpu& gpu = gpus_[static_cast<std::size_t>(place)];
      if (fault.kind == FaultKind::kSlow) gpu.factor *= fault.factor;
      if (fault.kind == FaultKind::kDelay) gpu.delay_ns += fault.delay_ns;
      if (fault.kind == FaultKind::kLoss) gpu.loses = true;
    }
  }
  links_until_ns_ = links ? kNever : -1;
  if (links) return;
  for (const Gpu& gpu : gpus_) {
    for (const TimeNs last : gpu.last_ns) {
      if (last >= now) links_until_ns_ = std::max(links_until_ns_, last);
    }
  }
}

std::optional<TimeNs> ActiveFaults::held_until(TimeNs now, std::uint32_t place, LinkDirection direction) {
  if (place >= gpus_.size()) return std::nullopt;
  Gpu& gpu = gpus_[place];
  if (gpu.loses) return kNever;
  TimeNs& last = gpu.last_ns[static_cast<std::size_t>(direction)];
  if (gpu.delay_ns == 0 && now > last) return std::nullopt;
  last = std::max(last, now + gpu.delay_ns);
  return last;
}

}  // namespace harness
