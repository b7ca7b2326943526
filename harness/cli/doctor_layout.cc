#include "harness/cli/doctor_layout.h"

#include "harness/experiment/cell_factory.h"
#include "harness/experiment/suite.h"
#include "harness/live/layout.h"

namespace harness {
namespace {

void add_kind(ExperimentLayout& layout, const ExperimentLayout::Kind& kind) {
  for (const ExperimentLayout::Kind& known : layout.emulated) {
    if (known.workers == kind.workers && known.live.gpus_per_rank == kind.live.gpus_per_rank) return;
  }
  layout.emulated.push_back(kind);
}

}  // namespace

ExperimentLayout read_layout(const std::string& file, const std::vector<std::string>& overrides) {
  ExperimentLayout layout;
  layout.file = file;
  for (const std::string& path : experiment_files(file).files) {
    const ExperimentSpec spec = load_experiment(path, overrides);
    CellFactory factory(spec, "");
    layout.cells += factory.cells().size();
    for (const Cell& cell : factory.cells()) {
      if (cell.runtime == Runtime::kSimulated) continue;
      const PreparedCell prepared = factory.prepare(cell);
      if (prepared.why.empty()) add_kind(layout, {prepared.workers, prepared.live});
    }
  }
  return layout;
}

std::vector<Check> check_layout(const ExperimentLayout& experiment, int ranks) {
  const std::string all = std::to_string(experiment.cells) + (experiment.cells == 1 ? " cell" : " cells");
  if (experiment.emulated.empty()) {
    return {{CheckLevel::kOk, "layout", experiment.file + ": " + all + ", all simulated: any number of ranks",
             ""}};
  }
  std::vector<Check> checks;
  for (const ExperimentLayout::Kind& kind : experiment.emulated) {
    const std::string fault = layout_fault(kind.workers, ranks, kind.live);
    if (!fault.empty()) checks.push_back({CheckLevel::kFail, "layout", experiment.file + ": " + fault, ""});
  }
  if (checks.empty()) {
    checks.push_back({CheckLevel::kOk, "layout",
                      experiment.file + ": its emulated cells fit " + std::to_string(ranks) +
                          (ranks == 1 ? " rank" : " ranks"),
                      ""});
  }
  return checks;
}

}  // namespace harness
