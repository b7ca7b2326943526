// A plan as the entries of a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/serving/plan.h"

namespace harness {

/// The plan's modules, four words each, after their number, then its groups, after theirs: workers, modules,
/// batches and cycle.
std::vector<std::int64_t> words_of(const Plan& plan);
/// Back. Throws EnvironmentError if the words are no plan for so many modules.
Plan plan_of(std::span<const std::int64_t> words, std::size_t modules);

}  // namespace harness
