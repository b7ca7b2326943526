// The life of one request: the facts of `harness explain`, computed from the rows of its cell.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/views/explain_rows.h"
#include "harness/views/least_times.h"

namespace harness {

/// A request's visit to a module. Times that it never reached are as in its row.
struct VisitFacts {
  VisitRow row;
  TimeNs on_the_way_ns = 0;   ///< time on the way to it, from the end of `parent` or the request's sending
  std::uint64_t waiting = 0;  ///< number of other visits that waited at the module when it arrived
  const PlanRow* plan = nullptr;    ///< module's part of the plan then in force; null: none was recorded
  std::uint64_t served_before = 0;  ///< number of visits that arrived later and started before it left
  /// Batches of its worker that ran while it waited to join its own, and from there until its own started.
  std::vector<RowBatch> before_join, before_start;
  ExplainRows::Started meanwhile;        ///< all that the module started while it waited to join a batch
  std::optional<TimeNs> least_exec_ns;   ///< least execution time by the profile
  TimeNs decided_ns = 0;                 ///< time when it joined a batch, or ended without
  std::optional<std::size_t> state_row;  ///< module's newest state before then
};

/// A part of a completed request's time beyond the fastest possible.
struct LostTime {
  enum class What { kOnTheWay, kJoin, kStart, kExec };
  What what = What::kJoin;
  std::uint16_t module = 0;
  TimeNs ns = 0;
};

/// Returns the name of a part in JSON: "on_the_way", "queueing", "batch_wait" or "exec".
const char* name_of(LostTime::What what);

struct RequestFacts {
  RequestRow row;
  TimeNs slo_ns = 0;
  TimeNs deadline_ns = 0;
  std::vector<VisitFacts> visits;
  std::optional<TimeNs> alone_ns;  ///< least time from sending to the end (LeastTimes)
  /// The least time that a dropped request still needed then, and the batches that its module ran.
  std::optional<TimeNs> needed_ns;
  std::vector<RowBatch> running;
  /// The lost times of a completed request along the visits that led to its end, each following the one that
  /// it waited for, the largest time first. Their sum is the latency less the least time along these visits.
  std::vector<LostTime> lost;
};

/// Throws InputError if there is no such request.
void require_request(const ExplainRows& rows, std::uint64_t request);
/// Returns the facts of the request, which must exist. `least` may be null.
RequestFacts explain_request(const ExplainRows& rows, const LeastTimes* least, std::uint64_t request);

/// The requests that are meant: sent from `from_ns` on and before `until_ns`.
struct SentBetween {
  TimeNs from_ns = std::numeric_limits<TimeNs>::min();
  TimeNs until_ns = kNever;

  bool holds(const RequestRow& row) const { return row.sent_ns >= from_ns && row.sent_ns < until_ns; }
};

/// Returns the `count` of these requests that completed latest against their deadlines, the latest first.
/// Throws InputError if none of them completed.
std::vector<std::uint64_t> worst_requests(const ExplainRows& rows, SentBetween sent, std::size_t count);

/// The requests that were dropped for `reason` (at `module`, unless that is empty): the first `most` to be
/// dropped, and how many there are.
struct DroppedRequests {
  std::vector<std::uint64_t> first;
  std::uint64_t count = 0;
};
/// Returns these requests. Throws InputError if there is no such reason or module, or if nothing was dropped
/// so.
DroppedRequests dropped_requests(const ExplainRows& rows, SentBetween sent, const std::string& reason,
                                 const std::string& module, std::size_t most);

}  // namespace harness
