// The simulated runtime: virtual time, one thread.
#pragma once

#include "harness/engine/run_spec.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Runs a cell in virtual time until every request has ended, and closes the accounting. The same spec gives
/// the same record (but for wall_s), bit by bit. `rows` may be null. Throws CellFailed if the run does not
/// end: after the load no batch runs for an hour of virtual time, or requests are still in the system and
/// nothing is due within a day, or within ten times the load's length if that is longer.
RunRecord simulate(const RunSpec& spec, RowSink* rows);

}  // namespace harness
