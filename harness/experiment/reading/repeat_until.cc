#include "harness/experiment/reading/repeat_until.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/record/analysis/paired_spread.h"
#include "harness/record/run/column_facts.h"
#include "harness/record/run/series.h"

namespace harness {
namespace {

std::string series_name(const SystemSpec& system) { return configuration_text(system.name, system.variant); }

/// Throws InputError unless the baseline is one series of every workload.
void check_baseline(const ExperimentSpec& spec, const InputPlace& place) {
  const std::string& baseline = spec.repeat->baseline;
  std::vector<std::string> known;
  for (const SystemSpec& system : spec.systems) known.push_back(series_name(system));
  if (std::find(known.begin(), known.end(), baseline) == known.end())
    throw_unknown(place, "configuration", baseline, known);
  for (const SweepAxis& axis : spec.sweeps) {
    const std::string section = section_of(axis.key);
    const auto is_own = [&](const SystemSpec& system) {
      return series_name(system) == baseline && is_of(section, system);
    };
    if (std::any_of(spec.systems.begin(), spec.systems.end(), is_own))
      throw input_error(place, baseline + ", with a sweep of " + axis.key,
                        "one configuration: no sweep of its own");
  }
  for (const NamedAt& pipeline : spec.workload.pipelines) {
    for (const NamedAt& trace : spec.workload.traces) {
      const auto is_there = [&](const SystemSpec& one) {
        return series_name(one) == baseline && makes_cells(one, pipeline.name, trace.name);
      };
      if (std::any_of(spec.systems.begin(), spec.systems.end(), is_there)) continue;
      throw input_error(place, baseline + ", which has no cells on " + pipeline.name + " with " + trace.name,
                        "a configuration of every workload");
    }
  }
}

/// Lists the integers after the largest listed seed as the seeds that may be added.
void list_added_seeds(ExperimentSpec& spec, const InputPlace& place) {
  std::vector<std::uint64_t>& listed = spec.workload.seeds;
  const auto most = static_cast<std::size_t>(spec.repeat->max_seeds);
  if (listed.size() > most) {
    throw input_error(place, std::to_string(most),
                      "at least the " + counted(listed.size(), "seed") + " of workload.seeds");
  }
  const std::uint64_t largest = *std::max_element(listed.begin(), listed.end());
  const std::size_t more = most - listed.size();
  if (largest + more > kLargestSeed) {
    throw input_error(place, counted(more, "seed") + " after " + std::to_string(largest),
                      "integers from 0 to 2^53");
  }
  for (std::size_t i = 1; i <= more; ++i) spec.workload.added_seeds.push_back(largest + i);
}

/// Returns the half-width; -1 if there is no value. With one value, or an infinite one, there is no interval:
/// the result is infinity, so that more seeds are wanted.
double half_width_of(const Spread& spread) {
  if (spread.n == 0) return -1;
  return std::isnan(spread.half_width) ? std::numeric_limits<double>::infinity() : spread.half_width;
}

}  // namespace

void RepeatUntil::list(ParamList& params) {
  params
      .text("metric", metric, "a column of /summary that holds numbers",
            "what must be known well enough in every workload and configuration")
      .needed("a metric, such as drop_rate");
  params
      .number("half_width", half_width, 1e-12, 1e12,
              "the most that half the width of the 95 % confidence interval over the seeds (Student's t) "
              "may be")
      .needed();
  params.text("baseline", baseline, "a configuration: a system, or SYSTEM/VARIANT",
              "the interval is then of the differences to this configuration, paired by seed, else of the "
              "metric itself");
  params.integer("max_seeds", max_seeds, 2, 1000, "no more seeds than this, those listed included");
}

void read_repeat_until(const TableReader& document, ExperimentSpec& spec) {
  if (!document.has("repeat_until")) return;
  const TableReader table = document.table("repeat_until");
  const auto repeat = table.read_as<RepeatUntil>();
  const std::vector<std::string> metrics = metric_columns();
  if (std::find(metrics.begin(), metrics.end(), repeat.metric) == metrics.end())
    throw_unknown(table.place("metric"), "metric", repeat.metric, metrics);
  spec.repeat = repeat;
  if (!repeat.baseline.empty()) check_baseline(spec, table.place("baseline"));
  list_added_seeds(spec, table.place("max_seeds"));
}

std::size_t first_seeds(const ExperimentSpec& spec) {
  const std::size_t listed = spec.workload.seeds.size();
  return spec.repeat ? std::max<std::size_t>(listed, 2) : listed;
}

std::size_t max_seeds(const ExperimentSpec& spec) {
  return spec.workload.seeds.size() + spec.workload.added_seeds.size();
}

Repetition judge(const RepeatUntil& repeat, std::span<const SummaryRow> rows) {
  Repetition found;
  for (const WorkloadCells& workload : by_workload(rows)) {
    const SeriesCells* baseline = repeat.baseline.empty() ? nullptr : workload.find(repeat.baseline);
    if (baseline == nullptr && !repeat.baseline.empty()) continue;  // skipped here
    for (const SeriesCells& series : workload.series) {
      if (&series == baseline) continue;
      const Spread spread = baseline == nullptr
                                ? spread_over_seeds(series, repeat.metric)
                                : paired_over_seeds(series, *baseline, repeat.metric).difference;
      const double half_width = half_width_of(spread);
      if (half_width < 0 || (half_width <= found.widest && !found.where.empty())) continue;
      found.widest = half_width;
      found.values = spread.n;
      found.where =
          series.name + (baseline == nullptr ? "" : " - " + baseline->name) + ", " + workload.workload;
    }
  }
  return found;
}

std::string repetition_text(const ExperimentSpec& spec, std::size_t seeds, const Repetition& found) {
  std::string text = spec.repeat->metric + " with " + counted(seeds, "seed") + ": ";
  if (found.where.empty()) return text + "no values";
  char number[32];
  std::snprintf(number, sizeof number, "%.3g", found.widest);
  text += std::string("half-width at most ") + number + " (" + found.where + ")";
  if (found.values < seeds) text += ", of " + counted(found.values, "value");
  const bool wide = found.widest > spec.repeat->half_width;
  return wide ? text + ", more than " + text_of(spec.repeat->half_width) : text;
}

}  // namespace harness
