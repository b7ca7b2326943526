// The name of a cell for a user.
#pragma once

#include <string>

#include "harness/record/run/cell_identity.h"
#include "harness/text/json.h"

namespace harness {

/// Adds the columns that name a cell, as /summary has them.
void add_names(JsonObject& object, const CellIdentity& cell, double slo_ms);
/// Returns "pard lv tweet slo 500 ms load 1.2 seed 1", with the variant and the parameters if there are any.
std::string cell_title(const CellIdentity& cell, double slo_ms);

}  // namespace harness
