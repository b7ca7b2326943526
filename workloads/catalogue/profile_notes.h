// Oddities of a profile, for the person who measured it: a run can use the profile all the same.
#pragma once

#include <string>
#include <vector>

#include "harness/core/profile.h"

namespace harness {

/// Returns a sentence for each oddity of a profile of batches: a batch of 1 so short or long that its unit
/// may be wrong, a batch that takes less than a smaller one, sizes that nobody measured. Services have no
/// oddities.
std::vector<std::string> odd_latencies(const Profile& profile);

/// Returns a sentence if the latency of a batch of `batch` is read off a line between two measured sizes of
/// which the larger is more than three times the smaller; else "".
std::string unmeasured_batch(const Profile& profile, int batch);

}  // namespace harness
