#include "harness/doctor/server_checks.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/core/cell_failed.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/suite.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/experiment/running/server_calls.h"

namespace harness {
namespace {

/// Adds the finding unless it is there.
void add(std::vector<Check>& checks, CheckLevel level, const std::string& found) {
  const auto is_same = [&](const Check& check) { return check.found == found; };
  if (std::none_of(checks.begin(), checks.end(), is_same)) checks.push_back({level, "server", found, ""});
}

void ask(std::vector<Check>& checks, CellFactory& factory, const Cell& cell) {
  const PreparedCell prepared = factory.prepare(cell);
  if (!prepared.why.empty()) return add(checks, CheckLevel::kFail, prepared.why);
  const bool compared = prepared.identity.system == "triton";
  try {
    for (const ServerRun::Module& module : server_run(prepared, factory.make_world(cell), {}).modules) {
      add(checks, CheckLevel::kOk,
          module.request.url + ": answers" + (compared ? ", and is configured as the cells say" : ""));
    }
  } catch (const CellFailed& failed) {
    add(checks, CheckLevel::kFail, failed.what());
  }
}

}  // namespace

std::vector<Check> check_servers(const std::string& file, const std::vector<std::string>& overrides) {
  std::vector<Check> checks;
  for (const std::string& path : experiment_files(file).files) {
    const ExperimentSpec spec = load_experiment(path, overrides);
    CellFactory factory(spec, "");
    std::set<std::tuple<std::size_t, std::size_t, std::vector<std::size_t>>>
        asked;  // not for each load and seed
    for (const Cell& cell : factory.cells()) {
      if (cell.runtime == Runtime::kServer && asked.emplace(cell.pipeline, cell.system, cell.swept).second)
        ask(checks, factory, cell);
    }
  }
  return checks;
}

}  // namespace harness
