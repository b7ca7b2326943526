// [repeat_until]: seeds are added until a metric is known well enough.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/files/table_reader.h"
#include "harness/record/run/summary_row.h"

namespace harness {

struct ExperimentSpec;

/// [repeat_until]: the condition under which there are enough seeds.
struct RepeatUntil {
  std::string metric;     ///< column of /summary
  double half_width = 0;  ///< largest half-width of the 95 % confidence interval in every workload and series
  std::string baseline;   ///< series ("pard", "pard/back") to take differences to; empty: the metric itself
  int max_seeds = 20;

  void list(ParamList& params);
};

/// Reads [repeat_until], if the file has it, and lists the seeds that it may add. The rest of the experiment
/// must have been read. Throws InputError.
void read_repeat_until(const TableReader& document, ExperimentSpec& spec);

/// Returns the number of seeds with which the experiment begins: the listed ones, but at least two if it may
/// add some.
std::size_t first_seeds(const ExperimentSpec& spec);
/// Returns the largest number of seeds that the experiment may have.
std::size_t max_seeds(const ExperimentSpec& spec);

/// The precision with which the metric is known.
struct Repetition {
  double widest = 0;       ///< half-width of the widest 95 % interval; infinity if a series has one value
  std::size_t values = 0;  ///< number of values behind that interval
  std::string where;       ///< series and workload with that interval; empty if no cell has a value
};

/// Judges the rows of all seeds so far by the interval of the metric in each workload and series or, if there
/// is a baseline, by the interval of its differences to that series, paired by seed. Ignores series without
/// any value.
Repetition judge(const RepeatUntil& repeat, std::span<const SummaryRow> rows);

/// Returns "drop_rate with 7 seeds: half-width at most 0.0049 (nexus - pard, lv tweet slo 500 ms load 1)".
std::string repetition_text(const ExperimentSpec& spec, std::size_t seeds, const Repetition& found);

}  // namespace harness
