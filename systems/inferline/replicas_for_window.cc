#include "systems/inferline/replicas_for_window.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systems/inferline/estimator.h"

namespace harness {
namespace {

/// A search for the replicas of one window.
class WindowSearch {
 public:
  WindowSearch(const Pipeline& pipeline, const Hardware& hardware, const Configuration& planned,
               const QueryWindow& window, TimeNs slo_ns)
      : hardware_(hardware),
        slo_ns_(slo_ns),
        estimator_(pipeline, hardware, from_zero(window.sent_ns), window.seed, PathDraws::kRoute,
                   window.first),
        configuration_(planned) {
    const auto queries = static_cast<double>(window.sent_ns.size());
    for (ModuleId m = 0; m < planned.size(); ++m) {
      visits_.push_back(static_cast<int>(std::lround(queries * estimator_.scale_factor(m))));
      // With that many replicas no visit waits for another.
      configuration_[m].replicas = std::max(1, visits_[m]);
    }
    most_late_ = std::max(window.sent_ns.size() / 100, late());
    for (ModuleId m = 0; m < planned.size(); ++m) {
      least_.push_back(replicas_to_keep_up(m, ns_to_s(window.length_ns)));
      configuration_[m].replicas = least_[m];
    }
  }

  std::vector<int> found() {
    while (!is_feasible()) ++configuration_[bottleneck()].replicas;
    while (take_dearest()) {
    }
    std::vector<int> replicas;
    for (const ModelConfiguration& model : configuration_) replicas.push_back(model.replicas);
    return replicas;
  }

 private:
  static std::vector<TimeNs> from_zero(std::span<const TimeNs> sent_ns) {
    std::vector<TimeNs> times;
    times.reserve(sent_ns.size());
    for (const TimeNs sent : sent_ns) times.push_back(sent - sent_ns.front());
    return times;
  }

  std::size_t late() {
    const std::span<const TimeNs> latencies = estimator_.latencies(configuration_);
    return static_cast<std::size_t>(
        std::ranges::count_if(latencies, [&](TimeNs latency) { return latency > slo_ns_; }));
  }
  bool is_feasible() {
    // In the usual case the simulation stops as soon as the verdict is clear.
    if (most_late_ == estimator_.queries() / 100) return estimator_.meets(configuration_, slo_ns_);
    return late() <= most_late_;
  }
  int replicas_to_keep_up(ModuleId module, double seconds) const {
    double best_rps = 0;
    const Profile& profile = hardware_.profile(module, configuration_[module]);
    for (int batch = 1; batch <= configuration_[module].max_batch; ++batch)
      best_rps = std::max(best_rps, worker_rps(profile, batch));
    return ceil_of(visits_[module] / (best_rps * seconds));
  }
  /// Returns the most utilised model among the models to which another replica may make a difference.
  ModuleId bottleneck() const {
    ModuleId most = 0;
    double most_utilised = 0;
    for (ModuleId m = 0; m < configuration_.size(); ++m) {
      const ModelConfiguration& model = configuration_[m];
      const double utilised = visits_[m] / (model.replicas * hardware_.replica_rps(m, model));
      if (model.replicas >= visits_[m] || utilised <= most_utilised) continue;
      most = m;
      most_utilised = utilised;
    }
    return most;
  }
  /// Removes the dearest replica that can go; false if no replica can.
  bool take_dearest() {
    std::vector<ModuleId> by_price(configuration_.size());
    std::iota(by_price.begin(), by_price.end(), ModuleId{0});
    std::ranges::stable_sort(by_price, std::ranges::greater(), [&](ModuleId m) {
      return hardware_.replica_price(m, configuration_[m].device);
    });
    for (const ModuleId m : by_price) {
      if (configuration_[m].replicas <= least_[m]) continue;
      --configuration_[m].replicas;
      if (is_feasible()) return true;
      ++configuration_[m].replicas;
    }
    return false;
  }

  const Hardware& hardware_;
  TimeNs slo_ns_;
  Estimator estimator_;
  Configuration configuration_;
  std::vector<int> visits_;  ///< number of visits at each module
  std::vector<int> least_;   ///< replicas with which each module keeps up
  std::size_t most_late_ = 0;
};

}  // namespace

std::vector<int> replicas_for_window(const Pipeline& pipeline, const Hardware& hardware,
                                     const Configuration& planned, const QueryWindow& window, TimeNs slo_ns) {
  if (window.sent_ns.empty()) return std::vector<int>(planned.size(), 1);
  return WindowSearch(pipeline, hardware, planned, window, slo_ns).found();
}

}  // namespace harness
