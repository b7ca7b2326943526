// Requests and batches as a system sees them: plain values. Handles are valid while the visit is at the
// queue.
#pragma once

#include <span>

#include "harness/core/types.h"

namespace harness {

/// A request at a module, as its queue sees it.
struct Visit {
  VisitId id = 0;
  ModuleId module = 0;
  std::uint16_t stream = 0;  ///< stream to which the request belongs, modulo 65,536
  RequestId request = 0;
  TimeNs sent_ns = 0;      ///< time at which the client sent the request (PARD: t_s)
  TimeNs deadline_ns = 0;  ///< sent_ns + SLO
  /// Time at which the visit arrived at this queue (PARD: t_r); at a merge, when the last branch came.
  TimeNs arrived_ns = 0;

  bool operator==(const Visit&) const = default;
};

/// A visit in a batch.
struct BatchVisit {
  VisitId id = 0;
  TimeNs arrived_ns = 0;
  TimeNs joined_ns = 0;  ///< time at which it joined the forming batch (PARD: t_b)

  bool operator==(const BatchVisit&) const = default;
};

/// A batch that runs or ran. `visits` is valid during the call only.
struct BatchView {
  WorkerId worker = 0;
  ModuleId module = 0;
  TimeNs started_ns = 0;       ///< start of the batch (PARD: t_e)
  TimeNs expected_end_ns = 0;  ///< started_ns + the profile's latency; the true end may differ (jitter)
  std::span<const BatchVisit> visits;
  /// End of a batch that has ended or stopped, on its worker; the queue may hear of it later. kNever: it
  /// runs.
  TimeNs ended_ns = kNever;
};

}  // namespace harness
