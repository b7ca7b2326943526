// How long a visit stays at a stage with r replicas (QUART, section 5.1), and how many replicas a delay
// takes. Delays are in seconds and hold the execution, as the paper's T_i does.
#pragma once

namespace harness {

/// What the formulas need to know of a stage.
struct StageLoad {
  double rate_rps = 0;     ///< lambda: visits/s that arrive
  double replica_rps = 1;  ///< mu: visits/s that one replica serves
  double exec_s = 1;       ///< time that a batch runs; without batching 1 / mu
  double present = 0;      ///< visits there now, those that run included
};

/// M/M/r: C(r, lambda / mu) / (r mu - lambda) + exec_s, C being Erlang's probability of waiting. The waiting
/// is multiplied by `variability`: of a G/G/r (CV of arrivals^2 + CV of service^2) / 2 (Allen-Cunneen).
/// Infinite where lambda >= r mu.
double erlang_c_delay_s(const StageLoad& load, int replicas, double variability = 1);

/// Eq. 1 as printed, with P_0 of M/M/r. At most 2 / mu for one replica; infinite where lambda >= r mu.
double printed_delay_s(const StageLoad& load, int replicas);

/// Of a visit that comes now: until those that wait have begun, and its execution.
double backlog_delay_s(const StageLoad& load, int replicas);

/// Smallest number of replicas within 1..`most` with which neither erlang_c_delay_s nor backlog_delay_s is
/// longer than `target_s`, which is more than exec_s; `most` where none is enough.
int replicas_within(const StageLoad& load, double target_s, double variability, int most);

}  // namespace harness
