// Requests and batches as a system sees them: plain values. A VisitId is valid while its visit waits in the
// queue or runs there.
#pragma once

#include <span>

#include "harness/core/types.h"

namespace harness {

/// A request at a module, as its queue sees it.
struct Visit {
  VisitId id = 0;
  ModuleId module = 0;
  /// Stream of the request, modulo 65,536 to keep visits small. RequestRow::stream has the whole number.
  std::uint16_t stream = 0;
  RequestId request = 0;
  TimeNs sent_ns = 0;      ///< time at which the client sent the request (PARD: t_s)
  TimeNs deadline_ns = 0;  ///< sent_ns + the SLO of its stream
  /// Time at which the visit arrived at this queue (PARD: t_r); at a merge, the arrival of the last branch.
  TimeNs arrived_ns = 0;

  bool operator==(const Visit&) const = default;
};

/// A visit in a batch. Its request is not repeated here: Scheduler::on_arrival() got it, under the same `id`.
struct BatchVisit {
  VisitId id = 0;
  TimeNs arrived_ns = 0;
  TimeNs joined_ns = 0;  ///< time at which it joined the forming batch (PARD: t_b)

  bool operator==(const BatchVisit&) const = default;
};

/// A batch that runs or ran. `visits` is valid during the callback that the batch is passed to.
struct BatchView {
  WorkerId worker = 0;
  ModuleId module = 0;
  TimeNs started_ns = 0;       ///< start of the batch (PARD: t_e)
  TimeNs expected_end_ns = 0;  ///< started_ns + the profile's latency; the true end may differ (jitter)
  std::span<const BatchVisit> visits;
  /// Time at which the batch ended or stopped, by its worker's clock; possibly before the callback. kNever:
  /// it still runs.
  TimeNs ended_ns = kNever;
};

}  // namespace harness
