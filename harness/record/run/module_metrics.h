// Metrics that compare the modules of a run: their queues, arrivals, workers and losses.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/run/summary.h"

namespace harness {

/// Standard deviation over mean of the gaps (QUART, section 5.2). kNoValue for fewer than two, and where all
/// are 0.
double variation_of(const GapTotals& gaps);
/// Those of the modules, compared. kNoValue each where a module of the pipeline has none.
struct ArrivalVariation {
  double first = kNoValue;  ///< of the pipeline's first module
  double last = kNoValue;
  double max_over_min = kNoValue;
  double rising_share = kNoValue;  ///< of the steps from a module to the next, those up
};
ArrivalVariation arrival_variation(const RunRecord& record);

/// By module the mean number of visits that wait there, from the start to the end of the run, by Little's
/// law: the sum of the waits / that time. What was dropped or cancelled before it started does not count.
std::vector<double> mean_queues(const RunRecord& record);

/// Mean of mean_queues.
double queue_mean(const RunRecord& record);
/// The largest of them over the smallest; kNoValue for one module, or where nothing waits at one.
double longest_over_shortest_queue(const RunRecord& record);

/// The largest less the smallest of the shares of their time that the modules' workers are busy
/// (gpu_utilisation by module). kNoValue for fewer than two modules with workers, or if these serve several.
double utilisation_spread(const RunRecord& record);

/// How far the workers of one module keep step: of the module's other workers the share whose batch ends in
/// the same slot of BatchEnds as a worker's own, on average over the ends, less what chance brings and over
/// what is left above that: (m - c) / (W - 1 - c), with m = 2 pairs / n the ends beside an end, n the ends,
/// W the module's most workers at a time, and c = n (W - 1) / (W K) over the K slots up to the last end. So 0
/// on average where phases are independent, 1 where all always end together. kNoValue for fewer than 8
/// workers or 10 ends a worker, and where an end comes every two slots of each worker or more often, which
/// tells no phases apart.
double lockstep(const BatchEnds& ends, std::uint32_t workers);
/// The largest of the modules, at least 0; kNoValue where none has one or workers serve several modules.
double lockstep(const RunRecord& record);
/// Above it a cell is said to be in step: more than a quarter of a module's workers.
inline constexpr double kInStep = 0.25;

/// Of the visits that came to all modules the share that was dropped there; NAN when none came. Of a request
/// that is answered whole, one at most: what else it had is cancelled. With Answers::kPartial each is dropped
/// by itself, and this is what Loki's authors count, the dropped share of their "sub-requests".
double visit_drop_rate(const RunRecord& record);

/// Of the same visits the share that was rerouted (RunRecord::rerouted_visits); NAN when none came, and of
/// systems that never do.
double reroute_rate(const RunRecord& record);

/// Where the dropped and late requests were lost: dropped ones at the module that dropped them, late ones at
/// the last module, where they ended (PARD figures 2c and 11b).
struct DropPlaces {
  std::uint64_t all = 0;
  std::uint64_t last = 0;  ///< at modules without a successor
  std::uint64_t latter_half =
      0;                        ///< at depths of more than half of the pipeline's: 2, 3 of 3 and 3, 4, 5 of 5
  std::uint64_t first_two = 0;  ///< at depths 1 and 2
};
DropPlaces drop_places(const RunRecord& record);

}  // namespace harness
