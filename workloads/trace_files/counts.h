// Counts of requests in bins of equal length.
#pragma once

#include <string>
#include <vector>

#include "harness/core/arrival_source.h"
#include "harness/core/types.h"

namespace harness {

/// Returns the counts of the times in bins of bin_s.
std::vector<double> counts_of(const std::vector<TimeNs>& times_ns, double bin_s);
/// Returns the counts of all requests of a source in bins of bin_s, from its beginning (the source itself is
/// not moved).
std::vector<double> counts_of(const ArrivalSource& source, double bin_s);

/// Returns the text of a file of counts: a "# bin_s = X" comment, if counts are no integers "# decimal = .",
/// the header "count", and a count per line.
std::string counts_text(const std::string& title, double bin_s, const std::vector<double>& counts);

}  // namespace harness
