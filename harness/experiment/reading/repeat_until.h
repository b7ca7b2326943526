// [repeat_until]: seeds are added until a metric is known well enough.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/record/run/summary.h"
#include "workloads/files/table_reader.h"

namespace harness {

/// Reads [repeat_until], if the file has it, and lists the seeds that it may add. The rest of the experiment
/// has been read. Throws InputError.
void read_repeat_until(const TableReader& document, ExperimentSpec& spec);

/// The seeds with which the experiment begins: those listed, two at least when it may add some.
std::size_t first_seeds(const ExperimentSpec& spec);
/// The most seeds that it may have.
std::size_t max_seeds(const ExperimentSpec& spec);

/// How well the metric is known.
struct Repetition {
  double widest =
      0;  ///< half-width of the widest 95 % confidence interval; infinite where a series has one value only
  std::size_t values = 0;  ///< number of values that it rests on
  std::string where;       ///< its series and workload; empty when no cell has a value
};

/// Of the rows of all seeds so far: the interval of the metric in each workload and series or, with a
/// baseline, of its differences to that series, paired by seed. Series without any value do not count.
Repetition judge(const RepeatUntil& repeat, std::span<const SummaryRow> rows);

/// "drop_rate with 7 seeds: half-width at most 0.0049 (nexus - pard, lv tweet slo 500 ms load 1)".
std::string repetition_text(const ExperimentSpec& spec, std::size_t seeds, const Repetition& found);

}  // namespace harness
