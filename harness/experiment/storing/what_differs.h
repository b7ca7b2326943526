// Tells why a finished cell is not used again, or cannot be joined with another.
#pragma once

#include <string>

#include "harness/record/run/summary_row.h"

namespace harness {

/// Returns what differs in the inputs of two cells of one place in an experiment: "serving.commit early, now
/// late", "contents of trace differ: day.csv", or "another build of harness" if only one is by this `build`
/// (build_id()) or nothing else differs. With `by_load` it names the load, not the rate that follows from it.
std::string what_differs(const CellIdentity& before, const CellIdentity& now, const std::string& build,
                         bool by_load);

/// Returns true if the cell was made by that build.
bool is_made_by(const std::string& build, const CellIdentity& cell);

}  // namespace harness
