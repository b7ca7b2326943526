#include "systems/inferline/sample_paths.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/core/check.h"
#include "harness/core/fan_out.h"
#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/routes.h"

namespace harness {
namespace {

constexpr const char* kStream = "inferline.paths";  // a stream of its own for each edge
constexpr std::size_t kMaxVisits = 100'000'000;     // most visits at one task

/// Returns the index of the model in `from.subs`.
std::size_t place_in_subs(const Module& from, ModuleId model) {
  return static_cast<std::size_t>(std::ranges::find(from.subs, model) - from.subs.begin());
}

void find_ends(std::vector<ModelPaths>& paths) {
  for (ModelPaths& at : paths)
    at.may_end = !at.takes_one && std::ranges::find(at.is_sure, true) == at.is_sure.end();
}

class GraphPaths {
 public:
  GraphPaths(const Pipeline& pipeline, std::size_t queries, std::uint64_t seed, PathDraws draws,
             RequestId first)
      : pipeline_(pipeline),
        seed_(seed),
        draws_(draws),
        routes_(pipeline, seed),
        paths_(pipeline.modules.size()) {
    route_of_.reserve(queries);
    for (std::size_t query = 0; query < queries; ++query)
      route_of_.push_back(static_cast<std::uint16_t>(routes_.of(first + query)));
  }

  std::vector<ModelPaths> read() {
    for (ModuleId m = 0; m < paths_.size(); ++m) read_model(m);
    find_ends(paths_);
    return std::move(paths_);
  }

 private:
  void read_model(ModuleId model) {
    ModelPaths& paths = paths_[model];
    const Module& module = pipeline_.modules[model];
    for (const std::uint16_t route : route_of_) paths.measured += routes_[route].visits(model) ? 1 : 0;
    paths.takes_one = module.branches == Branches::kOne && draws_ == PathDraws::kRoute;
    for (std::size_t sub = 0; sub < module.subs.size(); ++sub) {
      paths.is_sure.push_back(module.branches == Branches::kAll ||
                              (module.branches == Branches::kEach && module.branch_weights[sub] >= 1));
    }
    for (const ModuleId from : module.pres) {
      std::vector<std::uint8_t>& takes = paths.takes.emplace_back();
      if (pipeline_.modules[from].branches == Branches::kAll) continue;
      for (const std::uint16_t route : route_of_) takes.push_back(routes_[route].takes(from, model) ? 1 : 0);
      if (draws_ == PathDraws::kIndependent) draw_anew(from, model, takes);
    }
    count_branches(model);
  }

  /// Draws anew which queries take the edge: about as many as took it, but independently of all else.
  void draw_anew(ModuleId from, ModuleId model, std::vector<std::uint8_t>& takes) {
    const auto taken = static_cast<double>(std::ranges::count(takes, 1));
    const double share = taken / static_cast<double>(std::max<std::size_t>(1, paths_[from].measured));
    RandomStream random(seed_, kStream, (std::uint64_t{from} << 32) + model);
    for (std::uint8_t& takes_it : takes) takes_it = random.uniform() < share ? 1 : 0;
  }

  /// Counts, for each query, from how many models it comes here; 0 if it does not come.
  void count_branches(ModuleId model) {
    ModelPaths& paths = paths_[model];
    const std::vector<ModuleId>& pres = pipeline_.modules[model].pres;
    std::vector<std::uint8_t>& branches = branches_.emplace_back(route_of_.size(), pres.empty() ? 1 : 0);
    for (std::size_t edge = 0; edge < pres.size(); ++edge) {
      const std::vector<std::uint8_t>& takes = paths.takes[edge];
      for (std::size_t query = 0; query < branches.size(); ++query) {
        if (branches_[pres[edge]][query] > 0 && (takes.empty() || takes[query] != 0)) ++branches[query];
      }
    }
    for (const std::uint8_t count : branches) paths.visits += count > 0 ? 1 : 0;
    if (pres.size() > 1) paths.branches = branches;
  }

  const Pipeline& pipeline_;
  std::uint64_t seed_;
  PathDraws draws_;
  Routes routes_;
  std::vector<std::uint16_t> route_of_;              ///< route of each query
  std::vector<std::vector<std::uint8_t>> branches_;  ///< number of models it comes from, by model and query
  std::vector<ModelPaths> paths_;
};

/// Returns the paths in a task tree. `means` is, by model, the mean number of visits that one visit at the
/// task before causes there: each number is drawn independently of all else, as one of the two whole numbers
/// around the mean. If it is empty, the queries have their own fan-outs.
std::vector<ModelPaths> tree_paths(const Pipeline& pipeline, std::size_t queries, std::uint64_t seed,
                                   RequestId first, const std::vector<double>& means) {
  const FanOut fan_out(pipeline, seed);
  std::vector<ModelPaths> paths(pipeline.modules.size());
  std::vector<std::vector<std::uint64_t>> keys(paths.size());  // keys of FanOut, by visit
  for (std::size_t query = 0; query < queries; ++query)
    keys.front().push_back(fan_out.first_key(first + query));
  for (ModuleId m = 0; m < paths.size(); ++m) {
    paths[m].is_sure.assign(pipeline.modules[m].subs.size(), false);
    paths[m].visits = queries;
    if (m == 0) continue;
    const ModuleId from = pipeline.modules[m].pres.front();
    const std::size_t sub = place_in_subs(pipeline.modules[from], m);
    RandomStream random(seed, kStream, m);
    ModelPaths& here = paths[m];
    bool is_sure = true;
    for (std::uint32_t visit = 0; visit < keys[from].size(); ++visit) {
      const std::uint64_t key = keys[from][visit];
      std::uint32_t count = 0;
      if (means.empty()) {
        count = fan_out.children(from, sub, key);
      } else {
        const double whole = std::floor(means[m]);
        count = static_cast<std::uint32_t>(whole) + (random.uniform() < means[m] - whole ? 1 : 0);
      }
      is_sure = is_sure && count > 0;
      here.caused.push_back(static_cast<std::uint32_t>(keys[m].size()));
      here.query_of.insert(here.query_of.end(), count, from == 0 ? visit : paths[from].query_of[visit]);
      for (std::uint32_t child = 0; child < count; ++child)
        keys[m].push_back(FanOut::child_key(key, sub, child));
      if (keys[m].size() > kMaxVisits) {
        throw InputError("the sample that inferline plans by causes more than " + std::to_string(kMaxVisits) +
                         " visits at " + pipeline.modules[m].name);
      }
    }
    here.visits = keys[m].size();
    here.caused.push_back(static_cast<std::uint32_t>(here.visits));
    paths[from].is_sure[sub] = is_sure;
  }
  for (ModelPaths& at : paths) at.measured = at.visits;
  find_ends(paths);
  return paths;
}

std::vector<ModelPaths> independent_tree_paths(const Pipeline& pipeline, std::size_t queries,
                                               std::uint64_t seed, RequestId first,
                                               const std::vector<ModelPaths>& own) {
  std::vector<double> means;
  for (ModuleId m = 0; m < own.size(); ++m) {
    const std::vector<ModuleId>& pres = pipeline.modules[m].pres;
    const std::size_t before = pres.empty() ? queries : own[pres.front()].measured;
    means.push_back(static_cast<double>(own[m].measured) /
                    static_cast<double>(std::max<std::size_t>(1, before)));
  }
  std::vector<ModelPaths> drawn = tree_paths(pipeline, queries, seed, first, means);
  for (ModuleId m = 0; m < own.size(); ++m) drawn[m].measured = own[m].measured;
  return drawn;
}

}  // namespace

std::vector<ModelPaths> sample_paths(const Pipeline& pipeline, std::size_t queries, std::uint64_t seed,
                                     PathDraws draws, RequestId first) {
  if (!pipeline.has_tasks()) return GraphPaths(pipeline, queries, seed, draws, first).read();
  HARNESS_CHECK(pipeline.tasks.size() == pipeline.modules.size(), "a task has several variants");
  std::vector<ModelPaths> own = tree_paths(pipeline, queries, seed, first, {});
  return draws == PathDraws::kRoute ? own : independent_tree_paths(pipeline, queries, seed, first, own);
}

}  // namespace harness
