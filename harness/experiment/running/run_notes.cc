#include "harness/experiment/running/run_notes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/core/wording.h"
#include "harness/experiment/running/short_text.h"
#include "harness/record/analysis/length_notes.h"
#include "harness/record/run/module_metrics.h"

namespace harness {
namespace {

bool is_simulated(const SummaryRow& row) { return row.cell.runtime == name_of(Runtime::kSimulated); }

/// Returns the keys in whose values two of the cells differ.
std::string differing_keys(const ExperimentSpec& spec, const std::vector<Cell>& cells,
                           const std::vector<std::uint32_t>& those) {
  std::vector<std::string> keys;
  for (std::size_t axis = 0; axis < spec.sweeps.size(); ++axis) {
    const auto differs = [&](std::uint32_t cell) {
      return cells[cell].swept[axis] != cells[those.front()].swept[axis];
    };
    if (std::any_of(those.begin(), those.end(), differs)) keys.push_back(spec.sweeps[axis].key);
  }
  return join_names(keys);
}

/// Returns "cells 0, 1 and 2 have the same fingerprint: trace.t.cv changes nothing between them" for
/// simulated cells that differ only in swept keys, and the number of further groups of such cells; "" if
/// there are no such cells.
std::string same_fingerprint_text(const ExperimentSpec& spec, const std::vector<Cell>& cells,
                                  const std::vector<SummaryRow>& rows) {
  using Same = std::tuple<std::size_t, std::size_t, std::size_t, double, double, std::uint64_t, std::string>;
  std::map<Same, std::vector<std::uint32_t>> groups;
  for (const SummaryRow& row : rows) {
    if (spec.sweeps.empty() || row.status != "ok" || !is_simulated(row)) continue;
    const Cell& cell = cells.at(row.cell.index);
    groups[{cell.system, cell.pipeline, cell.trace, cell.slo_ms, cell.slo_factor, cell.seed, row.fingerprint}]
        .push_back(cell.index);
  }
  std::erase_if(groups, [&](const auto& group) { return differing_keys(spec, cells, group.second).empty(); });
  if (groups.empty()) return "";
  const auto first = std::min_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.second.front() < b.second.front();
  });
  constexpr std::size_t kNamed = 4;
  const std::string more =
      groups.size() > 1 ? " (and so have those of " + counted(groups.size() - 1, "other group") + ")" : "";
  return numbered(first->second, kNamed) + " have the same fingerprint" + more + ": " +
         differing_keys(spec, cells, first->second) + " changes nothing between them";
}

}  // namespace

std::vector<std::string> run_notes(const CheckedExperiment& experiment) {
  std::vector<std::string> notes = experiment.factory.remarks();
  for (const std::string& note : device_notes(experiment.device_needs, experiment.machines))
    notes.push_back("warning: " + note);
  return notes;
}

std::vector<std::string> end_notes(const CheckedExperiment& experiment, const std::vector<SummaryRow>& rows) {
  std::vector<std::string> notes = length_notes(rows);
  if (const std::string note = lockstep_text(rows); !note.empty()) {
    const bool is_exact = experiment.spec.base.world.jitter == Jitter::kOff;
    notes.push_back(note + (is_exact ? "; cluster.jitter would break that" : ""));
  }
  if (const std::string note = same_fingerprint_text(experiment.spec, experiment.factory.cells(), rows);
      !note.empty())
    notes.push_back(note);
  return notes;
}

std::string lockstep_text(const std::vector<SummaryRow>& rows) {
  std::vector<std::uint32_t> cells;
  double largest = 0;
  for (const SummaryRow& row : rows) {
    const double lockstep = row["lockstep"];
    if (!is_simulated(row) || !(lockstep > kInStep)) continue;
    cells.push_back(row.cell.index);
    largest = std::max(largest, lockstep);
  }
  if (cells.empty()) return "";
  return numbered(cells, 2) + ": batches of a module end in step" +
         formatted(" (lockstep up to %.2f)", largest);
}

}  // namespace harness
