// A node of Nexus's packing: one GPU that runs a batch of each of its sessions in turn (Nexus, SOSP'19).
#pragma once

#include <span>
#include <vector>

#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"
#include "systems/nexus/nexus_policy.h"

namespace harness {

/// The scheduler of a group with one worker. Each session of the node has a queue of its own with Nexus's
/// early drop (NexusPolicy); at its turn it runs one batch, at most as large as its group plans. Batches form
/// when the GPU is free, whatever `commit` says: the next turn comes only once this one is over.
///
/// turns = next: when the GPU is free, the first session after the last one that has a batch to run has its
/// turn; an arrival at an idle node runs at once. turns = cycle: the turns of session i of n are at its place
/// in the duty cycle, the sum of the executions before it, counted from time 0. A turn that falls into a
/// longer execution follows at once (turns missed by more than a duty cycle are lost); one that finds no
/// visits is lost.
///
/// admission = planned: of the visits of a session that arrive in one duty cycle, counted from time 0, those
/// beyond its batch are dropped at once (kOverload).
class CycleScheduler final : public Scheduler {
 public:
  /// The context outlives the scheduler.
  CycleScheduler(const ServingContext& context, GroupId group, const NexusParams& params)
      : context_(context), group_(group), params_(params) {}

  /// Only the first plan counts: a group's modules never change.
  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override;
  void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override;
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override;
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) override;
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_timer(TimeNs now, Decisions& out) override;

 private:
  struct NodeSession {
    ModuleId module = 0;
    int max_batch = 1;
    TimeNs offset_ns = 0;  ///< time of its turn after the start of a duty cycle
    NexusPolicy queue;
    std::int64_t cycle = -1;  ///< duty cycle of the last arrival
    int arrived = 0;          ///< number of visits that arrived in it and were admitted
  };

  NodeSession& session_of(ModuleId module);
  NodeSession& session_at(std::int64_t turn);
  /// Counts the visit and returns true if the session may have one more in the duty cycle of `now`.
  bool admit(TimeNs now, NodeSession& session);
  bool is_idle() const;
  void take_turns(TimeNs now, Decisions& out);
  void take_next(TimeNs now, Decisions& out);
  void take_planned(TimeNs now, Decisions& out);
  /// Returns true if it launched a batch.
  bool run(TimeNs now, NodeSession& session, Decisions& out);
  TimeNs time_of(std::int64_t turn) const;
  /// Passes over turns that are earlier than `at`.
  void skip_turns_before(TimeNs at);

  const ServingContext& context_;
  GroupId group_;
  NexusParams params_;
  std::vector<NodeSession> sessions_;
  TimeNs cycle_ns_ = 0;
  std::int64_t turn_ = 0;  ///< number of the next turn, counted from 0 over all cycles
  WorkerId worker_ = kNone;
  bool free_ = false;
};

}  // namespace harness
