#include "systems/loki/augmented_graph.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/core/check.h"

namespace harness {
namespace {

// Returns the batches of a variant that are worth choosing, by rising latency and throughput.
std::vector<GraphVertex> worthwhile(const AllocationProblem& problem, ModuleId variant) {
  const Profile& profile = *problem.profiles[variant];
  std::vector<GraphVertex> all;
  for (const int batch : problem.batches) {
    if (batch < 1 || batch > profile.max_batch()) continue;
    const TimeNs latency_ns = profile.latency(batch);
    if (latency_ns > problem.latency_limit_ns) continue;
    all.push_back({variant, batch, latency_ns, batch / ns_to_s(latency_ns)});
  }
  std::stable_sort(all.begin(), all.end(), [](const GraphVertex& a, const GraphVertex& b) {
    return a.latency_ns != b.latency_ns ? a.latency_ns < b.latency_ns : a.rate_rps > b.rate_rps;
  });
  std::vector<GraphVertex> kept;
  for (const GraphVertex& vertex : all)
    if (kept.empty() || vertex.rate_rps > kept.back().rate_rps) kept.push_back(vertex);
  return kept;
}

class GraphBuilder {
 public:
  GraphBuilder(const AllocationProblem& problem, const std::vector<bool>& allowed)
      : problem_(problem), modules_(problem.pipeline->modules) {
    const std::size_t count = modules_.size();
    vertices_of_.resize(count);
    least_ns_.assign(count, kNever);
    least_work_.assign(count, 0);
    for (std::size_t m = 0; m < count; ++m) {
      HARNESS_CHECK(modules_[m].pres.size() <= 1, "Loki's pipelines are trees");
      if (!allowed[m]) continue;
      for (const GraphVertex& vertex : worthwhile(problem, static_cast<ModuleId>(m))) {
        vertices_of_[m].push_back(static_cast<int>(graph_.vertices.size()));
        graph_.vertices.push_back(vertex);
      }
    }
  }

  AugmentedGraph build() {
    for (std::size_t m = modules_.size(); m-- > 0;) find_least(static_cast<ModuleId>(m));
    const ModuleId root = entries_in(*problem_.pipeline).front();
    count_sinks();
    graph_.least_workers_per_rps = least_work_[root];
    do {
      enumerate(root);
    } while (drop_batches());
    drop_unused();
    return std::move(graph_);
  }

 private:
  void enumerate(ModuleId root) {
    graph_.prefixes.clear();
    extend(-1, 0, root);
    for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
      const GraphPrefix prefix = graph_.prefixes[p];
      const std::vector<ModuleId>& subs = modules_[variant(prefix)].subs;
      for (std::size_t s = 0; s < subs.size(); ++s) extend(static_cast<int>(p), static_cast<int>(s), subs[s]);
    }
  }

  // Returns the time of the longest path through each vertex.
  std::vector<TimeNs> longest_through() const {
    std::vector<TimeNs> longest_ns(graph_.vertices.size(), 0);
    std::vector<TimeNs> through_ns;
    for (const GraphPrefix& prefix : graph_.prefixes) through_ns.push_back(prefix.latency_ns);
    for (std::size_t p = graph_.prefixes.size(); p-- > 0;) {
      const GraphPrefix& prefix = graph_.prefixes[p];
      TimeNs& vertex_ns = longest_ns[static_cast<std::size_t>(prefix.vertex)];
      vertex_ns = std::max(vertex_ns, through_ns[p]);
      if (prefix.parent < 0) continue;
      TimeNs& parent_ns = through_ns[static_cast<std::size_t>(prefix.parent)];
      parent_ns = std::max(parent_ns, through_ns[p]);
    }
    return longest_ns;
  }

  // Drops vertices that are on no path, and vertices that the variant's next larger batch, with more
  // throughput, could replace on every path. Returns true if there were any.
  bool drop_batches() {
    const std::vector<TimeNs> longest_ns = longest_through();
    bool dropped = false;
    for (std::vector<int>& vertices : vertices_of_) {
      std::vector<int> kept;
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const auto v = static_cast<std::size_t>(vertices[i]);
        if (longest_ns[v] == 0) continue;
        const auto next = static_cast<std::size_t>(i + 1 < vertices.size() ? vertices[i + 1] : vertices[i]);
        const TimeNs more_ns = graph_.vertices[next].latency_ns - graph_.vertices[v].latency_ns;
        if (next == v || longest_ns[v] + more_ns > problem_.latency_limit_ns) kept.push_back(vertices[i]);
      }
      dropped = dropped || kept.size() < vertices.size();
      vertices = std::move(kept);
    }
    return dropped;
  }

  ModuleId variant(const GraphPrefix& prefix) const {
    return graph_.vertices[static_cast<std::size_t>(prefix.vertex)].variant;
  }

  std::vector<ModuleId> variants_of(ModuleId first) const {
    std::vector<ModuleId> variants;
    for (std::size_t m = first; m < modules_.size(); ++m)
      if (problem_.pipeline->task_of(static_cast<ModuleId>(m)) == first)
        variants.push_back(static_cast<ModuleId>(m));
    return variants;
  }

  void count_sinks() {
    for (std::size_t m = 0; m < modules_.size(); ++m)
      if (problem_.pipeline->task_of(static_cast<ModuleId>(m)) == m && modules_[m].subs.empty())
        ++graph_.sinks;
  }

  // Finds the least time and the least work (workers x s per visit) of the task that begins with `first`,
  // including all that follows. Does nothing if `first` is not the first module of a task.
  void find_least(ModuleId first) {
    if (problem_.pipeline->task_of(first) != first) return;
    bool found = false;
    for (const ModuleId module : variants_of(first)) {
      TimeNs after_ns = 0;
      double after_work = 0;
      for (std::size_t s = 0; s < modules_[module].subs.size(); ++s) {
        const ModuleId sub = modules_[module].subs[s];
        after_ns = std::max(after_ns, least_ns_[sub]);
        after_work += problem_.fan_out[module][s] * least_work_[sub];
      }
      if (after_ns == kNever) return;
      for (const int v : vertices_of_[module]) {
        const GraphVertex& vertex = graph_.vertices[static_cast<std::size_t>(v)];
        const double work = 1 / vertex.rate_rps + after_work;
        least_ns_[first] = std::min(least_ns_[first], vertex.latency_ns + after_ns);
        least_work_[first] = found ? std::min(least_work_[first], work) : work;
        found = true;
      }
    }
  }

  // Returns the time that the longest way on needs at least.
  TimeNs least_after(ModuleId module) const {
    TimeNs least_ns = 0;
    for (const ModuleId sub : modules_[module].subs) least_ns = std::max(least_ns, least_ns_[sub]);
    return least_ns;
  }

  void extend(int parent, int sub, ModuleId task) {
    GraphPrefix before{
        .vertex = 0, .parent = -1, .sub = 0, .visits = 1, .accuracy = 1, .latency_ns = 0, .sink = false};
    if (parent >= 0) {
      before = graph_.prefixes[static_cast<std::size_t>(parent)];
      before.visits *= problem_.fan_out[variant(before)][static_cast<std::size_t>(sub)];
    }
    for (const ModuleId module : variants_of(task)) {
      const TimeNs after_ns = least_after(module);
      if (after_ns == kNever) continue;
      for (const int v : vertices_of_[module]) {
        const TimeNs latency_ns = before.latency_ns + graph_.vertices[static_cast<std::size_t>(v)].latency_ns;
        if (latency_ns + after_ns > problem_.latency_limit_ns) continue;
        graph_.prefixes.push_back({v, parent, sub, before.visits, before.accuracy * modules_[module].accuracy,
                                   latency_ns, modules_[module].subs.empty()});
      }
    }
    HARNESS_CHECK(graph_.prefixes.size() <= kMaxPrefixes, "too many paths of variants and batch sizes");
  }

  void drop_unused() {
    std::vector<int> place(graph_.vertices.size(), -1);
    for (const GraphPrefix& prefix : graph_.prefixes) place[static_cast<std::size_t>(prefix.vertex)] = 0;
    std::vector<GraphVertex> used;
    for (std::size_t v = 0; v < place.size(); ++v) {
      if (place[v] < 0) continue;
      place[v] = static_cast<int>(used.size());
      used.push_back(graph_.vertices[v]);
    }
    graph_.vertices = std::move(used);
    for (GraphPrefix& prefix : graph_.prefixes)
      prefix.vertex = place[static_cast<std::size_t>(prefix.vertex)];
  }

  const AllocationProblem& problem_;
  const std::vector<Module>& modules_;
  std::vector<std::vector<int>> vertices_of_;  // vertices of each module
  std::vector<TimeNs> least_ns_;               // least time, by first module of a task
  std::vector<double> least_work_;
  AugmentedGraph graph_;
};

}  // namespace

AugmentedGraph augmented_graph(const AllocationProblem& problem, const std::vector<bool>& allowed) {
  return GraphBuilder(problem, allowed).build();
}

std::vector<bool> allowed_variants(const Pipeline& pipeline, Variants variants) {
  const std::vector<Module>& modules = pipeline.modules;
  std::vector<double> best(modules.size(), 0);  // largest accuracy, by first module of a task
  for (std::size_t m = 0; m < modules.size(); ++m) {
    double& most = best[pipeline.task_of(static_cast<ModuleId>(m))];
    most = std::max(most, modules[m].accuracy);
  }
  std::vector<bool> allowed(modules.size(), true);
  if (variants == Variants::kAll) return allowed;
  for (std::size_t m = 0; m < modules.size(); ++m)
    allowed[m] = modules[m].accuracy == best[pipeline.task_of(static_cast<ModuleId>(m))];
  return allowed;
}

}  // namespace harness
