// The load of a stage, the time that a visit stays there with r replicas (QUART, section 5.1), and the
// replicas that a delay takes. Delays are in seconds and include the execution, as the paper's T_i does.
#pragma once

namespace harness {

/// The load of a stage, as far as the formulas need it.
struct StageLoad {
  double rate_rps = 0;     ///< lambda: visits/s that arrive
  double replica_rps = 1;  ///< mu: visits/s that one replica serves
  double exec_s = 1;       ///< time that a batch runs; without batching 1 / mu
  double present = 0;      ///< visits there now, including the running ones
};

/// Returns the delay of M/M/r: C(r, lambda / mu) / (r mu - lambda) + exec_s, with Erlang's probability C of
/// waiting. The waiting time is multiplied by `variability`, which for a G/G/r is (CV of arrivals^2 + CV of
/// service^2) / 2 (Allen-Cunneen). Infinite if lambda >= r mu.
double erlang_c_delay_s(const StageLoad& load, int replicas, double variability = 1);

/// Returns Eq. 1 as printed, with P_0 of M/M/r. It is at most 2 / mu for one replica; infinite if lambda >= r
/// mu.
double printed_delay_s(const StageLoad& load, int replicas);

/// Returns the delay of a visit that comes now: the time until the waiting visits have begun, plus its
/// execution.
double backlog_delay_s(const StageLoad& load, int replicas);

/// Returns the smallest number of replicas within 1..`most` with which neither erlang_c_delay_s nor
/// backlog_delay_s is longer than `target_s`, which must be more than exec_s; `most` if no number is enough.
int replicas_within(const StageLoad& load, double target_s, double variability, int most);

}  // namespace harness
