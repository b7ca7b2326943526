// Clipper++'s parameters.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The time that a visit's budget limits: since its sending (cumulative), or since its arrival at the module.
enum class ClipperppBudget { kCumulative, kPerModule };
/// The moment at which the budget is compared.
enum class ClipperppCheck { kJoin, kStart, kEnd };
/// The fate of a visit whose budget ended in the execution of an earlier module.
enum class ClipperppOverrun { kServed, kDropped };

struct ClipperppParams {
  ClipperppBudget budget = ClipperppBudget::kPerModule;
  ClipperppCheck check_at = ClipperppCheck::kJoin;
  ClipperppOverrun overrun = ClipperppOverrun::kServed;
  bool aimd = false;
  int aimd_step = 1;
  double aimd_backoff = 0.1;

  void list(ParamList& params) {
    params
        .choice("budget", budget, {"cumulative", "per_module"},
                "per_module: time since arrival at this module against its own budget, nothing carried over; "
                "cumulative: time since sending against the sum of the budgets up to this module")
        .reading();
    params
        .choice("check_at", check_at, {"join", "start", "end"},
                "a visit is over budget as of the moment it is taken into a batch, as of that batch's "
                "expected start, or as of its expected end at the planned batch size")
        .reading();
    params
        .choice("overrun", overrun, {"served", "dropped"},
                "a visit that left the modules before this one later than their budgets allow: served, if it "
                "is within the sum up to this module; dropped, as it arrives here")
        .reading()
        .only_with("budget", {"cumulative"});
    params.flag("aimd", aimd,
                "adapt the batch size by additive increase, multiplicative back-off, within the planned "
                "maximum size");
    params
        .integer("aimd_step", aimd_step, 1, 64,
                 "a full batch within the module's budget raises the size by this")
        .only_with("aimd", {"true"});
    params
        .number("aimd_backoff", aimd_backoff, 0, 1,
                "a batch over the module's budget lowers the size by this share")
        .only_with("aimd", {"true"});
  }
};

}  // namespace harness
