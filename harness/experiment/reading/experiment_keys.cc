#include "harness/experiment/reading/experiment_keys.h"

#include <sstream>

#include "harness/core/param_list.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/settings.h"
#include "harness/experiment/reading/suite.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/pipeline_table.h"
#include "workloads/catalogue/profile_table.h"

namespace harness {
namespace {

constexpr const char* kHead = "| key | default | allowed | what it does |\n|---|---|---|---|\n";

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string row(const std::string& name, const std::string& standard, const std::string& allowed,
                const std::string& doc) {
  return "| `" + name + "` | " + cell(standard) + " | " + cell(allowed) + " | " + cell(doc) + " |\n";
}

std::string table_of(const std::vector<Param>& params) {
  std::string text = kHead;
  for (const Param& param : params) {
    text += row(param.name, param.default_text(), param.allowed, param.doc);
  }
  return text;
}

template <class Listed>
std::string table_of_default() {
  Listed listed;
  ParamList list;
  listed.list(list);
  return table_of(list.params());
}

}  // namespace

std::map<std::string, std::string> key_tables() {
  std::map<std::string, std::string> tables = {
      {"file", table_of_default<ExperimentSpec>()},      {"suite", table_of_default<Suite>()},
      {kWorkload, table_of_default<WorkloadSpec>()},     {"system", table_of_default<SystemSpec>()},
      {"sweep", table_of_default<SweepAxis>()},          {kSettingKey, table_of_default<NamedSetting>()},
      {"cluster.device", table_of_default<DeviceAt>()},  {"fault", table_of_default<FaultAt>()},
      {"repeat_until", table_of_default<RepeatUntil>()}, {kRobustnessKey, table_of_default<Robustness>()}};
  ParamList record;
  ExperimentSpec::list_record(record);
  tables["record"] = table_of(record.params());
  Settings settings;
  for (const Section& section : fixed_sections(settings)) {
    std::string& table = tables[section.name];  // the table of [workload] has begun with its axes
    table += table_of(section.params).substr(table.empty() ? 0 : std::string(kHead).size());
  }
  tables["trace"] = table_of(trace_params(settings.trace));
  tables["streams"] = table_of_default<StreamClass>();
  ModuleOverride module;
  tables["module"] = table_of(module_params(module));
  for (const SystemEntry& entry : all_systems()) {
    const std::unique_ptr<System> system = entry.make();
    const std::vector<Param> params = system_params(*system);
    tables[entry.name] = params.empty() ? "It has no parameters.\n" : table_of(params);
  }
  return tables;
}

std::map<std::string, std::map<std::string, std::string>> tables_of_pages() {
  PipelineTable tree;
  tree.has_tasks = true;
  ParamList list;
  tree.list(list);
  return {{"docs/keys.md", key_tables()},
          {"docs/profile.md", {{"measured", table_of_default<MeasuredTable>()}}},
          {"workloads/README.md",
           {{"pipeline", table_of_default<PipelineTable>()},
            {"module", table_of_default<ModuleTable>()},
            {"task tree", table_of(list.params())},
            {"task", table_of_default<TaskTable>()},
            {"variant", table_of_default<VariantTable>()},
            {"set", table_of_default<SetTable>()},
            {"profile", table_of_default<ProfileTable>()},
            {"shared", table_of_default<SharedTable>()},
            {"delay", table_of_default<DelayTable>()}}}};
}

std::string with_key_tables(const std::string& document, const std::map<std::string, std::string>& tables) {
  const std::string marker = "<!-- keys: ";
  std::istringstream lines(document);
  std::string text;
  std::string line;
  bool in_table = false;
  while (std::getline(lines, line)) {
    if (in_table && !line.empty()) continue;
    in_table = false;
    text += line + "\n";
    if (line.rfind(marker, 0) != 0) continue;
    const std::string name = line.substr(marker.size(), line.find(" -->") - marker.size());
    const auto table = tables.find(name);
    if (table == tables.end()) continue;
    text += table->second;
    in_table = true;
  }
  return text;
}

}  // namespace harness
