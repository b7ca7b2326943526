#include "systems/inferline/coarse_plan.h"

#include <algorithm>
#include <cmath>

#include "systems/inferline/greedy_planner.h"

namespace harness {
namespace {

Configuration unit_of(Configuration configuration) {
  for (ModelConfiguration& model : configuration) model.replicas = 1;
  return configuration;
}

}  // namespace

Configuration coarse_plan(const Pipeline& pipeline, const Hardware& hardware, const Estimator& estimator,
                          TimeNs slo_ns, double rate_rps) {
  Configuration configuration = fastest_configuration(pipeline, hardware, slo_ns);
  for (int batch = 2; batch <= Estimator::kMaxBatch; ++batch) {
    Configuration larger = configuration;
    bool grows = false;
    for (ModuleId m = 0; m < larger.size(); ++m) {
      larger[m].max_batch = std::min(batch, hardware.profile(m, larger[m]).max_batch());
      grows = grows || larger[m].max_batch == batch;
    }
    if (!grows || hardware.service_ns(larger) > slo_ns) break;
    configuration = larger;
  }
  const int units = ceil_of(rate_rps / unit_rps(hardware, estimator, configuration));
  for (ModelConfiguration& model : configuration) model.replicas = units;
  return configuration;
}

double throughput_rps(const Hardware& hardware, const Estimator& estimator,
                      const Configuration& configuration) {
  double least = INFINITY;
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    const ModelConfiguration& model = configuration[m];
    const double share = estimator.scale_factor(m);
    if (share > 0) least = std::min(least, model.replicas * hardware.replica_rps(m, model) / share);
  }
  return least;
}

double unit_rps(const Hardware& hardware, const Estimator& estimator, const Configuration& configuration) {
  return throughput_rps(hardware, estimator, unit_of(configuration));
}

std::vector<TimeNs> stretched(std::span<const TimeNs> sample, double factor) {
  std::vector<TimeNs> times;
  times.reserve(sample.size());
  for (const TimeNs sent : sample) times.push_back(static_cast<TimeNs>(static_cast<double>(sent) * factor));
  return times;
}

double unit_rate_within_slo_rps(const Pipeline& pipeline, const Hardware& hardware,
                                std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                                const Configuration& configuration, TimeNs slo_ns, PathDraws draws) {
  constexpr int kHalvings = 10;
  const Configuration unit = unit_of(configuration);
  const double sample_rps = static_cast<double>(sample.size()) / ns_to_s(sample_ns);
  const auto is_carried = [&](double rate_rps) {
    Estimator estimator(pipeline, hardware, stretched(sample, sample_rps / rate_rps), seed, draws);
    return estimator.meets(unit, slo_ns);
  };
  double low = 0;
  double high = 0;
  {
    const Estimator estimator(pipeline, hardware, {sample.begin(), sample.end()}, seed, draws);
    high = unit_rps(hardware, estimator, unit);
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (is_carried(middle) ? low : high) = middle;
  }
  return high;
}

double peak_rate_rps(std::span<const TimeNs> sent_ns, TimeNs window_ns) {
  std::size_t most = 0;
  std::size_t first = 0;
  for (std::size_t last = 0; last < sent_ns.size(); ++last) {
    while (sent_ns[last] - sent_ns[first] >= window_ns) ++first;
    most = std::max(most, last - first + 1);
  }
  return static_cast<double>(most) / ns_to_s(window_ns);
}

}  // namespace harness
