#include "harness/fit/fit_report.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/wording.h"
#include "harness/text/text_table.h"

namespace harness {
namespace {

using SettingsOf = std::map<std::uint32_t, std::map<std::string, const FitSettingRow*>>;

SettingsOf settings_of(const FitTables& tables) {
  SettingsOf settings;
  for (const FitSettingRow& row : tables.settings) settings[row.point][row.knob] = &row;
  return settings;
}

bool is_confirmed(const std::string& stage) { return stage.starts_with("confirm"); }

/// Returns the best point of the search, where it ended.
const FitPointRow& best_point(const FitTables& tables) {
  const FitPointRow* best = nullptr;
  const bool refined = std::ranges::count(tables.points, "refine", &FitPointRow::stage) > 0;
  for (const FitPointRow& point : tables.points) {
    if (is_confirmed(point.stage) || (refined && point.stage == "design")) continue;
    if (best == nullptr || point.objective > best->objective) best = &point;
  }
  return *best;
}

std::string points_table(const FitTables& tables, std::uint32_t best) {
  std::set<std::uint32_t> confirmed = {0, best};
  for (const FitPointRow& point : tables.points) {
    if (is_confirmed(point.stage)) confirmed.insert(point.point);
  }
  TextTable table;
  for (const FitPointRow& point : tables.points) {
    if (!confirmed.contains(point.point)) continue;
    table.add_row();
    table.add({"setting"}, point.point == 0 ? "defaults" : "point " + std::to_string(point.point));
    table.add({"stage"}, point.stage);
    table.add({"claims judged"}, point.judged);
    table.add({"reproduced"}, point.reproduced);
    table.add({"partly"}, point.partly);
    table.add({"seeds disagree"}, point.noisy);
    table.add({"score"}, point.held);
    table.add({"distance"}, point.distance);
  }
  return aligned_text(table);
}

std::string knobs_table(const FitPlan& plan, const FitTables& tables, std::uint32_t best) {
  const SettingsOf settings = settings_of(tables);
  TextTable table;
  for (const Knob& knob : plan.knobs) {
    const FitSettingRow& at_best = *settings.at(best).at(knob.name);
    table.add_row();
    table.add({"knob"}, knob.name);
    table.add({"default"}, knob.values[knob.standard].name);
    table.add({"best"}, at_best.active ? at_best.value : std::string());
  }
  return aligned_text(table);
}

std::string unreached(const std::vector<const Claim*>& claims, const FitTables& tables) {
  std::map<std::string, double> most;
  for (const FitVerdictRow& row : tables.verdicts) {
    if (!is_confirmed(row.stage)) most[row.claim] = std::max(most[row.claim], row.score);
  }
  std::vector<std::string> ids;
  for (const Claim* claim : claims) {
    if (most[claim->id] == 0) ids.push_back(claim->id);
  }
  return "claims that score under no setting: " + (ids.empty() ? "none" : join_names(ids)) + "\n";
}

std::string confirmed_table(const std::vector<const Claim*>& claims, const FitTables& tables,
                            const std::string& world, std::uint32_t best) {
  std::map<std::pair<std::string, std::uint32_t>, const FitVerdictRow*> verdicts;
  for (const FitVerdictRow& row : tables.verdicts) {
    if (row.stage == world) verdicts[{row.claim, row.point}] = &row;
  }
  TextTable table;
  for (const Claim* claim : claims) {
    table.add_row();
    table.add({world}, claim->id);
    for (const auto& [name, point] : {std::pair{"defaults", std::uint32_t{0}}, std::pair{"best", best}}) {
      const auto found = verdicts.find({claim->id, point});
      const bool has = found != verdicts.end();
      const std::string noisy = has && found->second->noisy ? ", seeds disagree" : "";
      table.add({name}, has ? found->second->verdict + noisy : std::string());
    }
  }
  return aligned_text(table);
}

std::string steps_table(const FitTables& tables) {
  const SettingsOf settings = settings_of(tables);
  TextTable table;
  for (const FitPointRow& point : tables.points) {
    std::string changed;
    for (const auto& [knob, setting] : settings.at(point.point)) {
      if (!setting->standard) changed += (changed.empty() ? "" : ", ") + knob + " = " + setting->value;
    }
    table.add_row();
    table.add({"step"}, changed.empty() ? std::string("none") : changed);
    table.add({"claims judged"}, point.judged);
    table.add({"reproduced"}, point.reproduced);
    table.add({"partly"}, point.partly);
    table.add({"seeds disagree"}, point.noisy);
  }
  return aligned_text(table);
}

}  // namespace

std::string fit_text(const FitPlan& plan, const std::vector<const Claim*>& claims, const FitTables& tables) {
  if (plan.only_steps) return steps_table(tables);
  const std::uint32_t best = best_point(tables).point;
  std::string text = points_table(tables, best) + "\nbest: point " + std::to_string(best) + "\n\n" +
                     knobs_table(plan, tables, best) + "\n" + unreached(claims, tables);
  for (const FitWorld& world : plan.worlds) {
    if (world.purpose == FitPurpose::kConfirm)
      text += "\n" + confirmed_table(claims, tables, world.name, best);
  }
  return text;
}

}  // namespace harness
