// The cells of an experiment: every combination of its axes, in a fixed order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// One cell as places on the axes. It is small because an experiment may have kMaxCells of them.
struct Cell {
  std::uint32_t index = 0;
  Runtime runtime = Runtime::kSimulated;
  std::size_t pipeline = 0;  ///< index in workload.pipelines
  std::size_t trace = 0;     ///< index in workload.traces
  double slo_ms = 0;         ///< SLO; 0: the pipeline's own
  double slo_factor = 0;     ///< SLO in shortest service times; unless 0, it replaces slo_ms
  double rate = 0;  ///< load relative to the capacity or, if workload.rates_rps is set, requests/s (of all
                    ///< workers together)
  std::uint64_t seed = 0;
  std::size_t system = 0;          ///< index in systems
  std::vector<std::size_t> swept;  ///< per sweep the index of the value, or kNotSwept
};
inline constexpr std::size_t kNotSwept = static_cast<std::size_t>(-1);

/// Returns all cells, with every seed that may be added. The order is, outermost first: runtimes, pipelines,
/// traces, SLOs, loads, seeds, sweeps of shared settings, systems, sweeps of the system's own parameters.
/// `pipelines` are the ones named in workload.pipelines. Throws InputError for modules that no pipeline has,
/// for more than kMaxCells cells, and for a cell in [record] that does not exist.
std::vector<Cell> expand(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines);

/// Returns the number of cells that have one of the first `seeds` seeds; they are the first of `cells`.
/// `seeds` must be at least the number of listed seeds.
std::size_t cells_with_seeds(const ExperimentSpec& spec, std::span<const Cell> cells, std::size_t seeds);

/// Returns the settings of a cell. A live cell has real links and schedulers: the delays and costs of the
/// simulated ones are 0 in it.
Settings settings_of(const ExperimentSpec& spec, const Cell& cell);
/// Returns the settings that the cell's load is relative to: without what its system sets for itself.
Settings shared_settings_of(const ExperimentSpec& spec, const Cell& cell);

/// Returns the overridden and swept keys of the cell, "key=value key=value".
std::string parameters_text(const ExperimentSpec& spec, const Cell& cell);

/// Returns the names of a cell on that pipeline; its load and what counts as an answer are left unset. An
/// axis belongs to the series if it sweeps parameters of a system, otherwise to the workload.
CellIdentity identity_of(const ExperimentSpec& spec, const Cell& cell, const Pipeline& pipeline);

}  // namespace harness
