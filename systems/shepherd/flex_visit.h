// A visit as FLEX keeps it.
#pragma once

#include "harness/core/types.h"

namespace harness {

/// A visit in a queue or in a batch.
struct FlexVisit {
  TimeNs deadline_ns = 0;
  VisitId id = 0;
  bool held = false;  ///< the visit is in a batch that does not run yet, but waits for its worker to be free
};

}  // namespace harness
