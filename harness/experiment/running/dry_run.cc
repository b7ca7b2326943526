#include "harness/experiment/running/experiment_run.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "harness/core/error.h"
#include "harness/experiment/running/progress.h"
#include "harness/live/protocol/layout.h"

namespace harness {
namespace {

using Line = std::array<std::string, 5>;

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string names_text(const PreparedCell& cell, const WorkerGroup& group) {
  if (group.modules.size() == cell.module_names.size()) return "all";
  std::string text;
  for (const ModuleId module : group.modules) text += (text.empty() ? "" : ", ") + cell.module_names[module];
  return text;
}

constexpr std::size_t kMaxParts = 4;  // of a plan of groups shown one by one

/// "7 to 42", "12".
std::string range_text(int least, int most) {
  return std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
}

/// "16 groups of 1 to 12 for 2 to 9 models each".
std::string many_groups_text(const std::vector<WorkerGroup>& groups) {
  const auto [few, many] =
      std::minmax_element(groups.begin(), groups.end(),
                          [](const WorkerGroup& a, const WorkerGroup& b) { return a.workers < b.workers; });
  const auto [short_one, long_one] = std::minmax_element(
      groups.begin(), groups.end(),
      [](const WorkerGroup& a, const WorkerGroup& b) { return a.modules.size() < b.modules.size(); });
  return "; " + std::to_string(groups.size()) + " groups of " + range_text(few->workers, many->workers) +
         " for " +
         range_text(static_cast<int>(short_one->modules.size()), static_cast<int>(long_one->modules.size())) +
         " models each";
}

/// "; groups of workers: 12 for all; 2 x 4 for a, b": equal ones that follow each other together; "; one
/// group of 12 for all"; of many no names; "" where modules have workers of their own.
std::string groups_text(const PreparedCell& cell) {
  const std::vector<WorkerGroup>& groups = cell.plan.groups;
  if (groups.size() == 1)
    return "; one group of " + std::to_string(groups[0].workers) + " for " + names_text(cell, groups[0]);
  std::string text;
  std::size_t parts = 0;
  for (std::size_t from = 0; from < groups.size(); ++parts) {
    std::size_t to = from + 1;
    const WorkerGroup& first = groups[from];
    while (to < groups.size() && groups[to].workers == first.workers && groups[to].modules == first.modules)
      ++to;
    text += text.empty() ? "; groups of workers: " : "; ";
    if (to - from > 1) text += std::to_string(to - from) + " x ";
    text += std::to_string(first.workers) + " for " + names_text(cell, first);
    from = to;
  }
  return parts <= kMaxParts ? text : many_groups_text(groups);
}

std::string module_text(const ModulePlan& module) {
  if (module.workers == 0) return "without a worker";
  return std::to_string(module.max_batch) + " x " + std::to_string(module.workers);
}

/// "13 models 7 to 42 x 1 to 4".
std::string many_modules_text(const std::vector<ModulePlan>& modules) {
  const auto [small, large] =
      std::minmax_element(modules.begin(), modules.end(),
                          [](const ModulePlan& a, const ModulePlan& b) { return a.max_batch < b.max_batch; });
  const auto [few, many] =
      std::minmax_element(modules.begin(), modules.end(),
                          [](const ModulePlan& a, const ModulePlan& b) { return a.workers < b.workers; });
  return std::to_string(modules.size()) + " models " + range_text(small->max_batch, large->max_batch) +
         " x " + range_text(few->workers, many->workers);
}

/// "13 models 128 x 12": where groups of workers serve several modules, those of one batch and number of
/// workers together, in the order of the first of them; of many the ranges.
std::string modules_text(const PreparedCell& cell) {
  struct Alike {
    std::string name;
    std::string plan;
    std::size_t count = 1;
  };
  std::vector<Alike> all;
  for (std::size_t k = 0; k < cell.plan.modules.size(); ++k) {
    const std::string plan = module_text(cell.plan.modules[k]);
    const auto same =
        std::find_if(all.begin(), all.end(), [&plan](const Alike& one) { return one.plan == plan; });
    if (cell.plan.groups.empty() || same == all.end())
      all.push_back({cell.module_names[k], plan});
    else
      ++same->count;
  }
  if (!cell.plan.groups.empty() && all.size() > kMaxParts) return many_modules_text(cell.plan.modules);
  std::string text;
  for (const Alike& one : all) {
    text += (text.empty() ? "" : ", ") + (one.count == 1 ? one.name : std::to_string(one.count) + " models") +
            " " + one.plan;
  }
  return text;
}

std::string plan_text(const PreparedCell& cell) {
  if (!cell.why.empty()) return "skipped: " + cell.why;
  return modules_text(cell) + groups_text(cell);
}

Line line_of(const PreparedCell& cell) {
  return {std::to_string(cell.identity.index) + "  " + cell_title(cell.identity, ns_to_ms(cell.slo_ns)),
          number("%.1f", cell.capacity_rps), number("%.1f", cell.offered_rps),
          number("%.0f", cell.expected_requests), plan_text(cell)};
}

}  // namespace

std::string dry_run_table(const std::vector<PreparedCell>& cells) {
  std::vector<Line> lines = {{"cell", "capacity/s", "offered/s", "requests", "modules: batch x workers"}};
  for (const PreparedCell& cell : cells) lines.push_back(line_of(cell));
  std::array<std::size_t, 4> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - line[i].size(), ' ');
      text += i == 0 ? line[i] + padding : "  " + padding + line[i];
    }
    text += "  " + line[4] + "\n";
  }
  return text;
}

std::vector<std::string> run_notes(const CellFactory& factory, std::span<const DeviceNeed> needs,
                                   std::span<const RankMachine> machines) {
  std::vector<std::string> notes = factory.trace_remarks();
  for (const std::string& note : device_notes(needs, machines)) notes.push_back("warning: " + note);
  return notes;
}

std::string layout_text(const std::vector<PreparedCell>& cells, int ranks) {
  std::set<std::string> lines;
  for (const PreparedCell& cell : cells) {
    if (!is_live(cell) || !cell.why.empty()) continue;
    const int workers = cell.settings.cluster.workers;
    const Layout layout(workers, ranks, cell.settings.live);
    const int hosts = ranks - 1 - layout.idle_ranks();
    std::string line = name_of(cell.cell.runtime) + std::string(": ") + counted(workers, "worker") + " ";
    if (ranks == 1)
      line += "in one process with the load generator";
    else
      line += "on " + std::to_string(hosts) + " of " + std::to_string(ranks) + " ranks, at most " +
              std::to_string(layout.gpus_per_rank()) + " on each; rank 0 sends";
    lines.insert(line + "\n");
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string dry_run_total(const std::vector<PreparedCell>& cells) {
  double requests = 0;
  double live_s = 0;
  for (const PreparedCell& cell : cells) {
    if (!cell.why.empty()) continue;
    requests += cell.expected_requests;
    if (is_live(cell)) live_s += cell.duration_s;
  }
  const std::string wall = live_s > 0 ? ", " + short_time(live_s) + " of wall-clock time" : "";
  return counted(cells.size(), "cell") + ", " + short_count(requests) + " requests" + wall;
}

}  // namespace harness
