// What the visits of a cell ask a running server for.
#pragma once

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/live/protocol/server_params.h"
#include "harness/live/server/server_run.h"

namespace harness {

/// Throws InputError for an address, header or body of `[server]` that no run could use.
void check_server_input(const ServerParams& params);

/// Returns how the cell runs against its server (`[server]`), after asking it: with KServe's protocol for
/// readiness, for each module's model, its inputs and its settings, and then for one answer of each model.
/// Throws CellFailed with the reason if the server is not there or not ready, lacks a model, answers
/// otherwise than its protocol says, or serves by other settings than the cell's system has.
ServerRun server_run(const PreparedCell& prepared, const RunSpec& spec, const CellRun& how);

}  // namespace harness
