// The parameters of QUART's Corrector.
#pragma once

#include "harness/core/param_list.h"
#include "systems/quart/delay_method.h"

namespace harness {

/// The way to correct replicas. pid: Eq. 2 and 3. exact: the smallest number that meets the target by
/// erlang_c (beyond the paper). foresight: the same, for the arrivals until a replica that is added now
/// serves (beyond the paper). none: only what the rate needs.
enum class CorrectorMethod { kPid, kExact, kForesight, kRateOnly };

/// The range of the sum of errors of Eq. 3. signed: as the printed integral, down to -`error_limit`, so that
/// a time of slack makes the response to the next burst smaller. from_zero: never below 0.
enum class ErrorSum { kSigned, kFromZero };

struct CorrectorParams {
  CorrectorMethod corrector = CorrectorMethod::kPid;
  DelayMethod delay = DelayMethod::kErlangC;
  double target_share = 1;
  double least_target = 1.25;
  double kp = 0.5;
  double ki = 0.05;
  double kd = 0.1;
  double error_limit = 20;
  ErrorSum error_sum = ErrorSum::kSigned;
  double key_s = 0;

  void list(ParamList& params);
};

}  // namespace harness
