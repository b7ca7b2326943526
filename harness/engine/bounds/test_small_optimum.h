// For tests: the optimum of small cases, found by a search over all ways of forming batches.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

inline constexpr int kOpen = -1;  ///< end of a visit that has not started
inline constexpr int kLost = -2;  ///< end of each visit of a request that cannot end in time

/// A small cell in whole milliseconds.
struct SmallCase {
  Pipeline pipeline;
  std::vector<std::vector<int>> exec;  ///< execution times of batches: [module][size - 1]
  std::vector<ModuleOverride> modules;
  std::vector<int> times;
  int slo = 0;
  int hop = 0;
};

/// Finds the optimum: at every time at which a visit gets ready or a worker free it tries every way to start
/// batches of waiting visits on idle workers, and also to start no batch. It remembers the results of states.
class Optimum {
 public:
  explicit Optimum(const SmallCase& small) : case_(small), modules_(small.modules.size()) {
    for (const std::vector<int>& exec : small.exec)
      least_.push_back(*std::min_element(exec.begin(), exec.end()));
  }

  int find() {
    State state;
    state.end.assign(case_.times.size() * modules_, kOpen);
    for (const ModuleOverride& module : case_.modules) {
      state.free.emplace_back(static_cast<std::size_t>(module.workers), 0);
    }
    return best_from(state);
  }

 private:
  struct State {
    int now = 0;
    std::vector<int> end;                ///< ends of visits: [request * modules + module]
    std::vector<std::vector<int>> free;  ///< times from which workers are free: [module][worker]
    bool operator<(const State& other) const {
      return std::tie(now, end, free) < std::tie(other.now, other.end, other.free);
    }
  };

  /// Returns the time at which the visit can start; -1 if that is not known yet.
  int ready(const State& state, std::size_t request, std::size_t module) const {
    int ready = case_.times[request];
    for (const ModuleId pre : case_.pipeline.modules[module].pres) {
      const int end = state.end[request * modules_ + pre];
      if (end < 0) return -1;
      ready = std::max(ready, end);
    }
    return ready + case_.hop;
  }

  /// Returns the earliest end of the request if it never had to wait for a worker.
  int soonest_end(const State& state, std::size_t request) const {
    std::vector<int> end(modules_);
    for (std::size_t m = 0; m < modules_; ++m) {
      const int known = state.end[request * modules_ + m];
      int start = case_.times[request];
      for (const ModuleId pre : case_.pipeline.modules[m].pres) start = std::max(start, end[pre]);
      end[m] = known != kOpen ? known : std::max(start + case_.hop, state.now) + least_[m];
    }
    return *std::max_element(end.begin(), end.end());
  }

  /// Gives up requests that cannot end in time, and replaces times that make no difference any more.
  void simplify(State& state) const {
    for (std::size_t r = 0; r < case_.times.size(); ++r) {
      const auto visits = std::span(state.end).subspan(r * modules_, modules_);
      if (visits.front() == kLost) continue;
      if (soonest_end(state, r) > case_.times[r] + case_.slo) {
        std::fill(visits.begin(), visits.end(), kLost);
        continue;
      }
      const bool open = std::count(visits.begin(), visits.end(), kOpen) > 0;
      for (int& end : visits) {
        if (end >= 0) end = open ? std::max(end, state.now - case_.hop) : 0;
      }
    }
    for (std::vector<int>& free : state.free) {
      for (int& at : free) at = std::max(at, state.now);
      std::sort(free.begin(), free.end());
    }
  }

  /// Returns the number of requests that are not lost.
  int alive(const State& state) const {
    const auto lost = static_cast<std::size_t>(std::count(state.end.begin(), state.end.end(), kLost));
    return static_cast<int>((state.end.size() - lost) / modules_);
  }

  int best_from(State state) {
    simplify(state);
    if (std::count(state.end.begin(), state.end.end(), kOpen) == 0) return alive(state);
    const auto seen = seen_.find(state);
    if (seen != seen_.end()) return seen->second;
    const int best = best_of_starts(state, 0);
    seen_.emplace(std::move(state), best);
    return best;
  }

  /// Tries every start of batches at `module` and later modules now, then goes on in time. Stops when no more
  /// requests can be gained.
  int best_of_starts(const State& state, std::size_t module) {
    if (module == modules_) return best_later(state);
    int best = 0;
    const std::vector<int>& free = state.free[module];
    const auto idle = std::find_if(free.begin(), free.end(), [&](int at) { return at <= state.now; });
    if (idle == free.end()) return best_of_starts(state, module + 1);
    std::vector<std::size_t> waiting;
    for (std::size_t r = 0; r < case_.times.size(); ++r) {
      const int at = ready(state, r, module);
      if (state.end[r * modules_ + module] == kOpen && at >= 0 && at <= state.now) waiting.push_back(r);
    }
    for (unsigned subset = 1; subset < 1u << waiting.size() && best < alive(state); ++subset) {
      const int size = std::popcount(subset);
      if (size > case_.modules[module].batch) continue;
      State next = state;
      const int end = state.now + case_.exec[module][static_cast<std::size_t>(size - 1)];
      next.free[module][static_cast<std::size_t>(idle - free.begin())] = end;
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if ((subset >> i & 1u) != 0) next.end[waiting[i] * modules_ + module] = end;
      }
      best = std::max(best, best_of_starts(next, module));
    }
    return best < alive(state) ? std::max(best, best_of_starts(state, module + 1)) : best;
  }

  int best_later(State state) {
    int next = std::numeric_limits<int>::max();
    for (const std::vector<int>& free : state.free) {
      for (const int at : free) next = at > state.now ? std::min(next, at) : next;
    }
    for (std::size_t r = 0; r < case_.times.size(); ++r) {
      for (std::size_t m = 0; m < modules_; ++m) {
        if (state.end[r * modules_ + m] != kOpen) continue;
        const int at = ready(state, r, m);
        if (at > state.now) next = std::min(next, at);
      }
    }
    if (next == std::numeric_limits<int>::max()) {
      for (int& end : state.end) end = end == kOpen ? kLost : end;
      for (std::size_t r = 0; r < case_.times.size(); ++r) {
        const auto visits = std::span(state.end).subspan(r * modules_, modules_);
        if (std::count(visits.begin(), visits.end(), kLost) > 0)
          std::fill(visits.begin(), visits.end(), kLost);
      }
      return best_from(std::move(state));
    }
    state.now = next;
    return best_from(std::move(state));
  }

  const SmallCase& case_;
  std::size_t modules_;
  std::vector<int> least_;
  std::map<State, int> seen_;
};

inline SmallCase random_case(RandomStream& random, int largest_cap) {
  const auto up_to = [&random](int most) {
    return 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most)));
  };
  SmallCase small;
  const int shape = up_to(4);
  small.pipeline = shape == 4 ? diamond() : chain(static_cast<std::size_t>(shape));
  int path = 0;
  for (std::size_t m = 0; m < small.pipeline.modules.size(); ++m) {
    std::vector<int> exec = {up_to(4)};
    while (exec.size() < 3) exec.push_back(std::max(1, exec.back() + up_to(4) - 2));  // may also fall
    small.exec.push_back(exec);
    small.modules.push_back({up_to(largest_cap), up_to(2)});
    path += exec.back();
  }
  const int requests = up_to(shape == 4 ? 4 : 5);
  for (int i = 0; i < requests; ++i) small.times.push_back(up_to(12) - 1);
  std::sort(small.times.begin(), small.times.end());
  small.hop = up_to(3) == 1 ? 1 : 0;
  small.slo = std::max(1, path + up_to(10) - 3);
  return small;
}

/// Returns the small case as a cell of that system.
inline RunSpec spec_of(const std::string& system, const SmallCase& small) {
  std::vector<Profile> profiles;
  for (const std::vector<int>& exec : small.exec) {
    Profile profile;
    for (const int ms : exec) profile.latency_ns.push_back(ms_to_ns(ms));
    profiles.push_back(profile);
  }
  std::vector<TimeNs> times;
  for (const int ms : small.times) times.push_back(ms_to_ns(ms));
  RunSpec spec =
      make_spec(system, small.pipeline, profiles, small.modules, ms_to_ns(small.slo), times, kNsPerS);
  spec.world.network_delay_ms = small.hop;
  return spec;
}

}  // namespace harness::testing
