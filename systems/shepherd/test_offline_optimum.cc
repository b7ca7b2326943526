#include "systems/shepherd/test_offline_optimum.h"

#include <cmath>
#include <set>

#include "harness/core/check.h"

namespace harness {
namespace {

/// Batches of one model and size that start together.
struct Start {
  int model = 0;
  int size = 0;
  TimeNs at_ns = 0;
  TimeNs end_ns = 0;
};

bool can_join(const OfflineRequests& requests, const Start& start) {
  return requests.model == start.model && requests.arrival_ns <= start.at_ns &&
         start.end_ns <= requests.deadline_ns;
}

/// Returns the feasible batches that start at `at_ns`.
std::vector<Start> starts_at(const OfflineInstance& instance, TimeNs at_ns) {
  std::vector<Start> starts;
  for (int model = 0; model < static_cast<int>(instance.models.size()); ++model) {
    const Profile& profile = instance.models[static_cast<std::size_t>(model)];
    for (int size = 1; size <= profile.max_batch(); ++size) {
      const Start start{model, size, at_ns, at_ns + profile.latency(size)};
      int requests = 0;
      for (const OfflineRequests& kind : instance.requests)
        requests += can_join(kind, start) ? kind.count : 0;
      if (requests >= size) starts.push_back(start);
    }
  }
  return starts;
}

class Program {
 public:
  explicit Program(const OfflineInstance& instance) : instance_(instance), joins_(instance.requests.size()) {
    for (const TimeNs at_ns : offline_starts(instance)) {
      for (const Start& start : starts_at(instance, at_ns)) add(start);
      instants_.push_back(at_ns);
    }
    for (std::size_t kind = 0; kind < joins_.size(); ++kind) {
      problem_.add_row(-kMilpInfinity, instance.requests[kind].count, joins_[kind]);
    }
    for (const TimeNs at_ns : instants_) limit_to_gpus(at_ns);
  }

  const Milp& problem() const { return problem_; }
  int starts() const { return static_cast<int>(starts_.size()); }

 private:
  /// Adds a variable for the number of such batches, one for each kind of requests that may join, and a row
  /// that says that together they fill the batches.
  void add(const Start& start) {
    const int batches = problem_.add_variable(0, instance_.gpus, start.size, true);
    starts_.push_back({start, batches});
    std::vector<MilpTerm> filled{{batches, -static_cast<double>(start.size)}};
    for (std::size_t kind = 0; kind < joins_.size(); ++kind) {
      const OfflineRequests& requests = instance_.requests[kind];
      if (!can_join(requests, start)) continue;
      const int joined = problem_.add_variable(0, requests.count, 0, false);
      filled.push_back({joined, 1});
      joins_[kind].push_back({joined, 1});
    }
    problem_.add_row(0, 0, filled);
  }

  /// Limits the batches that run at `at_ns`. Their number is largest at some start.
  void limit_to_gpus(TimeNs at_ns) {
    std::vector<MilpTerm> running;
    for (const auto& [start, batches] : starts_) {
      if (start.at_ns <= at_ns && at_ns < start.end_ns) running.push_back({batches, 1});
    }
    problem_.add_row(-kMilpInfinity, instance_.gpus, running);
  }

  struct Variable {
    Start start;
    int batches = 0;
  };

  const OfflineInstance& instance_;
  Milp problem_;
  std::vector<Variable> starts_;
  std::vector<std::vector<MilpTerm>> joins_;  ///< terms of each kind of requests
  std::vector<TimeNs> instants_;
};

}  // namespace

std::vector<TimeNs> offline_starts(const OfflineInstance& instance) {
  std::set<TimeNs> instants;
  for (const OfflineRequests& requests : instance.requests) instants.insert(requests.arrival_ns);
  std::vector<TimeNs> starts;
  // Ends are later than their starts, so ascending order reaches each instant after all that lead to it.
  for (auto at = instants.begin(); at != instants.end(); ++at) {
    const std::vector<Start> possible = starts_at(instance, *at);
    if (!possible.empty()) starts.push_back(*at);
    for (const Start& start : possible) instants.insert(start.end_ns);
  }
  return starts;
}

OfflineOptimum offline_optimum(const OfflineInstance& instance, const MilpLimits& limits) {
  for (const Profile& profile : instance.models) {
    for (const TimeNs latency_ns : profile.latency_ns) HARNESS_CHECK(latency_ns > 0, "a batch takes time");
  }
  const Program program(instance);
  OfflineOptimum optimum;
  optimum.starts = program.starts();
  if (optimum.starts == 0) return optimum;
  const MilpSolution solution = solve(program.problem(), limits);
  optimum.status = solution.status;
  optimum.bound = solution.bound;
  if (!solution.values.empty()) optimum.in_time = static_cast<int>(std::lround(solution.objective));
  return optimum;
}

}  // namespace harness
