// The Corrector (QUART, section 5.1): replicas for stages whose delay is above their target.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/params.h"
#include "systems/quart/stage_delay.h"

namespace harness {

/// The way to compute T_i of a stage. erlang_c: the delay of M/M/c, or of the backlog if that takes longer
/// (section 4.3: "based on the pipeline queue status and feedback on response latency"). printed: Eq. 1
/// alone. measured: the mean wait of the last period plus the execution.
enum class DelayMethod { kErlangC, kPrinted, kMeasured };

/// The way to correct replicas. pid: Eq. 2 and 3. exact: the smallest number that meets the target by
/// erlang_c (beyond the paper). foresight: the same, for the arrivals until a replica that is added now
/// serves (beyond the paper). none: only what the rate needs.
enum class CorrectorMethod { kPid, kExact, kForesight, kRateOnly };

struct CorrectorParams {
  CorrectorMethod corrector = CorrectorMethod::kPid;
  DelayMethod delay = DelayMethod::kErlangC;
  double target_share = 1;
  double least_target = 1.25;
  double kp = 0.5;
  double ki = 0.05;
  double kd = 0.1;
  double error_limit = 20;
  double key_s = 0;

  void list(ParamList& params);
};

/// Returns T_i without regard to the visits there at the moment: by `method`, with erlang_c for measured.
double steady_delay_s(DelayMethod method, const StageLoad& load, int replicas);

/// Returns T_i. `wait_s` is the measured wait; NaN if no batch has ended, in which case the backlog counts.
double delay_s(DelayMethod method, const StageLoad& load, int replicas, double wait_s);

/// The loop of Eq. 3 for one stage. The error e is the delay above the target, divided by the stage's
/// execution time, and time is counted in periods. So the gains are replicas for one execution time and have
/// no unit.
class PidLoop {
 public:
  /// Takes the error of the next period and returns the whole replicas to add, rounded up; 0 if e is not
  /// above 0. Holds e within +-`error_limit` and its sum from 0 to `error_limit`.
  int step(const CorrectorParams& params, double error);

 private:
  double sum_ = 0;
  double last_ = 0;
  bool has_last_ = false;
};

/// The Corrector, with one loop for each stage.
class Corrector {
 public:
  Corrector(const CorrectorParams& params, std::size_t stages) : params_(params), loops_(stages) {}

  /// Returns the replicas that it wants of a stage in this period, at most `most`; 0 if it leaves the stage
  /// alone. `replicas` are in force, `least` are what the rate needs. A stage with fewer than `least` gets
  /// them, and more if the delay with them is above the target.
  int correct(std::size_t stage, const StageLoad& load, double wait_s, double target_s, int replicas,
              int least, int most);

 private:
  CorrectorParams params_;
  std::vector<PidLoop> loops_;
};

}  // namespace harness
