// The parameters of `rag`.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

enum class RagDropping { kProactive, kReactive, kPredict };

struct RagParams {
  RagDropping policy = RagDropping::kProactive;
  double average_window_s = 5;
  double lambda = 0.1;

  void list(ParamList& params) {
    params.choice("policy", policy, {"proactive", "reactive", "predict"},
                  "proactive: drops what it estimates late; reactive: only what is past the SLO; predict: as "
                  "proactive, with oracle knowledge of the output length at a service that ends at its last "
                  "token (PARD section 7)");
    params.number("average_window_s", average_window_s, 0.1, 3600,
                  "window of the recent averages, linearly weighted, newest most");
    params.number(
        "lambda", lambda, 0, 1,
        "quantile of a later batch module's wait, as a share of its execution time (PARD section 4.2)");
  }
};

}  // namespace harness
