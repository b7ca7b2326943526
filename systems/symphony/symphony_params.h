// Symphony's parameters, each with its source.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The time from which a batch may start.
enum class SymphonySchedulable {
  kFrontrun,  ///< last moment at which one more request could still join it
  kEager,     ///< at once
  kLatest     ///< last moment at which it ends in time
};

/// The requests that are given up for the sake of later ones.
enum class SymphonyDrop {
  kWindow,  ///< requests for which a batch of the target size would be too late
  kTimeout  ///< requests that are too late even alone: the target is 1
};

/// The idle GPU that gets a batch.
enum class SymphonyGpu {
  kIdleLongest,  ///< GPU idle for longest; if several are, the one reported free last
  kLowestNumber
};

struct SymphonyParams {
  SymphonySchedulable schedulable = SymphonySchedulable::kFrontrun;
  SymphonyDrop drop = SymphonyDrop::kWindow;
  SymphonyGpu gpu = SymphonyGpu::kIdleLongest;

  void list(ParamList& params) {
    params.choice(
        "schedulable", schedulable, {"frontrun", "eager", "latest"},
        "a batch may start: frontrun, from the last moment on at which one more request could still "
        "join it; eager, at once; latest, at the last moment at which it ends in time (nexuslb)");
    params.choice("drop", drop, {"window", "timeout"},
                  "window, requests for which a batch of the target size is too late are dropped; timeout, "
                  "those that are too late even alone (nexuslb)");
    params
        .choice("gpu", gpu, {"idle_longest", "lowest_number"},
                "which idle GPU gets a batch: the one that has been idle for longest (nexuslb), or the one "
                "with the lowest number, which keeps the load on few (the abstract)")
        .reading();
  }
};

}  // namespace harness
