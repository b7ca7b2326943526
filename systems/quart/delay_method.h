// T_i, the time that a visit stays at a stage, by one of several methods (QUART, section 5.1).
#pragma once

#include "systems/quart/stage_load.h"

namespace harness {

/// The way to compute T_i of a stage. erlang_c: the delay of M/M/c, or of the backlog if that takes longer
/// (section 4.3: "based on the pipeline queue status and feedback on response latency"). printed: Eq. 1
/// alone. measured: the mean wait of the last period plus the execution.
enum class DelayMethod { kErlangC, kPrinted, kMeasured };

/// Returns T_i without regard to the visits there at the moment: by `method`, with erlang_c for measured.
double steady_delay_s(DelayMethod method, const StageLoad& load, int replicas);

/// Returns T_i. `wait_s` is the measured wait; NaN if no batch has ended, in which case the backlog counts.
double delay_s(DelayMethod method, const StageLoad& load, int replicas, double wait_s);

}  // namespace harness
