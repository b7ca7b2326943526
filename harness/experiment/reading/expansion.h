// The cells of an experiment: every combination of its axes, in a fixed order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/record/run/summary.h"

namespace harness {

/// One cell as places on the axes. Small: an experiment may have kMaxCells.
struct Cell {
  std::uint32_t index = 0;
  Runtime runtime = Runtime::kSimulated;
  std::size_t pipeline = 0;  ///< in workload.pipelines
  std::size_t trace = 0;     ///< in workload.traces
  double slo_ms = 0;         ///< 0: the pipeline's own
  double slo_factor = 0;     ///< not 0: the SLO in shortest service times, whatever slo_ms says
  double rate = 0;           ///< relative to the capacity, or requests/s (of all workers together) when
                             ///< workload.rates_rps is set
  std::uint64_t seed = 0;
  std::size_t system = 0;          ///< in systems
  std::vector<std::size_t> swept;  ///< per sweep the place of the value, or kNotSwept
};
inline constexpr std::size_t kNotSwept = static_cast<std::size_t>(-1);

/// All cells, with every seed that may be added. Outermost first: runtimes, pipelines, traces, SLOs, loads,
/// seeds, sweeps of shared settings, systems, sweeps of the system's own parameters. `pipelines` are those of
/// workload.pipelines. Throws InputError: modules that no pipeline has, more than kMaxCells, a cell of
/// [record] that is none.
std::vector<Cell> expand(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines);

/// How many of all cells, which are the first, there are with that many seeds: at least those listed.
std::size_t cells_with_seeds(const ExperimentSpec& spec, std::span<const Cell> cells, std::size_t seeds);

/// The settings of a cell. An emulated one has real links: the delays of simulated links are 0 in it.
Settings settings_of(const ExperimentSpec& spec, const Cell& cell);
/// The settings that its load is relative to: without what its system sets for itself.
Settings shared_settings_of(const ExperimentSpec& spec, const Cell& cell);

/// What is overridden or swept, "key=value key=value".
std::string parameters_text(const ExperimentSpec& spec, const Cell& cell);

/// Returns what names a cell on that pipeline, but for its load and what counts as an answer. An axis is of
/// the series when it sweeps parameters of a system, else of the workload.
CellIdentity identity_of(const ExperimentSpec& spec, const Cell& cell, const Pipeline& pipeline);

}  // namespace harness
