#include "systems/quart/keys_placement.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "systems/quart/dispersion.h"
#include "systems/quart/quart_plan_details.h"

namespace harness {
namespace {

constexpr double kMemoryLimit = 0.85;  // section 6.1: above this share of the memory copies are dropped
constexpr double kMbBytes = 1e6;
constexpr double kHalfByteMb = 0.5 / kMbBytes;  // sizes are whole bytes

class KeysPlacement final : public Placement {
 public:
  KeysPlacement(const ServingContext& context, const PlacementParams& params)
      : context_(context), params_(params) {
    for (const Profile* profile : context.profiles) {
      size_mb_.push_back(std::round(profile->memory_mb * kMbBytes) / kMbBytes);
      cores_.push_back(profile->cores);
    }
    is_key_.resize(size_mb_.size(), 0);
    workers_.resize(size_mb_.size(), std::numeric_limits<int>::max());
  }

  void on_plan(TimeNs, const Plan& plan) override {
    const auto* details = dynamic_cast<const QuartPlanDetails*>(plan.details.get());
    HARNESS_CHECK(details == nullptr || details->is_key.size() == is_key_.size(), "details of other stages");
    keys_.clear();
    for (ModuleId m = 0; m < is_key_.size(); ++m) {
      const int workers = plan.modules[m].workers;
      if (details != nullptr)
        is_key_[m] = details->is_key[m];
      else if (workers > workers_[m])
        is_key_[m] = 1;
      workers_[m] = workers;
      if (is_key_[m] != 0 && workers > 0) keys_.push_back(m);
      cores_[m] = plan.modules[m].cores > 0 ? plan.modules[m].cores : context_.profiles[m]->cores;
    }
  }

  std::uint32_t place(TimeNs, ModuleId module, std::span<const ServerView> servers) override {
    const bool spreads =
        params_.placement == ServerChoice::kQuart && is_key_[module] != 0 && is_contended(servers);
    if (spreads) find_excess(module, servers);
    double most_excess = kInfinity;
    for (std::uint32_t server = 0; spreads && server < servers.size(); ++server) {
      // Instances are whole: half of one more makes no difference.
      if (has_room(servers[server], module)) most_excess = std::min(most_excess, row_[server] + 0.5);
    }
    std::uint32_t best = kNoServer;
    Rank best_rank;
    for (std::uint32_t server = 0; server < servers.size(); ++server) {
      if (!has_room(servers[server], module) || (spreads && row_[server] > most_excess)) continue;
      if (params_.placement == ServerChoice::kFirstFit) return server;
      const Rank rank = rank_of(module, servers[server]);
      if (best != kNoServer && !(rank < best_rank)) continue;
      best = server;
      best_rank = rank;
    }
    return best;
  }

  void make_room(TimeNs, std::uint32_t, ModuleId module, double missing_mb, const ServerView& view,
                 MemoryDecisions& out) override {
    const double rest_mb = drop_oldest(view, missing_mb, out, module);
    if (rest_mb > kHalfByteMb) out.drop(module);
  }

  void on_started(TimeNs, std::uint32_t, ModuleId module, const ServerView& view,
                  MemoryDecisions& out) override {
    if (is_cached(module)) out.keep(module);
    drop_oldest(view, above_limit_mb(view), out);
  }

  void on_left(TimeNs, std::uint32_t, ModuleId module, const ServerView& view,
               MemoryDecisions& out) override {
    const ServerModule& left = view.modules[module];
    const bool is_new = is_cached(module) && !left.is_kept;
    const bool takes_memory = is_new && left.instances == 0;
    const double rest_mb =
        drop_oldest(view, above_limit_mb(view) + (takes_memory ? size_mb_[module] : 0.0), out);
    // Its copy is the one used last: it is kept only if other copies can give back enough memory.
    if (is_new && (!takes_memory || rest_mb <= kHalfByteMb)) out.keep(module);
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  /// The rank of a server; the least is the best.
  struct Rank {
    bool lacks_copy = false;
    bool has_keys = false;
    int free_gpus = 0;  ///< number of free GPUs; negative if most are best
    int of_stage = 0;   ///< number of instances of the stage, for key stages
    auto operator<=>(const Rank&) const = default;
  };

  bool is_cached(ModuleId module) const {
    return params_.cache == CachedStages::kAll ||
           (params_.cache == CachedStages::kKeys && is_key_[module] != 0);
  }

  /// True if the module has a copy that gives memory back.
  static bool can_go(const ServerModule& module) {
    return module.is_kept && !module.is_shared && !module.is_source;
  }

  bool has_room(const ServerView& view, ModuleId module) const {
    if (view.free_gpus < context_.profiles[module]->gpus || view.free_cores < cores_[module]) return false;
    double free_mb = view.free_memory_mb + kHalfByteMb;
    for (ModuleId m = 0; free_mb < size_mb_[module] && m < view.modules.size(); ++m)
      free_mb += can_go(view.modules[m]) ? size_mb_[m] : 0.0;
    return free_mb >= size_mb_[module];
  }

  /// True if there are more key stages than servers that have room for one and for it to grow.
  bool is_contended(std::span<const ServerView> servers) const {
    const auto is_roomy = [this](const ServerView& view) { return view.free_gpus >= params_.roomy_gpus; };
    return std::count_if(servers.begin(), servers.end(), is_roomy) < std::ssize(keys_);
  }

  Rank rank_of(ModuleId module, const ServerView& view) const {
    Rank rank;
    rank.lacks_copy = is_cached(module) && !view.modules[module].is_kept;
    rank.free_gpus = is_key_[module] != 0 ? -view.free_gpus : view.free_gpus;
    rank.of_stage = is_key_[module] != 0 ? view.modules[module].instances : 0;
    rank.has_keys = is_key_[module] == 0 && std::any_of(keys_.begin(), keys_.end(), [&view](ModuleId key) {
                      return view.modules[key].instances > 0;
                    });
    return rank;
  }

  /// Writes to row_, by server, its instances beyond the number that the stage's row gives it of all
  /// instances, including the new one.
  void find_excess(ModuleId module, std::span<const ServerView> servers) {
    row_.resize(servers.size());
    double instances = 0;
    for (const ServerView& view : servers) instances += view.modules[module].instances;
    for (std::size_t j = 0; j < servers.size(); ++j) {
      row_[j] = instances > 0 ? servers[j].modules[module].instances / instances
                              : 1 / static_cast<double>(servers.size());
    }
    dispersion_.disperse(row_, params_.kl_threshold);
    for (std::size_t j = 0; j < servers.size(); ++j)
      row_[j] = servers[j].modules[module].instances - (instances + 1) * row_[j];
  }

  double above_limit_mb(const ServerView& view) const {
    const double capacity_mb = context_.servers.memory_mb;
    if (capacity_mb == 0) return -kInfinity;
    return (capacity_mb - view.free_memory_mb) - kMemoryLimit * capacity_mb;
  }

  /// Drops copies, the ones used longest ago first and `spared` never, until `mb` of memory are free; returns
  /// what is still lacking.
  double drop_oldest(const ServerView& view, double mb, MemoryDecisions& out, int spared = -1) const {
    std::pair<TimeNs, int> last{-1, -1};
    while (mb > kHalfByteMb) {
      std::pair<TimeNs, int> oldest{kNever, 0};
      for (ModuleId m = 0; m < view.modules.size(); ++m) {
        const std::pair<TimeNs, int> one{view.modules[m].used_ns, m};
        if (m != spared && can_go(view.modules[m]) && one > last) oldest = std::min(oldest, one);
      }
      if (oldest.first == kNever) break;
      const auto module = static_cast<ModuleId>(oldest.second);
      out.drop(module);
      mb -= size_mb_[module];
      last = oldest;
    }
    return mb;
  }

  const ServingContext& context_;
  PlacementParams params_;
  std::vector<double> size_mb_;       ///< size of the parameters, by module
  std::vector<int> cores_;            ///< cores of an instance in the plan in force, by module
  std::vector<std::uint8_t> is_key_;  ///< 1 if it is a key stage, by module
  std::vector<int> workers_;          ///< planned workers, by module; the largest int before the first plan
  std::vector<ModuleId> keys_;        ///< key stages that have workers
  Dispersion dispersion_;
  std::vector<double> row_;  ///< scratch memory, by server
};

}  // namespace

std::unique_ptr<Placement> make_keys_placement(const ServingContext& context, const PlacementParams& params) {
  return std::make_unique<KeysPlacement>(context, params);
}

}  // namespace harness
