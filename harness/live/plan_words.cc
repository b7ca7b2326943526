#include "harness/live/plan_words.h"

#include <algorithm>
#include <limits>

#include "harness/core/error.h"
#include "harness/serving/common_plans.h"

namespace harness {
namespace {

[[noreturn]] void throw_damaged() { throw EnvironmentError("a plan that came from another rank is damaged"); }

/// Takes words from the front.
class Words {
 public:
  explicit Words(std::span<const std::int64_t> words) : words_(words) {}

  std::int64_t next(std::int64_t least, std::int64_t most) {
    if (words_.empty() || words_.front() < least || words_.front() > most) throw_damaged();
    const std::int64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }

 private:
  std::span<const std::int64_t> words_;
};

}  // namespace

std::vector<std::int64_t> words_of(const Plan& plan) {
  std::vector<std::int64_t> words = {static_cast<std::int64_t>(plan.modules.size())};
  for (const ModulePlan& module : plan.modules)
    words.insert(words.end(), {module.workers, module.batch_cap, module.exec_ns, module.budget_ns});
  words.push_back(static_cast<std::int64_t>(plan.groups.size()));
  for (const WorkerGroup& group : plan.groups) {
    words.insert(words.end(), {group.workers, static_cast<std::int64_t>(group.modules.size())});
    words.insert(words.end(), group.modules.begin(), group.modules.end());
    words.push_back(static_cast<std::int64_t>(group.batch_caps.size()));
    words.insert(words.end(), group.batch_caps.begin(), group.batch_caps.end());
    words.push_back(group.cycle_ns);
  }
  return words;
}

Plan plan_of(std::span<const std::int64_t> words, std::size_t modules) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto count = static_cast<std::int64_t>(modules);
  Words rest(words);
  Plan plan;
  plan.modules.resize(static_cast<std::size_t>(rest.next(count, count)));
  for (ModulePlan& module : plan.modules) {
    module.workers = static_cast<int>(rest.next(0, kMost));
    module.batch_cap = static_cast<int>(rest.next(1, kMost));
    module.exec_ns = rest.next(0, kNever);
    module.budget_ns = rest.next(0, kNever);
  }
  const auto most_groups = std::min<std::int64_t>(rest.size(), kMostGroups);
  plan.groups.resize(static_cast<std::size_t>(rest.next(0, most_groups)));
  for (WorkerGroup& group : plan.groups) {
    group.workers = static_cast<int>(rest.next(0, kMost));
    group.modules.resize(static_cast<std::size_t>(rest.next(1, count)));
    for (ModuleId& module : group.modules) module = static_cast<ModuleId>(rest.next(0, count - 1));
    const auto served = static_cast<std::int64_t>(group.modules.size());
    group.batch_caps.resize(static_cast<std::size_t>(rest.next(0, served)));
    if (!group.batch_caps.empty() && group.batch_caps.size() != group.modules.size()) throw_damaged();
    for (int& cap : group.batch_caps) cap = static_cast<int>(rest.next(1, kMost));
    group.cycle_ns = rest.next(0, kNever);
  }
  if (rest.size() != 0) throw_damaged();
  return plan;
}

}  // namespace harness
