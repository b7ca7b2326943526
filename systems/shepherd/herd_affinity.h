// The divergence of models' latencies (SHEPHERD, section 5.2), and HERD's affinity-sets (section 4).
#pragma once

#include <span>
#include <vector>

#include "systems/shepherd/herd_plan.h"

namespace harness {

/// Returns A(m_i, m_j) of section 5.2: near 1 for models with similar alpha and beta, and larger the more
/// they diverge. Not symmetric. Needs alpha > 0 and beta >= 0 of both.
double affinity(const HerdModel& i, const HerdModel& j);

/// Returns K of two models: the larger of the affinities in both directions (Eq. 4).
double divergence(const HerdModel& i, const HerdModel& j);

/// Returns the affinity-set of each model, 0, 1, ...: K between any two models of one set is at most `limit`;
/// a limit of 0 puts all into one set. Models are taken by ascending alpha, then beta, and each goes into the
/// first set with which it agrees (a reconstruction: the paper says only "a partitioning").
std::vector<int> affinity_sets(std::span<const HerdModel> models, double limit);

}  // namespace harness
