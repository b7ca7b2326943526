// Computes the optimal offline schedule by trying everything: for tests, and for the smallest instances only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "systems/shepherd/test_offline_optimum.h"

namespace harness {

/// Gives the GPU that is free first its next batch, or no batch ever again, in every possible way: all
/// choices of requests, each batch as early as its requests and its GPU allow.
class ExhaustiveOptimum {
 public:
  explicit ExhaustiveOptimum(const OfflineInstance& instance) : instance_(instance) {}

  int in_time() {
    std::vector<int> left;
    for (const OfflineRequests& requests : instance_.requests) left.push_back(requests.count);
    return best({std::vector<TimeNs>(static_cast<std::size_t>(instance_.gpus), 0), std::move(left)});
  }

 private:
  /// The times at which the GPUs that may still serve are free, ascending; and the number of requests left of
  /// each kind.
  using State = std::pair<std::vector<TimeNs>, std::vector<int>>;

  int best(const State& state) {
    if (state.first.empty()) return 0;
    const auto known = known_.find(state);
    if (known != known_.end()) return known->second;
    State without = state;
    without.first.erase(without.first.begin());
    int most = best(without);
    for (std::size_t model = 0; model < instance_.models.size(); ++model) {
      std::vector<int> batch(state.second.size(), 0);
      most = std::max(most, best_batch(state, static_cast<int>(model), 0, batch));
    }
    known_[state] = most;
    return most;
  }

  /// Returns the best of all batches of the model that take any number of requests of `kind` and later kinds.
  int best_batch(const State& state, int model, std::size_t kind, std::vector<int>& batch) {
    if (kind == batch.size()) return with_batch(state, model, batch);
    int most = 0;
    const int available = instance_.requests[kind].model == model ? state.second[kind] : 0;
    for (batch[kind] = 0; batch[kind] <= available; ++batch[kind]) {
      most = std::max(most, best_batch(state, model, kind + 1, batch));
    }
    batch[kind] = 0;
    return most;
  }

  int with_batch(const State& state, int model, const std::vector<int>& batch) {
    int size = 0;
    TimeNs start_ns = state.first.front();
    TimeNs deadline_ns = kNever;
    for (std::size_t kind = 0; kind < batch.size(); ++kind) {
      if (batch[kind] == 0) continue;
      size += batch[kind];
      start_ns = std::max(start_ns, instance_.requests[kind].arrival_ns);
      deadline_ns = std::min(deadline_ns, instance_.requests[kind].deadline_ns);
    }
    const Profile& profile = instance_.models[static_cast<std::size_t>(model)];
    if (size == 0 || size > profile.max_batch() || start_ns + profile.latency(size) > deadline_ns) return 0;
    State after = state;
    after.first.front() = start_ns + profile.latency(size);
    std::sort(after.first.begin(), after.first.end());
    for (std::size_t kind = 0; kind < batch.size(); ++kind) after.second[kind] -= batch[kind];
    return size + best(after);
  }

  const OfflineInstance& instance_;
  std::map<State, int> known_;
};

}  // namespace harness
