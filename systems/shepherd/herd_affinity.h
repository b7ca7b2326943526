// How far models' latencies diverge (SHEPHERD, section 5.2), and HERD's affinity-sets (section 4).
#pragma once

#include <span>
#include <vector>

#include "systems/shepherd/herd.h"

namespace harness {

/// A(m_i, m_j) of section 5.2: near 1 for models with like alpha and beta, larger the more they diverge. Not
/// symmetric. Needs alpha > 0 of both.
double affinity(const HerdModel& i, const HerdModel& j);

/// K of two models: the larger of both directions (Eq. 4).
double divergence(const HerdModel& i, const HerdModel& j);

/// The affinity-set of each model, 0, 1, ...: K between any two models of one set is at most `limit`; a limit
/// of 0 puts all into one set. Models are taken by ascending alpha, then beta, each into the first set that
/// it agrees with (a reconstruction: the paper says only "a partitioning").
std::vector<int> affinity_sets(std::span<const HerdModel> models, double limit);

}  // namespace harness
