#include "systems/loki/test_allocation_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace harness {
namespace {

using Path = std::vector<ModuleId>;

class AllocationCheck {
 public:
  AllocationCheck(const AllocationProblem& problem, const Allocation& plan)
      : problem_(problem), pipeline_(*problem.pipeline), plan_(plan) {}

  std::vector<std::string> run() {
    const std::size_t modules = pipeline_.modules.size();
    if (plan_.workers.size() != modules || plan_.batch.size() != modules) {
      say("not one count of workers and one batch size per module");
      return broken_;
    }
    if (!plan_.feasible) {
      if (plan_.total_workers() != 0 || !plan_.flows.empty()) say("an empty plan has workers or flows");
      return broken_;
    }
    check_workers();
    check_batches();
    for (const PathFlow& flow : plan_.flows)
      if (check_path(flow)) add_flow(flow);
    check_prefixes();
    check_sinks();
    check_loads();
    check_accuracy();
    return broken_;
  }

 private:
  void say(const std::string& what) { broken_.push_back(what); }
  const std::string& name(ModuleId module) const { return pipeline_.modules[module].name; }
  std::string name(const Path& path) const {
    std::string text;
    for (const ModuleId module : path) text += (text.empty() ? "" : " > ") + name(module);
    return text;
  }
  static bool differ(double a, double b) {
    return !(std::abs(a - b) <= kAllocationTolerance * std::max({1.0, std::abs(a), std::abs(b)}));
  }

  void check_workers() {
    int total = 0;
    for (std::size_t m = 0; m < plan_.workers.size(); ++m) {
      if (plan_.workers[m] < 0) say(name(static_cast<ModuleId>(m)) + " has a negative number of workers");
      total += plan_.workers[m];
    }
    if (total > problem_.workers)
      say("(3) " + std::to_string(total) + " workers of " + std::to_string(problem_.workers));
  }

  void check_batches() {
    for (std::size_t m = 0; m < plan_.batch.size(); ++m) {
      const int batch = plan_.batch[m];
      const std::string who =
          "(4) " + name(static_cast<ModuleId>(m)) + ": batch size " + std::to_string(batch);
      if (plan_.workers[m] <= 0) {
        if (batch != 1) say(who + " without workers");
      } else if (std::count(problem_.batches.begin(), problem_.batches.end(), batch) == 0) {
        say(who + " is not allowed");
      } else if (batch > problem_.profiles[m]->max_batch()) {
        say(who + " is not in its profile");
      }
    }
  }

  // Checks (6), (7), and that it is a path of the augmented graph.
  bool check_path(const PathFlow& flow) {
    const std::string who = "path " + name(flow.path);
    if (!(flow.share > 0 && flow.share <= 1 + kAllocationTolerance))
      say(who + ": its share is not above 0, at most 1");
    if (flow.path.empty() || !pipeline_.modules[flow.path.front()].pres.empty() ||
        !pipeline_.modules[flow.path.back()].subs.empty()) {
      say(who + " does not lead from the root to a sink");
      return false;
    }
    TimeNs latency_ns = 0;
    for (std::size_t i = 0; i < flow.path.size(); ++i) {
      const ModuleId module = flow.path[i];
      if (i > 0 && entry(flow.path[i - 1], module) < 0) {
        say(who + ": no edge to " + name(module));
        return false;
      }
      if (plan_.workers[module] < 1) {
        say("(2) " + who + ": " + name(module) + " has no workers");
        return false;
      }
      if (plan_.batch[module] >= 1 && plan_.batch[module] <= problem_.profiles[module]->max_batch())
        latency_ns += problem_.profiles[module]->latency(plan_.batch[module]);
    }
    if (latency_ns > problem_.latency_limit_ns)
      say("(7) " + who + " takes " + std::to_string(ns_to_ms(latency_ns)) + " ms of " +
          std::to_string(ns_to_ms(problem_.latency_limit_ns)));
    return true;
  }

  // Returns the entry of the subs of `from` that means the task of `to`; -1 if there is no such entry.
  int entry(ModuleId from, ModuleId to) const {
    const std::vector<ModuleId>& subs = pipeline_.modules[from].subs;
    const auto found = std::find(subs.begin(), subs.end(), pipeline_.task_of(to));
    return found == subs.end() ? -1 : static_cast<int>(found - subs.begin());
  }

  void add_flow(const PathFlow& flow) {
    if (++paths_[flow.path] == 2) say("path " + name(flow.path) + " is there twice");
    const ModuleId sink = pipeline_.task_of(flow.path.back());
    for (std::size_t length = 1; length <= flow.path.size(); ++length)
      shares_[Path(flow.path.begin(), flow.path.begin() + static_cast<std::ptrdiff_t>(length))][sink] +=
          flow.share;
    sums_[sink] += flow.share;
    double accuracy = 1;
    for (const ModuleId module : flow.path) accuracy *= pipeline_.modules[module].accuracy;
    accuracy_ += flow.share * accuracy;
  }

  // Returns the sinks that lie after a module, or the module itself if it is a sink.
  std::vector<ModuleId> sinks_after(ModuleId module) const {
    const std::vector<ModuleId>& subs = pipeline_.modules[module].subs;
    if (subs.empty()) return {pipeline_.task_of(module)};
    std::vector<ModuleId> sinks;
    for (const ModuleId sub : subs)
      for (const ModuleId sink : sinks_after(sub)) sinks.push_back(sink);
    return sinks;
  }

  // Checks that requests which go one way so far go on to every sink after it.
  void check_prefixes() {
    for (const auto& [prefix, by_sink] : shares_) {
      const double first = by_sink.begin()->second;
      for (const ModuleId sink : sinks_after(prefix.back())) {
        const auto found = by_sink.find(sink);
        if (found == by_sink.end() || differ(found->second, first))
          say("paths that begin with " + name(prefix) + " do not have the same share for every sink");
      }
    }
  }

  void check_sinks() {
    for (const ModuleId sink : sinks_after(entries_in(pipeline_).front()))
      if (differ(sums_[sink], 1))
        say("the shares of the paths to " + name(sink) + " sum to " + std::to_string(sums_[sink]));
  }

  // Checks (1) and (2).
  void check_loads() {
    std::map<ModuleId, double> loads_rps;
    for (const auto& [prefix, by_sink] : shares_) {
      double visits = 1;
      for (std::size_t i = 1; i < prefix.size(); ++i)
        visits *= problem_.fan_out[prefix[i - 1]][static_cast<std::size_t>(entry(prefix[i - 1], prefix[i]))];
      loads_rps[prefix.back()] += plan_.demand_rps * by_sink.begin()->second * visits;
    }
    for (const auto& [module, load_rps] : loads_rps) {
      const int batch = plan_.batch[module];
      if (batch < 1 || batch > problem_.profiles[module]->max_batch()) continue;  // said already
      const double capacity_rps =
          plan_.workers[module] * batch / ns_to_s(problem_.profiles[module]->latency(batch));
      if (load_rps > capacity_rps * (1 + kAllocationTolerance))
        say("(2) " + name(module) + " gets " + std::to_string(load_rps) + " requests/s, its workers can do " +
            std::to_string(capacity_rps));
    }
  }

  void check_accuracy() {
    const auto sinks = static_cast<double>(sinks_after(entries_in(pipeline_).front()).size());
    if (differ(accuracy_ / sinks, plan_.accuracy))
      say("(12) the accuracy is " + std::to_string(accuracy_ / sinks) + ", not " +
          std::to_string(plan_.accuracy));
  }

  std::map<Path, int> paths_;
  std::map<Path, std::map<ModuleId, double>> shares_;  // shares by way from the root, then by sink
  std::map<ModuleId, double> sums_;                    // sum of the shares of each sink
  double accuracy_ = 0;

  const AllocationProblem& problem_;
  const Pipeline& pipeline_;
  const Allocation& plan_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> check_allocation(const AllocationProblem& problem, const Allocation& plan) {
  return AllocationCheck(problem, plan).run();
}

}  // namespace harness
