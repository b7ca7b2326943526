// The checks that refuse an experiment before it runs.
#include <optional>
#include <string>

#include "harness/core/error.h"
#include "harness/experiment/cells/device_needs.h"
#include "harness/experiment/running/experiment_run.h"
#include "harness/live/protocol/layout.h"
#include "harness/machine/precise_wait.h"

namespace harness {

void ExperimentRun::check_part() const {
  if (options_.part.is_whole()) return;
  if (spec_.repeat)
    throw input_error(place_of(spec_, "repeat_until"),
                      "--part, whose cells alone do not tell how many seeds there are",
                      "all cells in one run");
  if (options_.part.of > expected_.size())
    throw input_error({file_, 0, "--part"}, options_.part.text() + " of " + counted(expected_.size(), "cell"),
                      "at most as many parts as cells");
}

void ExperimentRun::refuse_other_part(const std::string& path, std::uint32_t cell) const {
  throw input_refusal({path, 0, ""}, "results hold cell " + std::to_string(cell) + ", which is not of part " +
                                         options_.part.text() +
                                         "; use -o DIR for a folder of its own for each part");
}

/// Throws InputError if --fresh would replace a file that harness did not write, or cells of another part.
void ExperimentRun::check_fresh() const {
  store_.check_replaceable();
  if (options_.part.is_whole()) return;
  for (const std::uint32_t cell : store_.cells_there()) {
    if (!options_.part.has(cell)) refuse_other_part(store_.results_path(), cell);
  }
}

void ExperimentRun::check_layout(const PreparedCell& prepared) const {
  const std::string fault =
      layout_fault(prepared.settings.cluster.workers, ranks_.ranks(), prepared.settings.live);
  if (!fault.empty()) {
    throw input_error(place_of(spec_, "live.gpus_per_rank"), fault,
                      "that many ranks or more; without mpirun, one; 0 spreads over any number");
  }
  if (ranks_.rank() != 0) return;
  const std::string core = spin_core_fault(prepared.settings.live, allowed_cores());
  if (!core.empty()) throw input_error(place_of(spec_, "live.spin_core"), core, "one of these, or -1");
}

void ExperimentRun::check_devices(const PreparedCell& prepared) {
  const RunSpec world = factory_->make_world(prepared.cell);
  check_on_devices(world, prepared.plan, prepared.settings.faults, place_of(spec_, "serving.queue"),
                   ranks_.ranks());
  if (world.world.preemption == Preemption::kImmediate && world.system->preempts())
    throw input_error(place_of(spec_, "cluster.preemption"), "immediate with runtime = \"gpu\"",
                      "exit_points: batches on devices stop there alone");
  const std::string exchange = why_no_exchange(prepared.settings.gpu);
  if (!exchange.empty()) throw input_error(place_of(spec_, "gpu.exchange"), exchange, "messages");
  if (prepared.settings.gpu.profile_error_limit > 0 && ranks_.ranks() > 1)
    throw input_error(place_of(spec_, "gpu.profile_error_limit"),
                      "a limit on " + std::to_string(ranks_.ranks()) + " ranks", "0, or one rank");
  if (prepared.why.empty()) add_need(needs_, prepared, world);
}

/// Tells rank 0 what devices all ranks have.
void ExperimentRun::gather_machines_for_devices() {
  if (!needs_.empty()) machines_ = gather_machines(ranks_, asks_for_cuda(needs_));
}

std::string ExperimentRun::why_no_devices_for(std::uint32_t cell) const {
  const DeviceNeed* const need = need_of(needs_, cell);
  return need == nullptr ? "" : why_no_devices(*need, machines_);
}

/// Throws InputError if no live cell has the devices that it needs. If some have them, the other cells are
/// skipped when their turn comes.
void ExperimentRun::refuse_without_devices() const {
  std::optional<std::uint32_t> without;
  for (const ExpectedCell& cell : wanted()) {
    if (!is_live_cell(cell.index) || costs_[cell.index] <= 0) continue;
    if (why_no_devices_for(cell.index).empty()) return;
    if (!store_.has(cell.input_hash)) without = cell.index;
  }
  if (!without) return;
  throw input_error(
      place_of(spec_, "gpu.device"), name_of(need_of(needs_, *without)->gpu.device),
      "devices that these hosts and this build have; no live cell can run: " + why_no_devices_for(*without));
}

void ExperimentRun::check() {
  const Clock::time_point began = Clock::now();
  on_all_ranks(ranks_, file_, [this](RankReport&) { open(); });
  on_all_ranks(ranks_, file_, [this](RankReport& report) {
    load(report);
    if (options_.again && spec_.repeat)
      throw input_error(place_of(spec_, "repeat_until"),
                        "--rerun-failed, which would settle again how many seeds there are", "--fresh");
    if (ranks_.rank() != 0) return;
    if (options_.fresh)
      check_fresh();
    else if (options_.dry_run)
      store_.look(expected_);
    else
      inspect_own();
  });
  gather_machines_for_devices();
  const bool is_complete = ranks_.share(store_.complete(wanted()) ? 1 : 0) != 0;
  on_all_ranks(ranks_, file_, [&](RankReport&) {
    if (ranks_.rank() == 0 && !options_.dry_run) refuse_without_devices();
    if (is_complete) return;
    needs_of_all_.check_memory(spec_, wanted_, ranks_.ranks_here());
    if (ranks_.rank() == 0)
      needs_of_all_.check_disk(spec_, options_.folder, wanted_,
                               [this](std::size_t cell) { return store_.has(expected_[cell].input_hash); });
  });
  checking_ = Clock::now() - began;
}

}  // namespace harness
