#include "harness/doctor/experiment_layout.h"

#include <algorithm>
#include <utility>

#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/reading/suite.h"
#include "harness/live/protocol/layout.h"

namespace harness {
namespace {

void add_kind(ExperimentLayout& layout, const ExperimentLayout::Kind& kind) {
  for (const ExperimentLayout::Kind& known : layout.live) {
    if (known.workers == kind.workers && known.live.gpus_per_rank == kind.live.gpus_per_rank &&
        known.live.spin == kind.live.spin && known.live.spin_core == kind.live.spin_core)
      return;
  }
  layout.live.push_back(kind);
}

}  // namespace

ExperimentLayout read_layout(const std::string& file, const std::vector<std::string>& overrides) {
  ExperimentLayout layout;
  layout.file = file;
  for (const std::string& path : experiment_files(file).files) {
    const ExperimentSpec spec = load_experiment(path, overrides);
    CellFactory factory(spec, "");
    layout.cells += factory.cells().size();
    ExperimentLayout::Devices devices{path, {}, false};
    for (const Cell& cell : factory.cells()) {
      if (cell.runtime == Runtime::kServer) ++layout.on_servers;
      if (cell.runtime == Runtime::kSimulated || cell.runtime == Runtime::kServer) continue;
      const PreparedCell prepared = factory.prepare(cell);
      if (!prepared.why.empty()) {
        ++layout.skipped;
        continue;
      }
      add_kind(layout, {prepared.settings.cluster.workers, prepared.settings.live});
      if (cell.runtime == Runtime::kGpu)
        add_need(devices.needs, prepared, factory.make_world(cell));
      else
        devices.has_emulated = true;
    }
    if (!devices.needs.empty()) layout.devices.push_back(std::move(devices));
  }
  return layout;
}

std::vector<Check> check_layout(const ExperimentLayout& experiment, int ranks, std::span<const int> cores) {
  const auto finding = [&](CheckLevel level, const std::string& found, const std::string& advice) {
    return Check{level, "layout", experiment.file + ": " + found, advice};
  };
  if (experiment.live.empty() && experiment.skipped > 0) {
    return {finding(CheckLevel::kWarn,
                    "its " + counted(experiment.skipped, "live cell") + " would be skipped",
                    "harness " + experiment.file + " --dry-run says why")};
  }
  if (experiment.live.empty()) {
    return {finding(CheckLevel::kOk,
                    counted(experiment.cells, "cell") +
                        (experiment.on_servers > 0 ? ", simulated or on a server" : ", all simulated") +
                        ": any number of ranks",
                    "")};
  }
  std::vector<Check> checks;
  for (const ExperimentLayout::Kind& kind : experiment.live) {
    const std::string fault = layout_fault(kind.workers, ranks, kind.live);
    if (!fault.empty()) checks.push_back(finding(CheckLevel::kFail, fault, ""));
    const std::string core = spin_core_fault(kind.live, cores);
    if (!core.empty()) checks.push_back(finding(CheckLevel::kFail, "live.spin_core is " + core, ""));
  }
  if (!checks.empty()) return checks;
  int idle = ranks;
  for (const ExperimentLayout::Kind& kind : experiment.live)
    idle = std::min(idle, Layout(kind.workers, ranks, kind.live).idle_ranks());
  const std::string fits = "its live cells fit " + counted(ranks, "rank");
  if (idle == 0) return {finding(CheckLevel::kOk, fits, "")};
  return {
      finding(CheckLevel::kOk, fits + ", of which " + std::to_string(idle) + " would have no GPU",
              "-n " + std::to_string(ranks - idle) + " is enough, or set live.gpus_per_rank = 0 or lower")};
}

std::vector<Check> check_devices(const ExperimentLayout& experiment, std::span<const RankMachine> machines) {
  std::vector<Check> checks;
  const auto add = [&](CheckLevel level, const std::string& found) {
    const Check check{level, "devices", found, ""};
    const auto same = [&check](const Check& known) { return known.found == check.found; };
    if (std::none_of(checks.begin(), checks.end(), same)) checks.push_back(check);
  };
  for (const ExperimentLayout::Devices& one : experiment.devices) {
    const bool runs =
        one.has_emulated || std::any_of(one.needs.begin(), one.needs.end(), [&](const DeviceNeed& need) {
          return why_no_devices(need, machines).empty();
        });
    for (const DeviceNeed& need : one.needs) {
      const std::string missing = why_no_devices(need, machines);
      if (!missing.empty())
        add(runs ? CheckLevel::kWarn : CheckLevel::kFail,
            one.file + ": gpu.device = " + name_of(need.gpu.device) + ": " + missing);
      for (const std::string& warning : device_warnings(need, machines))
        add(CheckLevel::kWarn, one.file + ": " + warning);
    }
  }
  if (checks.empty() && !experiment.devices.empty())
    add(CheckLevel::kOk, experiment.file + ": its devices are there");
  return checks;
}

}  // namespace harness
