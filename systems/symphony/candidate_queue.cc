#include "systems/symphony/candidate_queue.h"

#include <optional>

namespace harness {

void CandidateQueue::insert(const WaitingVisit& visit) {
  // A request due before one that fits into no batch of all its followers fits into none of its own either.
  if (prefix_ > 0 && visit.deadline_ns < deadline(prefix_ - 1)) ++prefix_;
  queue_.insert(visit);
}

void CandidateQueue::erase(const WaitingVisit& visit) {
  queue_.erase(visit);
  prefix_ = 0;  // earlier requests may fit into a batch now
}

void CandidateQueue::take() {
  const auto taken = static_cast<std::size_t>(candidate_.size);
  queue_.erase(0, taken);
  prefix_ -= std::min(prefix_, taken);
  candidate_ = {};
}

int CandidateQueue::target(TimeNs now) {
  if (params_.drop == SymphonyDrop::kTimeout) return 1;
  const std::optional<double> rate_rps = rate_.rate_rps(now);
  if (target_interval_ != rate_.interval()) {
    target_ = target_batch(latency_, slo_ns_, rate_rps);
    target_interval_ = rate_.interval();
  }
  return target_;
}

void CandidateQueue::set_candidate(TimeNs now) {
  candidate_ = {};
  if (queue_.empty()) return;
  const TimeNs due_ns = queue_.front().deadline_ns;
  const int size = std::min(latency_.largest_within(due_ns - now), static_cast<int>(queue_.size()));
  const TimeNs latest_ns = due_ns - latency_.of(size);
  TimeNs start_ns = now;
  if (params_.schedulable == SymphonySchedulable::kFrontrun) start_ns = due_ns - latency_.of(size + 1);
  if (params_.schedulable == SymphonySchedulable::kLatest) start_ns = latest_ns;
  candidate_ = {size, std::max(now, start_ns), latest_ns};
}

}  // namespace harness
