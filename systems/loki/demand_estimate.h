// The demand that Loki plans for (section 4.2): a moving average of recent rates, and the rule for when it
// has changed.
#pragma once

namespace harness {

/// An exponentially weighted moving average: for rates r_0 (the newest), r_1, ... the sum of (1 - alpha)^i
/// r_i over the sum of (1 - alpha)^i, so that the first rates weigh no more than they should.
///
/// Reconstructed: the value of alpha, and rates of equal periods.
class DemandEstimate {
 public:
  explicit DemandEstimate(double alpha) : keep_(1 - alpha) {}

  /// Adds the newest period's rate.
  void add(double rate_rps) {
    sum_ = keep_ * sum_ + rate_rps;
    weight_ = keep_ * weight_ + 1;
  }
  /// Returns the average; 0 before the first period.
  double rate_rps() const { return weight_ > 0 ? sum_ / weight_ : 0; }
  bool has_rates() const { return weight_ > 0; }

 private:
  double keep_;
  double sum_ = 0;
  double weight_ = 0;
};

/// True if a demand differs from the planned one by more than the share `change` of that.
///
/// Reconstructed: "a significant change in the demand" (section 4.2), up or down.
inline bool changed_significantly(double demand_rps, double planned_rps, double change) {
  return demand_rps > planned_rps * (1 + change) || demand_rps < planned_rps * (1 - change);
}

}  // namespace harness
