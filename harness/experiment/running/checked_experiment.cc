#include "harness/experiment/running/checked_experiment.h"

#include <optional>
#include <set>
#include <tuple>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/running/cell_devices.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/server_calls.h"
#include "harness/experiment/storing/build_id.h"
#include "harness/experiment/storing/what_differs.h"
#include "harness/files/sha256.h"
#include "harness/live/protocol/layout.h"
#include "harness/machine/pinned_thread.h"

namespace harness {
namespace {

/// Prepares the cell. If its system comes from a library, its code may end the program: then a message names
/// the cell and the library.
PreparedCell prepare_marked(CheckedExperiment& experiment, const Cell& cell) {
  const std::string& system = experiment.spec.systems[cell.system].name;
  std::optional<CrashMark> planning;
  if (const LoadedLibrary* const library = library_of(system))
    planning.emplace("", std::to_string(cell.index) + ", " + system + " (system of " + library->path + ")",
                     0);
  return experiment.factory.prepare(cell);
}

void check_part(const CheckedExperiment& experiment) {
  const ExperimentPart& part = experiment.part;
  if (part.is_whole()) return;
  if (experiment.spec.repeat)
    throw input_error(place_of(experiment.spec, "repeat_until"),
                      "--part, whose cells alone do not tell how many seeds there are",
                      "all cells in one run");
  const std::size_t cells = experiment.cells.size();
  if (part.of > cells)
    throw input_error({experiment.spec.file, 0, "--part"}, part.text() + " of " + counted(cells, "cell"),
                      "at most as many parts as cells");
}

void check_layout(const ExperimentSpec& spec, const PreparedCell& prepared, const CellDistribution& ranks) {
  const std::string fault =
      layout_fault(prepared.settings.cluster.workers, ranks.ranks(), prepared.settings.live);
  if (!fault.empty()) {
    throw input_error(place_of(spec, "live.gpus_per_rank"), fault,
                      "that many ranks or more; without mpirun, one; 0 spreads over any number");
  }
  if (ranks.rank() != 0) return;
  const std::string core = spin_core_fault(prepared.settings.live, allowed_cores());
  if (!core.empty()) throw input_error(place_of(spec, "live.spin_core"), core, "one of these, or -1");
}

void check_devices(const ExperimentSpec& spec, const PreparedCell& prepared, const RunSpec& world,
                   int ranks) {
  check_on_devices(world, prepared.plan, prepared.settings.faults, place_of(spec, "serving.queue"), ranks);
  if (world.world.preemption == Preemption::kImmediate && world.system->traits().preempts)
    throw input_error(place_of(spec, "cluster.preemption"), "immediate with runtime = \"gpu\"",
                      "exit_points: batches on devices stop there alone");
  const std::string exchange = why_no_exchange(prepared.settings.gpu);
  if (!exchange.empty()) throw input_error(place_of(spec, "gpu.exchange"), exchange, "messages");
  if (prepared.settings.gpu.profile_error_limit > 0 && ranks > 1)
    throw input_error(place_of(spec, "gpu.profile_error_limit"),
                      "a limit on " + std::to_string(ranks) + " ranks", "0, or one rank");
}

}  // namespace

CheckedExperiment::CheckedExperiment(const RunOptions& options, const std::string& file,
                                     const CellDistribution& ranks)
    : part(options.part),
      spec(options.text.empty() ? load_experiment(file, options.overrides)
                                : load_experiment(file, options.text, options.overrides)),
      factory(spec, build_id(), ranks.ranks()) {
  if (ranks.ranks() > 1 && ranks.is_first_here()) factory.prepare_traces();
}

void CheckedExperiment::plan_cells(const CellDistribution& ranks, const std::function<void()>& check_signal) {
  std::string hashes;
  std::set<std::tuple<Runtime, std::size_t, std::size_t, std::size_t, std::vector<std::size_t>>> kinds;
  for (const Cell& cell : factory.cells()) {
    check_signal();
    // Seeds, loads and SLOs name no files: the first cell of each kind that differs in something else
    // represents them all, in every part.
    const bool stands_for_all =
        kinds.emplace(cell.runtime, cell.pipeline, cell.trace, cell.system, cell.swept).second;
    const bool is_own = part.has(cell.index);
    cells.push_back({cell.index, ""});
    costs.push_back(0);
    if (!is_own) needs.note_none();
    if (!is_own && !stands_for_all) continue;
    const PreparedCell prepared = prepare_marked(*this, cell);
    if (stands_for_all) hashes += prepared.identity.input_hash;
    if (!is_own) continue;
    cells.back().input_hash = prepared.identity.input_hash;
    const bool can_run = prepared.why.empty();
    if (can_run) costs.back() = harness::is_live(prepared) ? prepared.duration_s : prepared.expected_requests;
    if (can_run && harness::is_live(prepared) && cell.runtime != Runtime::kServer)
      check_layout(spec, prepared, ranks);
    if (cell.runtime == Runtime::kGpu) {
      const RunSpec world = factory.make_world(cell);
      check_devices(spec, prepared, world, ranks.ranks());
      if (can_run) add_need(device_needs, prepared, world);
    }
    if (cell.runtime == Runtime::kServer) check_server_input(prepared.settings.server);
    needs.note(prepared, spec);
  }
  inputs = sha256_of(hashes);
  check_part(*this);
}

std::string CheckedExperiment::digest() const {
  std::string hashes;
  for (const ExpectedCell& cell : cells) hashes += cell.input_hash;
  return sha256_of(hashes);
}

void CheckedExperiment::refuse_other_part(const std::string& path, std::uint32_t cell) const {
  throw input_refusal({path, 0, ""}, "results hold cell " + std::to_string(cell) + ", which is not of part " +
                                         part.text() + "; use -o DIR for a folder of its own for each part");
}

void CheckedExperiment::refuse(const ForeignCell& foreign) {
  const std::uint32_t index = foreign.cell.index;
  if (!part.has(index)) refuse_other_part(foreign.path, index);
  std::string difference = "other cells";
  if (index < factory.cells().size()) {
    const PreparedCell now = factory.prepare(factory.cells()[index]);
    difference = what_differs(foreign.cell, now.identity, build_id(), spec.workload.rates_rps.empty());
  }
  throw input_refusal({foreign.path, 0, ""}, "existing results were made differently: " + difference +
                                                 "; use -o DIR for another folder, or --fresh to start over");
}

std::string CheckedExperiment::why_no_devices_for(std::uint32_t cell) const {
  const DeviceNeed* const need = need_of(device_needs, cell);
  return need == nullptr ? "" : why_no_devices(*need, machines);
}

}  // namespace harness
