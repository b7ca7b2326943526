// Small instances of FLEX's problem, and how far FLEX stays from their optimum.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/core/random_stream.h"
#include "systems/shepherd/test_flex_simulator.h"
#include "systems/shepherd/test_offline_optimum.h"

namespace harness {

/// An instance whose models are alpha b + beta, in whole numbers.
struct LinearInstance {
  std::vector<TimeNs> alpha;
  std::vector<TimeNs> beta;
  OfflineInstance instance;

  void add_model(TimeNs alpha_ns, TimeNs beta_ns, int max_batch) {
    alpha.push_back(alpha_ns);
    beta.push_back(beta_ns);
    instance.models.push_back(flex_profile(alpha_ns, beta_ns, max_batch));
  }

  /// Eq. 4: returns the largest affinity of two models.
  double divergence() const {
    double largest = 1;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      for (std::size_t j = 0; j < alpha.size(); ++j) largest = std::max(largest, affinity(i, j));
    }
    return largest;
  }
  double affinity(std::size_t i, std::size_t j) const {
    const auto a_i = static_cast<double>(alpha[i]), b_i = static_cast<double>(beta[i]);
    const auto a_j = static_cast<double>(alpha[j]), b_j = static_cast<double>(beta[j]);
    const double simple = (a_i + b_i) / a_j;
    if (a_j + b_j - b_i <= 0) return simple;
    return std::min(simple, std::max(a_i / (a_j + b_j - b_i), a_i / a_j));
  }
  /// Returns the limit of the optimum's goodput over FLEX's (Theorems B.1 to B.3).
  double competitive_ratio() const { return (instance.gpus == 1 ? 10.81 : 12.62) * divergence(); }
};

inline std::string text_of(const LinearInstance& one) {
  std::string text = std::to_string(one.instance.gpus) + " GPUs;";
  for (std::size_t m = 0; m < one.alpha.size(); ++m) {
    text += " model " + std::to_string(m) + ": " + std::to_string(one.alpha[m]) + " b + " +
            std::to_string(one.beta[m]) + ";";
  }
  for (const OfflineRequests& kind : one.instance.requests) {
    text += " " + std::to_string(kind.count) + " of " + std::to_string(kind.model) + " in [" +
            std::to_string(kind.arrival_ns) + ", " + std::to_string(kind.deadline_ns) + "]";
  }
  return text;
}

/// Serves the instance by FLEX. Requests of one instant arrive in the order of the instance.
inline FlexOutcome serve_by_flex(const OfflineInstance& instance, const FlexParams& params) {
  FlexWorld world;
  world.profiles = instance.models;
  world.workers = instance.gpus;
  world.params = params;
  std::vector<FlexRequest> requests;
  for (const OfflineRequests& kind : instance.requests) {
    const FlexRequest request{static_cast<ModuleId>(kind.model), kind.arrival_ns, kind.deadline_ns};
    requests.insert(requests.end(), static_cast<std::size_t>(kind.count), request);
  }
  return simulate_flex(world, std::move(requests));
}

/// Returns up to `kinds` kinds of up to `most` requests each, with little slack so that they are in each
/// other's way.
inline LinearInstance random_instance(RandomStream& random, int kinds, int most, TimeNs span) {
  LinearInstance one;
  one.instance.gpus = 1 + static_cast<int>(random.below(3));
  const std::uint64_t models = 1 + random.below(3);
  for (std::uint64_t m = 0; m < models; ++m) {
    const TimeNs alpha_ns = 1 + static_cast<TimeNs>(random.below(3));
    one.add_model(alpha_ns, static_cast<TimeNs>(random.below(9)), 128);
  }
  const std::uint64_t count = 1 + random.below(static_cast<std::uint64_t>(kinds));
  for (std::uint64_t k = 0; k < count; ++k) {
    OfflineRequests requests;
    requests.model = static_cast<int>(random.below(models));
    requests.count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
    requests.arrival_ns = static_cast<TimeNs>(random.below(static_cast<std::uint64_t>(span)));
    const Profile& profile = one.instance.models[static_cast<std::size_t>(requests.model)];
    // From just enough for one of them to more than enough for all.
    const int fitting = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(requests.count)));
    requests.deadline_ns = requests.arrival_ns + profile.latency(fitting) +
                           (random.below(2) == 0 ? 0 : static_cast<TimeNs>(random.below(6)));
    one.instance.requests.push_back(requests);
  }
  return one;
}

/// Returns ever larger batches, each just too small to preempt the one before and due when it would end if
/// started at once: the worst case of an online scheduler, which does not know the future.
inline LinearInstance random_chain(RandomStream& random, int links) {
  LinearInstance one;
  one.instance.gpus = 1 + static_cast<int>(random.below(3));
  const std::uint64_t models = 1 + random.below(2);
  for (std::uint64_t m = 0; m < models; ++m) {
    one.add_model(1, static_cast<TimeNs>(random.below(10)), 12);
  }
  const double lambda = FlexParams().lambda_for(one.instance.gpus);
  TimeNs at_ns = 0;
  double count = 1;
  for (int link = 0; link < links; ++link) {
    OfflineRequests requests;
    requests.model = static_cast<int>(random.below(models));
    requests.count = std::max(1, static_cast<int>(count));
    requests.arrival_ns = at_ns;
    const Profile& profile = one.instance.models[static_cast<std::size_t>(requests.model)];
    const TimeNs latency_ns = profile.latency(std::min(requests.count, profile.max_batch()));
    requests.deadline_ns = at_ns + latency_ns + static_cast<TimeNs>(random.below(2));
    if (random.below(2) == 0) requests.count *= one.instance.gpus;
    one.instance.requests.push_back(requests);
    at_ns += random.below(4) == 0 ? latency_ns
                                  : static_cast<TimeNs>(random.below(static_cast<std::uint64_t>(latency_ns)));
    count = std::min(12.0, count * (0.3 + lambda * random.uniform()));
  }
  return one;
}

}  // namespace harness
