#include "harness/experiment/dry_run.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "harness/core/counted.h"
#include "harness/experiment/progress.h"
#include "harness/live/layout.h"

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

/// "; groups of workers: 12 for all; 2 x 4 for a, b": equal ones that follow each other together; "" where
/// modules have workers of their own, and where one group has all.
std::string groups_text(const PreparedCell& cell) {
  const std::vector<WorkerGroup>& groups = cell.plan.groups;
  if (groups.size() <= 1) return "";
  std::string text;
  for (std::size_t from = 0; from < groups.size();) {
    std::size_t to = from + 1;
    const WorkerGroup& first = groups[from];
    while (to < groups.size() && groups[to].workers == first.workers && groups[to].modules == first.modules)
      ++to;
    text += text.empty() ? "; groups of workers: " : "; ";
    if (to - from > 1) text += std::to_string(to - from) + " x ";
    text += std::to_string(first.workers) + " for " + names_text(cell, first);
    from = to;
  }
  return text;
}

std::string plan_text(const PreparedCell& cell) {
  if (!cell.why.empty()) return "skipped: " + cell.why;
  std::string text;
  for (std::size_t k = 0; k < cell.plan.modules.size(); ++k) {
    const ModulePlan& module = cell.plan.modules[k];
    text += (k == 0 ? "" : ", ") + cell.module_names[k] + " " + std::to_string(module.batch_cap) + " x " +
            std::to_string(module.workers);
  }
  return text + groups_text(cell);
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

std::string layout_text(const std::vector<PreparedCell>& cells, int ranks) {
  std::set<std::string> lines;
  for (const PreparedCell& cell : cells) {
    if (!is_live(cell) || !cell.why.empty()) continue;
    const Layout layout(cell.workers, ranks, cell.live);
    const int hosts = ranks - 1 - layout.idle_ranks();
    std::string line = name_of(cell.runtime) + std::string(": ") + counted(cell.workers, "worker") + " ";
    if (ranks == 1)
      line += "in one process with the sender";
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
