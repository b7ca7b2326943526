// Symphony's scheduler over one set of workers and models (nexuslb, rankmt).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/decision.h"
#include "harness/serving/ranked_heap.h"
#include "harness/serving/visit.h"
#include "systems/symphony/candidate_queue.h"
#include "systems/symphony/symphony_params.h"

namespace harness {

struct SymphonyModel;

/// The algorithm. It is fed with events and adds to a list of decisions; it has no clock and knows no engine.
///
/// Every model has one candidate, computed anew whenever a request arrives. When its time to start comes, it
/// takes an idle GPU. If no GPU is idle, the candidate is *pending* until it would end late, and is computed
/// anew then. A GPU that becomes free takes the pending candidate that would end late first, and idles if no
/// candidate is pending. A candidate that gets a GPU is computed anew, too; if it should start later now, it
/// waits for that time again.
///
/// Order at one instant: first candidates that would end late by now, in the order of those times; then
/// pending candidates for which a GPU is idle; then candidates whose time to start has come, in the order of
/// those times and, if they are equal, of the models. If several candidates would end late at the same time,
/// the one that became pending last goes first.
///
/// Cost with G workers and M models: an arrival or a batch takes O(log M + log G + log cap), amortised; see
/// CandidateQueue. Nothing is allocated in steady state.
class DeferredScheduler {
 public:
  /// Needs at least one model.
  DeferredScheduler(const SymphonyParams& params, std::span<const SymphonyModel> models);

  /// The worker has nothing to run.
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out);
  /// The worker gets no further batch.
  void on_worker_draining(WorkerId worker) { idle_.erase(worker); }
  /// These workers are gone. `visits`, which had joined their batches, wait again.
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out);
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out);
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out);
  /// The time set by wake_at() has come.
  void on_timer(TimeNs now, Decisions& out);

 private:
  /// The place of a waiting visit, so that it can be found by its id.
  struct Place {
    TimeNs deadline_ns = 0;
    std::uint32_t model = kNone;
  };
  /// A time and the negative number of its note: of equal times the one noted last comes first.
  using Noted = std::pair<TimeNs, std::int64_t>;

  std::uint32_t model_of(ModuleId module) const;
  std::uint32_t place(const Visit& visit);
  void leave(VisitId visit);
  void update(TimeNs now, std::uint32_t model, Decisions& out);
  void renew(TimeNs now, std::uint32_t model, Decisions& out);
  void settle(TimeNs now, Decisions& out);
  bool step(TimeNs now, Decisions& out);
  void grant(TimeNs now, std::uint32_t model, Decisions& out);
  void wake(Decisions& out);
  Noted noted(TimeNs at_ns) { return {at_ns, --last_note_}; }

  SymphonyParams params_;
  std::vector<CandidateQueue> models_;
  std::vector<std::uint32_t> model_of_;  ///< index of each module's model; kNone: not served here
  RankedHeap<TimeNs> planned_;           ///< models, by the time at which their candidates are to start
  RankedHeap<Noted> pending_;  ///< models whose time has come, by the latest start of their candidates
  RankedHeap<Noted> idle_;     ///< workers, by the time since which they are idle
  std::vector<Place> places_;  ///< place of each visit
  std::int64_t last_note_ = 0;
  TimeNs wake_ns_ = kNever;  ///< earliest time set by wake_at() and not yet come
};

/// A model to serve.
struct SymphonyModel {
  ModuleId module = 0;
  const Profile* profile = nullptr;
  int max_batch = 1;  ///< in 1..profile->max_batch()
  TimeNs slo_ns = 0;
};

}  // namespace harness
