#include "harness/experiment/running/dry_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/cells/cluster_checks.h"
#include "harness/experiment/running/cell_title.h"
#include "harness/experiment/running/run_notes.h"
#include "harness/experiment/running/short_text.h"
#include "harness/live/protocol/layout.h"
#include "harness/serving/sizing_planner.h"
#include "harness/text/json.h"

namespace harness {
namespace {

using Line = std::array<std::string, 5>;

std::string names_text(const PreparedCell& cell, const WorkerGroup& group) {
  if (group.modules.size() == cell.module_names.size()) return "all";
  std::string text;
  for (const ModuleId module : group.modules) text += (text.empty() ? "" : ", ") + cell.module_names[module];
  return text;
}

constexpr std::size_t kMaxParts = 4;  // number of parts of a plan of groups that are shown one by one

/// Returns "7 to 42", or "12" if both are equal.
std::string range_text(int least, int most) {
  return std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
}

/// Returns "; 16 groups of 1 to 12 for 2 to 9 models each".
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

/// Returns "; groups of workers: 12 for all; 2 x 4 for a, b", with equal groups that follow each other
/// together, or "; one group of 12 for all". It names no models if there are many groups, and is "" if
/// modules have workers of their own.
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

/// Returns "8 x 6" or, if the cluster has several kinds of devices, "8 x 6 k80".
std::string module_text(const PreparedCell& cell, const ModulePlan& module) {
  if (module.workers == 0) return "without a worker";
  const std::vector<DeviceAt>& devices = cell.settings.devices;
  return std::to_string(module.max_batch) + " x " + std::to_string(module.workers) +
         (devices.size() > 1 ? " " + devices[module.device].name : "");
}

/// Returns "13 models 7 to 42 x 1 to 4".
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

/// Returns "13 models 128 x 12": if groups of workers serve several modules, modules with equal batch and
/// number of workers come together, in the order of the first of them; if these are many, only their ranges.
std::string modules_text(const PreparedCell& cell) {
  struct Alike {
    std::string name;
    std::string plan;
    std::size_t count = 1;
  };
  std::vector<Alike> all;
  for (std::size_t k = 0; k < cell.plan.modules.size(); ++k) {
    const std::string plan = module_text(cell, cell.plan.modules[k]);
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
          formatted("%.1f", cell.capacity_rps), formatted("%.1f", cell.offered_rps),
          formatted("%.0f", cell.expected_requests), plan_text(cell)};
}

std::vector<Json> modules_json(const PreparedCell& cell) {
  std::vector<Json> modules;
  for (std::size_t m = 0; m < cell.plan.modules.size(); ++m) {
    JsonObject module;
    module.add("name", cell.module_names[m]);
    module.add("max_batch", cell.plan.modules[m].max_batch);
    module.add("workers", cell.plan.modules[m].workers);
    modules.push_back(module.json());
  }
  return modules;
}

std::vector<Json> groups_json(const PreparedCell& cell) {
  std::vector<Json> groups;
  for (const WorkerGroup& group : cell.plan.groups) {
    std::vector<std::string> names;
    for (const ModuleId module : group.modules) names.push_back(cell.module_names[module]);
    JsonObject one;
    one.add("workers", group.workers);
    one.add("modules", names);
    groups.push_back(one.json());
  }
  return groups;
}

Json cell_json(const PreparedCell& cell) {
  JsonObject object;
  add_names(object, cell.identity, ns_to_ms(cell.slo_ns));
  object.add("duration_s", cell.duration_s);
  object.add("status", std::string(cell.why.empty() ? "planned" : "skipped"));
  object.add("why", cell.why);
  object.add("capacity_rps", cell.capacity_rps);
  object.add("offered_rps", cell.offered_rps);
  object.add("expected_requests", cell.expected_requests);
  object.add("modules", modules_json(cell));
  object.add("groups", groups_json(cell));
  object.add("settings_hash", settings_hash_of(cell.identity.effective_toml));
  return object.json();
}

std::set<std::string> layout_lines(const std::vector<PreparedCell>& cells, int ranks) {
  std::set<std::string> lines;
  for (const PreparedCell& cell : cells) {
    if (const std::string servers = servers_text(cell.settings); !servers.empty()) lines.insert(servers);
    if (!is_live(cell) || !cell.why.empty()) continue;
    if (cell.cell.runtime == Runtime::kServer) {
      lines.insert("server: " + cell.settings.server.url + "; rank 0 sends");
      continue;
    }
    const int workers = cell.settings.cluster.workers;
    const Layout layout(workers, ranks, cell.settings.live);
    const int hosts = ranks - 1 - layout.idle_ranks();
    std::string line = name_of(cell.cell.runtime) + std::string(": ") + counted(workers, "worker") + " ";
    if (ranks == 1)
      line += "in one process with the load generator";
    else
      line += "on " + std::to_string(hosts) + " of " + std::to_string(ranks) + " ranks, at most " +
              std::to_string(layout.gpus_per_rank()) + " on each; rank 0 sends";
    lines.insert(line);
  }
  return lines;
}

/// The amounts of all cells together. Skipped cells have none.
struct Total {
  std::size_t skipped = 0;  // number of skipped cells
  double requests = 0;
  double live_s = 0;  // duration of the live cells
};

Total total_of(const std::vector<PreparedCell>& cells) {
  Total total;
  for (const PreparedCell& cell : cells) {
    if (!cell.why.empty()) {
      ++total.skipped;
      continue;
    }
    total.requests += cell.expected_requests;
    if (is_live(cell)) total.live_s += cell.duration_s;
  }
  return total;
}

/// Returns "540 cells, 346 M requests", and how long live ones take.
std::string total_text(const Total& total, std::size_t cells) {
  const std::string wall = total.live_s > 0 ? ", " + short_time(total.live_s) + " of wall-clock time" : "";
  return counted(cells, "cell") + ", " + short_count(total.requests) + " requests" + wall;
}

std::string sizes_text(const std::vector<int>& batches) {
  std::string text;
  for (const int batch : batches) text += (text.empty() ? "" : " ") + std::to_string(batch);
  return text;
}

/// Returns the plan if execution times were `factor` times as long; "" if it is the plan that they give
/// `now`.
std::string other_sizes(const RunSpec& world, double factor, const std::vector<int>& now) {
  std::vector<Profile> profiles = world.profiles;
  for (Profile& profile : profiles) {
    for (TimeNs& latency : profile.latency_ns) latency = std::llround(static_cast<double>(latency) * factor);
  }
  ServingContext context = make_context(world);
  for (std::size_t k = 0; k < profiles.size(); ++k) context.profiles[k] = &profiles[k];
  try {
    const std::vector<int> other = size_batches(context, world.planner, world.module_overrides);
    return other == now ? "" : "plan batches of " + sizes_text(other);
  } catch (const InputError&) {
    return "leave no batches that meet the SLO";
  }
}

}  // namespace

DryRun::DryRun(CheckedExperiment& experiment, const SeedRounds& seeds, int ranks,
               const std::function<void()>& check_signal)
    : experiment_(experiment), planned_(seeds.cell_count()), ranks_(ranks) {
  for (const ExpectedCell& cell : seeds.wanted()) {
    check_signal();
    cells_.push_back(experiment.factory.prepare(experiment.factory.cells()[cell.index]));
  }
}

bool DryRun::has_skipped() const { return total_of(cells_).skipped > 0; }

std::vector<std::string> DryRun::notes() const {
  std::vector<std::string> notes = run_notes(experiment_);
  for (std::string& note : size_notes(experiment_.factory, cells_)) notes.push_back(std::move(note));
  return notes;
}

std::string DryRun::text(bool brief) const {
  const std::string& file = experiment_.spec.file;
  const Total total = total_of(cells_);
  std::string text = brief ? file + ": " : dry_run_table(cells_) + layout_text(cells_, ranks_);
  text += total_text(total, cells_.size());
  if (const double bytes = experiment_.needs.row_bytes(planned_); bytes > 0)
    text += ", about " + short_bytes(bytes) + " of rows";
  if (brief && total.skipped > 0) text += ", " + std::to_string(total.skipped) + " skipped";
  if (planned_ < experiment_.cells.size()) {
    text += "; with [repeat_until] up to " + counted(experiment_.cells.size(), "cell") + " (" +
            std::to_string(max_seeds(experiment_.spec)) + " seeds)";
  }
  for (const std::string& note : notes()) text += "\n" + (brief ? file + ": " : "") + note;
  return text + "\n";
}

std::string DryRun::json(const std::string& results) const {
  const Total total = total_of(cells_);
  std::vector<Json> rows;
  for (const PreparedCell& cell : cells_) rows.push_back(cell_json(cell));
  const std::set<std::string> layouts = layout_lines(cells_, ranks_);
  JsonObject object;
  object.add("file", experiment_.spec.file);
  object.add("name", experiment_.spec.name);
  object.add("results", results);
  object.add("ranks", ranks_);
  object.add("cell_count", cells_.size());
  object.add("skipped", total.skipped);
  object.add("max_cell_count", experiment_.part.is_whole() ? experiment_.cells.size() : cells_.size());
  object.add("requests", total.requests);
  object.add("live_s", total.live_s);
  object.add("rows_bytes", experiment_.needs.row_bytes(planned_));
  object.add("layouts", std::vector<std::string>(layouts.begin(), layouts.end()));
  object.add("notes", notes());
  object.add("cells", Json{json_lines(rows)});
  return object.json(",\n").text;
}

std::string dry_run_total(const std::vector<PreparedCell>& cells) {
  return total_text(total_of(cells), cells.size());
}

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
  std::string text;
  for (const std::string& line : layout_lines(cells, ranks)) text += line + "\n";
  return text;
}

std::vector<std::string> size_notes(CellFactory& factory, const std::vector<PreparedCell>& cells) {
  std::set<std::tuple<std::size_t, TimeNs, std::size_t, std::vector<std::size_t>>> looked_at;
  std::set<std::string> plans;
  std::vector<std::string> notes;
  for (const PreparedCell& cell : cells) {
    if (is_live(cell) || !cell.why.empty() || !cell.plan_is_shared) continue;
    const Cell& named = cell.cell;
    if (!looked_at.emplace(named.pipeline, cell.slo_ns, named.system, named.swept).second) continue;
    const std::string title =
        cell.identity.pipeline + ", SLO " + text_of(ns_to_ms(cell.slo_ns)) + " ms: execution times 1 % ";
    if (!plans.insert(title + planning_text(cell.settings, cell.module_names)).second) continue;
    const RunSpec world = factory.make_world(named);
    const std::vector<int> now = size_batches(make_context(world), world.planner, world.module_overrides);
    const std::string longer = other_sizes(world, 1.01, now);
    const std::string shorter = other_sizes(world, 0.99, now);
    std::string found = longer.empty() ? "" : "longer " + longer;
    if (!shorter.empty()) found += (found.empty() ? "shorter " : ", 1 % shorter ") + shorter;
    if (found.empty()) continue;
    std::string note = title + found + " instead of " + sizes_text(now);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace harness
