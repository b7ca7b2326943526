#include "harness/fit/fit_report.h"

#include <algorithm>
#include <map>

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

const FitPointRow& best_point(const FitTables& tables) {
  const FitPointRow* best = nullptr;
  for (const FitPointRow& point : tables.points) {
    if (point.stage == "confirm") continue;
    if (best == nullptr || point.objective > best->objective) best = &point;
  }
  return *best;
}

std::string points_table(const FitTables& tables, std::uint32_t best) {
  TextTable table;
  for (const FitPointRow& point : tables.points) {
    if (point.point != 0 && point.point != best) continue;
    table.add_row();
    table.add({"setting"}, std::string(point.point == 0 ? "standard" : "best"));
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
    table.add({"standard"}, knob.values[knob.standard].name);
    table.add({"best"}, at_best.active ? at_best.value : std::string());
  }
  return aligned_text(table);
}

std::string unreached(const std::vector<ScoredClaim>& claims, const FitTables& tables) {
  std::map<std::string, double> most;
  for (const FitVerdictRow& row : tables.verdicts) {
    if (row.stage != "confirm") most[row.claim] = std::max(most[row.claim], row.score);
  }
  std::vector<std::string> ids;
  for (const ScoredClaim& claim : claims) {
    if (most[claim.id()] == 0) ids.push_back(claim.id());
  }
  return "claims that score under no setting: " + (ids.empty() ? "none" : join_names(ids)) + "\n";
}

std::string confirmed_table(const std::vector<ScoredClaim>& claims, const FitTables& tables,
                            std::uint32_t best) {
  std::map<std::pair<std::string, std::uint32_t>, const FitVerdictRow*> verdicts;
  for (const FitVerdictRow& row : tables.verdicts) {
    if (row.stage == "confirm") verdicts[{row.claim, row.point}] = &row;
  }
  TextTable table;
  for (const ScoredClaim& claim : claims) {
    table.add_row();
    table.add({"claim"}, claim.id());
    for (const auto& [name, point] : {std::pair{"standard", std::uint32_t{0}}, std::pair{"best", best}}) {
      const auto found = verdicts.find({claim.id(), point});
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

std::string fit_text(const FitPlan& plan, const std::vector<ScoredClaim>& claims, const FitTables& tables) {
  if (plan.only_steps) return steps_table(tables);
  const std::uint32_t best = best_point(tables).point;
  return points_table(tables, best) + "\n" + knobs_table(plan, tables, best) + "\n" +
         unreached(claims, tables) + (plan.confirms ? "\n" + confirmed_table(claims, tables, best) : "");
}

}  // namespace harness
