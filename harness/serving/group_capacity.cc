#include "harness/serving/group_capacity.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

#include "harness/core/types.h"

namespace harness {
namespace {

constexpr double kRounding = 1e-11;  ///< work that may be left over, per worker
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

/// Divides the modules' work over the groups by augmenting paths.
class Division {
 public:
  Division(std::span<const WorkerGroup> groups, const std::vector<double>& seconds)
      : groups_(groups), seconds_(seconds) {
    for (const WorkerGroup& group : groups) rounding_ += kRounding * group.workers;
  }

  /// True if the groups carry the rate; if not, modules() is a set of modules that is too much for the groups
  /// that serve it.
  bool carries(double rps);
  const std::vector<bool>& modules() const { return reached_; }

 private:
  /// Moves work of that module, at most `need`, along a shortest path to a group with room; returns the
  /// amount moved, 0 if there is no such path.
  double augment(std::size_t module, double need);
  std::size_t find_room(std::size_t module);
  bool serves(std::size_t group, std::size_t module) const {
    const std::vector<ModuleId>& served = groups_[group].modules;
    return std::find(served.begin(), served.end(), static_cast<ModuleId>(module)) != served.end();
  }

  std::span<const WorkerGroup> groups_;
  const std::vector<double>& seconds_;
  double rounding_ = 0;
  std::vector<std::vector<double>> work_;  ///< work of each module in each group: [group][module]
  std::vector<double> room_;               ///< room left in each group
  std::vector<bool> reached_;
  std::vector<std::size_t> from_group_;   ///< group from which each module would take over work
  std::vector<std::size_t> from_module_;  ///< module that reached each group; kNowhere: not reached
};

bool Division::carries(double rps) {
  work_.assign(groups_.size(), std::vector<double>(seconds_.size(), 0.0));
  room_.clear();
  for (const WorkerGroup& group : groups_) room_.push_back(group.workers);
  for (std::size_t m = 0; m < seconds_.size(); ++m) {
    double need = rps * seconds_[m];
    while (need > rounding_) {
      const double moved = augment(m, need);
      if (moved <= 0) return false;
      need -= moved;
    }
  }
  return true;
}

std::size_t Division::find_room(std::size_t module) {
  reached_.assign(seconds_.size(), false);
  from_group_.assign(seconds_.size(), kNowhere);
  from_module_.assign(groups_.size(), kNowhere);
  std::vector<std::size_t> queue = {module};
  reached_[module] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::size_t m = queue[next];
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (from_module_[g] != kNowhere || !serves(g, m)) continue;
      from_module_[g] = m;
      if (room_[g] > 0) return g;
      for (std::size_t other = 0; other < seconds_.size(); ++other) {
        if (reached_[other] || work_[g][other] <= 0) continue;
        reached_[other] = true;
        from_group_[other] = g;
        queue.push_back(other);
      }
    }
  }
  return kNowhere;
}

double Division::augment(std::size_t module, double need) {
  const std::size_t last = find_room(module);
  if (last == kNowhere) return 0;
  double moved = std::min(need, room_[last]);
  for (std::size_t m = from_module_[last]; m != module; m = from_module_[from_group_[m]])
    moved = std::min(moved, work_[from_group_[m]][m]);
  room_[last] -= moved;
  for (std::size_t g = last;;) {
    const std::size_t m = from_module_[g];
    work_[g][m] += moved;
    if (m == module) return moved;
    g = from_group_[m];
    work_[g][m] -= moved;
  }
}

bool is_served(std::span<const WorkerGroup> groups, ModuleId module) {
  return std::any_of(groups.begin(), groups.end(), [module](const WorkerGroup& group) {
    return group.workers > 0 &&
           std::find(group.modules.begin(), group.modules.end(), module) != group.modules.end();
  });
}

/// Merges groups that serve the same modules: the division of work among them does not matter.
std::vector<WorkerGroup> merged(std::span<const WorkerGroup> groups) {
  std::map<std::vector<ModuleId>, int> workers;
  for (const WorkerGroup& group : groups) workers[group.modules] += group.workers;
  std::vector<WorkerGroup> result;
  for (const auto& [modules, count] : workers) result.push_back({count, modules});
  return result;
}

}  // namespace

double group_capacity_rps(std::span<const WorkerGroup> all_groups, const std::vector<double>& rps) {
  const std::vector<WorkerGroup> groups = merged(all_groups);
  std::vector<double> seconds;
  for (const double each : rps) seconds.push_back(1 / each);
  for (ModuleId m = 0; m < rps.size(); ++m) {
    if (seconds[m] > 0 && !is_served(groups, m)) return 0;
  }
  std::vector<bool> modules(rps.size(), true);
  Division division(groups, seconds);
  for (;;) {
    double workers = 0;
    for (const WorkerGroup& group : groups) {
      const bool counts = std::any_of(group.modules.begin(), group.modules.end(),
                                      [&](ModuleId module) { return modules[module]; });
      if (counts) workers += group.workers;
    }
    double needed = 0;
    for (std::size_t m = 0; m < rps.size(); ++m) needed += modules[m] ? seconds[m] : 0.0;
    const double most = workers / needed;
    if (division.carries(most)) return most;
    modules = division.modules();
  }
}

}  // namespace harness
