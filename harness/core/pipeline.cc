#include "harness/core/pipeline.h"

#include <algorithm>
#include <map>
#include <set>

namespace harness {
namespace {

using Edges = std::vector<std::set<std::size_t>>;

std::string add_edges(const std::vector<Module>& modules, const std::vector<std::vector<std::string>>& names,
                      bool names_are_pres, Edges& successors) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < modules.size(); ++i) index[modules[i].name] = i;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const std::string& other : names[i]) {
      const auto found = index.find(other);
      const char* list = names_are_pres ? "pres" : "subs";
      if (found == index.end()) {
        return "module '" + modules[i].name + "': " + list + " names the unknown module '" + other + "'";
      }
      if (names_are_pres) {
        successors[found->second].insert(i);
      } else {
        successors[i].insert(found->second);
      }
    }
  }
  return "";
}

/// Orders by Kahn's algorithm; among ready modules the first in the file comes first.
std::vector<std::size_t> topological_order(const Edges& successors) {
  std::vector<int> missing(successors.size(), 0);
  for (const auto& targets : successors) {
    for (const std::size_t target : targets) ++missing[target];
  }
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (missing[i] == 0) ready.insert(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(next);
    for (const std::size_t target : successors[next]) {
      if (--missing[target] == 0) ready.insert(target);
    }
  }
  return order;
}

std::string check_names(const std::vector<Module>& modules) {
  if (modules.empty()) return "the pipeline has no modules";
  std::set<std::string> seen;
  for (const Module& module : modules) {
    if (module.name.empty()) return "a module has an empty name";
    if (!seen.insert(module.name).second) return "two modules are named '" + module.name + "'";
  }
  return "";
}

void reorder(Pipeline& pipeline, const Edges& successors, const std::vector<std::size_t>& order) {
  std::vector<ModuleId> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<ModuleId>(i);
  std::vector<Module> sorted;
  for (const std::size_t old : order) {
    Module module = pipeline.modules[old];
    module.pres.clear();
    module.subs.clear();
    for (const std::size_t target : successors[old]) module.subs.push_back(place[target]);
    std::sort(module.subs.begin(), module.subs.end());
    sorted.push_back(std::move(module));
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (const ModuleId sub : sorted[i].subs) sorted[sub].pres.push_back(static_cast<ModuleId>(i));
  }
  pipeline.modules = std::move(sorted);
}

std::string check_entries(const Pipeline& pipeline) {
  const std::vector<Module>& modules = pipeline.modules;
  const std::vector<ModuleId> entries = entries_of(pipeline);
  for (std::size_t i = 1; i < modules.size(); ++i) {
    if (modules[i].pres.empty() && !pipeline.independent) {
      return "two entries, '" + modules[0].name + "' and '" + modules[i].name +
             "': give one of them pres, or set independent = true";
    }
    for (const ModuleId pre : modules[i].pres) {
      if (entries[pre] != entries[i])
        return "module '" + modules[i].name + "' is reached from two entries, '" + modules[entries[i]].name +
               "' and '" + modules[entries[pre]].name + "'";
    }
  }
  return "";
}

}  // namespace

std::string link_modules(Pipeline& pipeline, const std::vector<std::vector<std::string>>& pres_names,
                         const std::vector<std::vector<std::string>>& subs_names) {
  constexpr std::size_t kMaxModules = 64;
  if (std::string wrong = check_names(pipeline.modules); !wrong.empty()) return wrong;
  if (pipeline.modules.size() > kMaxModules) return "more than 64 modules";
  Edges successors(pipeline.modules.size());
  std::string wrong = add_edges(pipeline.modules, pres_names, true, successors);
  if (wrong.empty()) wrong = add_edges(pipeline.modules, subs_names, false, successors);
  if (!wrong.empty()) return wrong;
  const std::vector<std::size_t> order = topological_order(successors);
  if (order.size() < pipeline.modules.size()) {
    std::vector<std::string> cyclic;
    for (std::size_t i = 0; i < pipeline.modules.size(); ++i) {
      if (std::find(order.begin(), order.end(), i) == order.end()) cyclic.push_back(pipeline.modules[i].name);
    }
    std::string names;
    for (const std::string& name : cyclic) names += (names.empty() ? "" : ", ") + name;
    return "the modules form a cycle: " + names;
  }
  reorder(pipeline, successors, order);
  return check_entries(pipeline);
}

namespace {

/// Returns the number of ways in which a module with so many subs can send a request on, or some number above
/// kMaxRoutes if there are more than that.
std::size_t ways(Branches branches, std::size_t subs) {
  if (branches == Branches::kAll) return 1;
  if (branches == Branches::kOne) return subs;
  return subs < 13 ? std::size_t{1} << subs : kMaxRoutes + 1;
}

/// Puts the weights into the order of the module's subs; returns "" or what is wrong.
std::string sort_weights(const Pipeline& pipeline, const Module& chooser, const char* what,
                         const std::vector<std::string>& order, const std::vector<double>& weights,
                         std::vector<double>& sorted) {
  const std::size_t subs = chooser.subs.size();
  for (const ModuleId sub : chooser.subs) {
    const auto name = std::find(order.begin(), order.end(), pipeline.modules[sub].name);
    if (name == order.end() || order.size() != subs || weights.size() != subs) {
      return "module '" + chooser.name + "' needs one " + what + " for each of the " + std::to_string(subs) +
             " modules after it";
    }
    sorted.push_back(weights[static_cast<std::size_t>(name - order.begin())]);
  }
  return "";
}

std::string choose(Pipeline& pipeline, const std::string& module, Branches branches,
                   const std::vector<std::string>& order, const std::vector<double>& weights) {
  std::vector<Module>& modules = pipeline.modules;
  const auto chooser =
      std::find_if(modules.begin(), modules.end(), [&](const Module& each) { return each.name == module; });
  if (chooser == modules.end()) return "unknown module '" + module + "'";
  const std::size_t subs = chooser->subs.size();
  if (subs < (branches == Branches::kOne ? 2U : 1U))
    return "module '" + module + "' has " + (subs == 0 ? "no module" : "one module") + " after it";
  std::size_t routes = ways(branches, subs);
  for (const Module& each : modules) {
    if (&each != &*chooser)
      routes = std::min(routes * ways(each.branches, each.subs.size()), kMaxRoutes * kMaxRoutes);
  }
  if (routes > kMaxRoutes)
    return "the choices of the modules combine to more than " + std::to_string(kMaxRoutes) + " routes";
  std::vector<double> sorted;
  const bool is_each = branches == Branches::kEach;
  if (order.empty() && weights.empty() && !is_each) {
    sorted.assign(subs, 1.0);
  } else if (std::string wrong =
                 sort_weights(pipeline, *chooser, is_each ? "probability" : "weight", order, weights, sorted);
             !wrong.empty()) {
    return wrong;
  }
  for (const double weight : sorted) {
    if (!(weight > 0)) return "module '" + module + "' has a weight that is not positive";
    if (is_each && weight > 1) return "module '" + module + "' has a probability above 1";
  }
  chooser->branches = branches;
  chooser->branch_weights = std::move(sorted);
  return "";
}

}  // namespace

std::string choose_one(Pipeline& pipeline, const std::string& module, const std::vector<std::string>& order,
                       const std::vector<double>& weights) {
  return choose(pipeline, module, Branches::kOne, order, weights);
}

std::string choose_each(Pipeline& pipeline, const std::string& module, const std::vector<std::string>& order,
                        const std::vector<double>& probabilities) {
  return choose(pipeline, module, Branches::kEach, order, probabilities);
}

std::vector<double> longest_after(const Pipeline& pipeline, const std::vector<double>& cost) {
  std::vector<double> longest(pipeline.modules.size(), 0.0);
  for (std::size_t i = pipeline.modules.size(); i-- > 0;) {
    for (const ModuleId sub : pipeline.modules[i].subs)
      longest[i] = std::max(longest[i], cost[sub] + longest[sub]);
  }
  return longest;
}

std::vector<double> longest_before(const Pipeline& pipeline, const std::vector<double>& cost) {
  std::vector<double> longest(pipeline.modules.size(), 0.0);
  for (std::size_t i = 0; i < pipeline.modules.size(); ++i) {
    for (const ModuleId pre : pipeline.modules[i].pres)
      longest[i] = std::max(longest[i], cost[pre] + longest[pre]);
  }
  return longest;
}

std::vector<ModuleId> entries_in(const Pipeline& pipeline) {
  std::vector<ModuleId> entries;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    const auto module = static_cast<ModuleId>(m);
    if (pipeline.modules[m].pres.empty() && pipeline.task_of(module) == module) entries.push_back(module);
  }
  return entries;
}

std::vector<ModuleId> entries_of(const Pipeline& pipeline) {
  std::vector<ModuleId> entries(pipeline.modules.size());
  for (std::size_t m = 0; m < entries.size(); ++m) {
    const std::vector<ModuleId>& pres = pipeline.modules[m].pres;
    entries[m] = pres.empty() ? pipeline.task_of(static_cast<ModuleId>(m)) : entries[pres.front()];
  }
  return entries;
}

std::vector<bool> modules_after(const Pipeline& pipeline, ModuleId from) {
  std::vector<bool> after(pipeline.modules.size(), false);
  for (std::size_t i = from; i < after.size(); ++i) {
    if (i != from && !after[i]) continue;
    for (const ModuleId sub : pipeline.modules[i].subs) after[sub] = true;
  }
  return after;
}

std::vector<std::vector<ModuleId>> paths_after(const Pipeline& pipeline, ModuleId from) {
  const Module& module = pipeline.modules[from];
  if (module.subs.empty()) return {{}};
  std::vector<std::vector<ModuleId>> paths;
  for (const ModuleId sub : module.subs) {
    for (std::vector<ModuleId>& tail : paths_after(pipeline, sub)) {
      tail.insert(tail.begin(), sub);
      paths.push_back(std::move(tail));
    }
  }
  return paths;
}

}  // namespace harness
