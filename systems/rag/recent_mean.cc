#include "systems/rag/recent_mean.h"

namespace harness {

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
