// What requests to trees of tasks ask for, as opposed to what a system decides.
#pragma once

#include "harness/core/params.h"

namespace harness {

/// What counts as the answer of a request whose visits form a tree of tasks. The paper (Loki) leaves open
/// what a lost car means for its frame; the figures of its authors' simulator count visits one by one.
enum class Answers {
  kWhole,    ///< all its visits: one that is dropped fails it, and its siblings are cancelled
  kPartial,  ///< what its paths find: a dropped visit ends its own branch alone
};

inline const char* name_of(Answers answers) { return answers == Answers::kWhole ? "whole" : "partial"; }

/// How the numbers of visits that a visit causes stray from their means (core/fan_out.h).
enum class FanOutSpread { kPipeline, kPoisson, kRounded };

struct RequestParams {
  Answers answers = Answers::kWhole;
  FanOutSpread fan_out_spread = FanOutSpread::kPipeline;

  void list(ParamList& params) {
    params.choice(
        "answers", answers, {"whole", "partial"},
        "of trees of tasks alone. whole: a dropped visit fails its request and cancels what is left "
        "of it; partial: it ends its own branch alone, and the request is answered by the other "
        "paths when its last visit is gone, or dropped when no path was served");
    params.choice("fan_out_spread", fan_out_spread, {"pipeline", "poisson", "rounded"},
                  "of trees of tasks alone: how the numbers of visits that a visit causes stray from their "
                  "means: as the pipeline's file says; as Poisson variables; by rounding only");
  }
};

}  // namespace harness
