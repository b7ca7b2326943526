// The simulated runtime: virtual time, one thread.
#pragma once

#include "harness/engine/run_spec.h"

namespace harness {

/// Runs a cell in virtual time until every request has ended, and closes the accounting. Deterministic: the
/// same spec gives the same record (but for wall_s) to the bit. `rows` may be null. Throws CellFailed where
/// the run cannot end or be recorded: nothing happens for an hour of virtual time, or requests are still
/// there a day and ten times the load's length after it.
RunRecord simulate(const RunSpec& spec, RowSink* rows);

}  // namespace harness
