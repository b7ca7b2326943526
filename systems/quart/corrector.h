// The Corrector (QUART, section 5.1): replicas for stages whose delay is above their target.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/params.h"
#include "systems/quart/stage_delay.h"

namespace harness {

/// T_i of a stage. erlang_c: of M/M/c, or of the backlog where that takes longer (section 4.3: "based on the
/// pipeline queue status and feedback on response latency"). printed: Eq. 1 alone. measured: the mean wait of
/// the last period and the execution.
enum class DelayMethod { kErlangC, kPrinted, kMeasured };

/// pid: Eq. 2 and 3. exact: the smallest number that meets the target by erlang_c (beyond the paper).
/// foresight: likewise, for the arrivals until a replica that is added now serves (beyond the paper). none:
/// what the rate needs alone.
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

/// T_i without what is there at the moment: by `method`, erlang_c for measured.
double steady_delay_s(DelayMethod method, const StageLoad& load, int replicas);

/// T_i. `wait_s`: measured; NaN where no batch has ended, and the backlog counts.
double delay_s(DelayMethod method, const StageLoad& load, int replicas, double wait_s);

/// Eq. 3 for one stage. e is the delay above the target over the stage's execution time, time is counted in
/// periods: the gains are replicas for one such time, and have no unit.
class PidLoop {
 public:
  /// The next period's error: whole replicas to add, rounded up, 0 where it is not above 0. e and its sum are
  /// held within +-`error_limit`, the sum above 0.
  int step(const CorrectorParams& params, double error);

 private:
  double sum_ = 0;
  double last_ = 0;
  bool has_last_ = false;
};

/// Keeps one loop for each stage.
class Corrector {
 public:
  Corrector(const CorrectorParams& params, std::size_t stages) : params_(params), loops_(stages) {}

  /// The replicas that it wants of a stage in this period; 0: it leaves the stage alone. `replicas` are in
  /// force, `least` are what the rate needs: a stage with fewer gets them, and more where the delay with them
  /// is above the target. At most `most`.
  int correct(std::size_t stage, const StageLoad& load, double wait_s, double target_s, int replicas,
              int least, int most);

 private:
  CorrectorParams params_;
  std::vector<PidLoop> loops_;
};

}  // namespace harness
