// Symphony's scheduler over one set of workers and models (nexuslb, rankmt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/ranked_heap.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/visit.h"
#include "systems/symphony/candidate_queue.h"

namespace harness {

/// A model to serve.
struct SymphonyModel {
  ModuleId module = 0;
  const Profile* profile = nullptr;
  int max_batch = 1;  ///< in 1..profile->max_batch()
  TimeNs slo_ns = 0;
};

/// Fed with events, adds to a list of decisions; holds no clock and knows no engine.
///
/// Every model has one candidate, made anew whenever a request arrives. When its time to start comes, it
/// takes an idle GPU; if there is none, it is *pending* until it would end late, and is made anew then. A GPU
/// that becomes free takes the pending candidate that would end late first, and idles if none is pending.
/// A candidate that gets a GPU is made anew, too; if it should start later now, it waits for that time again.
///
/// At one instant: first candidates that would end late by now, the first to be so first; then pending ones
/// that a GPU is idle for; then those whose time to start has come, the first to come first, of equal ones
/// the model given first. Of candidates that would end late at the same time the one that has become pending
/// last goes first.
///
/// Cost with G workers and M models: an arrival or a batch O(log M + log G + log cap), amortised; see
/// CandidateQueue. Nothing is allocated in steady state.
class DeferredScheduler {
 public:
  /// `models`: at least one.
  DeferredScheduler(const SymphonyParams& params, std::span<const SymphonyModel> models);

  /// The worker has nothing to run.
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out);
  /// It gets nothing more.
  void on_worker_draining(WorkerId worker) { idle_.erase(worker); }
  /// These workers are gone. `visits`, which had joined their batches, wait again.
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out);
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out);
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out);
  /// The time asked for by wake_at.
  void on_timer(TimeNs now, Decisions& out);

 private:
  /// Where a visit waits, so that it can be found by its id.
  struct Place {
    TimeNs deadline_ns = 0;
    std::uint32_t model = kNone;
  };
  /// A time and, before it was used up, how late it was noted: the last one first.
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
  std::vector<std::uint32_t> model_of_;  ///< by module; kNone: not served here
  RankedHeap<TimeNs> planned_;           ///< models, by when their candidates are to start
  RankedHeap<Noted> pending_;            ///< models whose time has come, by when they would end late
  RankedHeap<Noted> idle_;               ///< workers, since when
  std::vector<Place> places_;            ///< by visit
  std::int64_t last_note_ = 0;
  TimeNs wake_ns_ = kNever;  ///< what on_timer is asked for
};

}  // namespace harness
