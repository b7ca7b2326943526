// What requests ask for, as opposed to a system's decisions.
#pragma once

#include <string_view>

#include "harness/core/param_list.h"

namespace harness {

/// Rule for what counts as the answer of a request whose visits form a task tree. The paper (Loki) leaves
/// open what a lost car means for its frame; the figures of its authors' simulator count visits one by one.
enum class Answers {
  kWhole,    ///< all its visits: a dropped one fails the request, and its siblings are cancelled
  kPartial,  ///< results of its paths: a dropped visit ends its own branch alone
};

inline const char* name_of(Answers answers) { return answers == Answers::kWhole ? "whole" : "partial"; }

/// Rule by which the numbers of visits that a visit causes stray from their means (core/fan_out.h).
enum class FanOutSpread { kPipeline, kPoisson, kRounded };

struct RequestParams {
  Answers answers = Answers::kWhole;
  FanOutSpread fan_out_spread = FanOutSpread::kPipeline;
  int measure_from_s = 0;

  /// True if the parameter of that name concerns task trees alone.
  static bool is_of_trees(std::string_view name) { return name != "measure_from_s"; }

  void list(ParamList& params) {
    params.choice("answers", answers, {"whole", "partial"},
                  "of task trees alone. whole: a dropped visit fails its request and cancels what is left "
                  "of it; partial: it ends its own branch alone, and the request is answered by the other "
                  "paths when its last visit is gone, or dropped when no path was served");
    params.choice("fan_out_spread", fan_out_spread, {"pipeline", "poisson", "rounded"},
                  "of task trees alone: how the numbers of visits that a visit causes stray from their "
                  "means: as the pipeline's file says; as Poisson variables; by rounding only");
    constexpr int kMax = 1'000'000'000;
    params.integer("measure_from_s", measure_from_s, 0, kMax,
                   "whole seconds: requests sent before it are served and counted nowhere, a warm-up; rates "
                   "and shares are of the rest of the load");
  }
};

}  // namespace harness
