#include "harness/core/task_spec.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace harness {
namespace {

constexpr std::size_t kMaxVariants = 64;
constexpr double kMaxFanOut = 100;

/// Makes the tasks the modules of a plain pipeline, which checks names and finds the order. Returns "" or
/// what is wrong.
std::string order_tasks(const std::vector<TaskSpec>& tasks, Pipeline& plain) {
  std::vector<std::vector<std::string>> subs;
  for (const TaskSpec& task : tasks) {
    plain.modules.emplace_back().name = task.name;
    subs.push_back(task.subs);
  }
  if (std::string wrong = link_modules(plain, std::vector<std::vector<std::string>>(tasks.size()), subs);
      !wrong.empty())
    return wrong;
  for (const Module& task : plain.modules) {
    if (task.pres.size() > 1) return "task '" + task.name + "' comes after two tasks: not a tree";
  }
  return "";
}

std::string check_variant(const TaskSpec& task, const Module& variant) {
  const std::string name = "task '" + task.name + "', variant '" + variant.model + "': ";
  if (!(variant.accuracy > 0 && variant.accuracy <= 1)) return name + "accuracy must be above 0, at most 1";
  if (variant.fan_out.size() != task.subs.size()) return name + "needs one fan_out for each of its subs";
  for (const double mean : variant.fan_out) {
    if (!(mean >= 0 && mean <= kMaxFanOut)) return name + "fan_out must lie between 0 and 100";
  }
  const auto same = [&](const Module& other) { return other.model == variant.model; };
  return std::count_if(task.variants.begin(), task.variants.end(), same) > 1 ? name + "named twice" : "";
}

std::string check_variants(const std::vector<TaskSpec>& tasks) {
  std::size_t modules = 0;
  for (const TaskSpec& task : tasks) {
    if (task.variants.empty()) return "task '" + task.name + "' has no variants";
    for (const Module& variant : task.variants) {
      if (std::string wrong = check_variant(task, variant); !wrong.empty()) return wrong;
    }
    modules += task.variants.size();
  }
  return modules > kMaxVariants ? "more than 64 variants" : "";
}

/// Returns the values, which are by entry of `names`, in the order of `wanted`.
std::vector<double> reordered(const std::vector<double>& values, const std::vector<std::string>& names,
                              const std::vector<std::string>& wanted) {
  std::vector<double> sorted;
  for (const std::string& name : wanted) {
    const auto place = std::find(names.begin(), names.end(), name) - names.begin();
    sorted.push_back(values[static_cast<std::size_t>(place)]);
  }
  return sorted;
}

void append_task(const TaskSpec& spec, const std::vector<std::string>& sub_names, Pipeline& pipeline) {
  const auto first = static_cast<ModuleId>(pipeline.modules.size());
  pipeline.tasks.push_back({spec.name, first, static_cast<int>(spec.variants.size())});
  std::vector<Module> variants = spec.variants;
  std::stable_sort(variants.begin(), variants.end(),
                   [](const Module& a, const Module& b) { return a.accuracy > b.accuracy; });
  for (Module& variant : variants) {
    variant.name = spec.name + ":" + variant.model;
    variant.task = first;
    variant.fan_out = reordered(variant.fan_out, spec.subs, sub_names);
    pipeline.modules.push_back(std::move(variant));
  }
}

}  // namespace

std::string link_tasks(Pipeline& pipeline, const std::vector<TaskSpec>& tasks) {
  Pipeline plain;
  if (std::string wrong = order_tasks(tasks, plain); !wrong.empty()) return wrong;
  if (std::string wrong = check_variants(tasks); !wrong.empty()) return wrong;
  pipeline.tasks.clear();
  pipeline.modules.clear();
  for (const Module& task : plain.modules) {
    const auto spec = std::find_if(tasks.begin(), tasks.end(),
                                   [&](const TaskSpec& each) { return each.name == task.name; });
    std::vector<std::string> sub_names;
    for (const ModuleId sub : task.subs) sub_names.push_back(plain.modules[sub].name);
    append_task(*spec, sub_names, pipeline);
  }
  for (std::size_t t = 0; t < pipeline.tasks.size(); ++t) {
    const Task& task = pipeline.tasks[t];
    for (int v = 0; v < task.variants; ++v) {
      Module& module = pipeline.modules[std::size_t{task.first} + static_cast<std::size_t>(v)];
      for (const ModuleId sub : plain.modules[t].subs) module.subs.push_back(pipeline.tasks[sub].first);
      for (const ModuleId pre : plain.modules[t].pres) module.pres.push_back(pipeline.tasks[pre].first);
    }
  }
  return "";
}

}  // namespace harness
