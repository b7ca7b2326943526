// Metrics that compare the modules of a run: their queues, workers and losses.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/run/batch_ends.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Returns for each module the mean number of visits that wait there, from the start to the end of the run,
/// by Little's law: the sum of the waits / that time. A visit that was dropped or cancelled before it started
/// does not count.
std::vector<double> mean_queues(const RunRecord& record);

/// Returns the mean of mean_queues() over the modules.
double queue_mean(const RunRecord& record);
/// Returns the largest of mean_queues() over the smallest; kNoValue for one module, or if nothing waits at
/// one.
double longest_over_shortest_queue(const RunRecord& record);
/// Returns the share that the first half of the modules has of the sum of mean_queues(); of an odd number of
/// modules the middle one counts half. Returns kNoValue for one module, or if nothing waits.
double earlier_queue_share(const RunRecord& record);

/// Returns the difference between the largest and the smallest utilisation of the modules, which is the share
/// of their time that a module's workers are busy. Returns kNoValue if fewer than two modules have workers,
/// or if workers serve several modules.
double utilisation_spread(const RunRecord& record);

/// Returns how far the batches of one module's workers end in step. For the end of a batch, m is the number
/// of other ends in the same slot of BatchEnds, on average over the n ends: m = 2 pairs / n. Chance alone
/// brings c = n (W - 1) / (W K) of them, with W the largest number of the module's workers at a time and K
/// the number of slots up to the last end. The result is (m - c) / (W - 1 - c): on average 0 if the workers'
/// phases are independent, 1 if all batches always end together. It is kNoValue for fewer than 8 workers or
/// fewer than 10 ends per worker, and if each worker ends a batch every two slots or more often, which tells
/// no phases apart.
double lockstep(const BatchEnds& ends, std::uint32_t workers);
/// Returns the largest of the modules' values, at least 0; kNoValue if no module has a value or if workers
/// serve several modules.
double lockstep(const RunRecord& record);
/// A cell with a larger lockstep is said to be in step: more than a quarter of a module's workers are.
inline constexpr double kInStep = 0.25;

/// Returns the share of the visits that came to all modules that was dropped there; NAN if no visit came. A
/// request that is answered whole has at most one dropped visit, since its other visits are cancelled. With
/// Answers::kPartial each visit is dropped by itself, and the result is the number that Loki's authors
/// report, the dropped share of their "sub-requests".
double visit_drop_rate(const RunRecord& record);

/// Returns the share of the same visits that was rerouted (RunRecord::rerouted_visits); NAN if no visit came,
/// and for systems that never reroute.
double reroute_rate(const RunRecord& record);

}  // namespace harness
