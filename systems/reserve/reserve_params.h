// The parameters of `reserve`.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

struct ReserveParams {
  bool admission = true;
  bool feedback = true;
  bool hold = true;
  double margin = 1;
  double lost_target = 0.001;

  void list(ParamList& params);
};

}  // namespace harness
