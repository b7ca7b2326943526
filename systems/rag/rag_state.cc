#include "systems/rag/rag_state.h"

#include "harness/core/error.h"

namespace harness {

RagReport RagReport::of(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize, "a report is not rag's");
  return {values[0], values[1], values[2], values[3], values[4]};
}

RagState RagState::of(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize, "a published state is not rag's");
  return {{values[0], values[1], values[2]}, values[3]};
}

RagMeasured assumed(const Profile& profile) {
  RagMeasured measured;
  const bool prefill_alone = profile.service == Service::kShared && profile.shared.ends_at_first_token;
  if (!prefill_alone) measured.exec_ns = static_cast<double>(profile.latency(1));
  return measured;
}

double downstream_ns(const ServingContext& context, ModuleId module, const Plan& plan,
                     const std::vector<RagMeasured>& measured, double lambda) {
  std::vector<double> cost;
  for (std::size_t m = 0; m < measured.size(); ++m) {
    const bool is_batch = context.profiles[m]->service == Service::kBatch;
    const double batch_ns = (1 + lambda) * static_cast<double>(plan.modules[m].exec_ns);
    cost.push_back(measured[m].queueing_ns + (is_batch ? batch_ns : measured[m].exec_ns));
  }
  return longest_after(*context.pipeline, cost)[module];
}

void RecentMean::add(double sum, double count) {
  recent_.push_back({sum, count});
  if (recent_.size() > periods_) recent_.pop_front();
}

double RecentMean::mean_or(double otherwise) const {
  double sum = 0;
  double count = 0;
  double weight = static_cast<double>(periods_ - recent_.size());
  for (const Period& period : recent_) {
    weight += 1;
    sum += weight * period.sum;
    count += weight * period.count;
  }
  return count > 0 ? sum / count : otherwise;
}

}  // namespace harness
