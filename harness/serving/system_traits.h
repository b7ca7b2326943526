// The properties of a serving system that its host asks for.
#pragma once

namespace harness {

/// The properties of a system: what it serves, what its planner is told, what its plans and schedulers do.
struct SystemTraits {
  /// True if it serves independent pipelines, each with streams of its own.
  bool serves_streams = false;
  /// True if it serves task trees, so that it chooses a variant for each visit (Pipeline::tasks).
  bool serves_tasks = false;
  /// True if it can serve by a plan whose groups the experiment gives (planner.placement), in place of its
  /// own.
  bool serves_placements = false;
  /// True if its planner is told LoadStatistics::peak_rps, which costs a pass over the arrivals.
  bool wants_peaks = false;
  /// True if its planner is told a sample of the load (ServingContext::planning) and when requests were sent
  /// (LoadStatistics::sent_ns).
  bool wants_sample = false;
  /// True if a planner that wants a sample is also told beforehand when the run will send.
  bool wants_foresight = false;
  /// True if its planner is told LoadStatistics::modules.
  bool wants_module_statistics = false;
  /// True if its planner chooses a kind of device for each module (ModulePlan::device). If the cluster has
  /// several kinds, no other system is run.
  bool plans_devices = false;
  /// True if its plans say how many cores workers have (ModulePlan::cores). Profiles must then say which part
  /// of a batch the cores do.
  bool plans_cores = false;
  /// True if any other system can serve by its plans, and it can serve by the plans of other such systems
  /// (composed_system.h). Its plans then have no groups, and no details that its own routers must read.
  bool plans_for_others = false;
  /// True if its plans may leave a module without workers (QUART, section 5.1: stages as functions; no system
  /// does so far). With serving.queue = module, and without groups and task trees, visits that come to such a
  /// module wait in its queue for the next worker, also when its last worker is lost. If the system has a
  /// planning period of its own, planning goes on until no request is left.
  bool scales_to_zero = false;
  /// True if GPUs that a new plan moves to another group serve that group as soon as the batches that run
  /// there have ended, because the models are in memory. Otherwise the GPUs are free at that moment, and the
  /// new group's workers start cold.
  bool models_are_preloaded = false;
  /// True if its schedulers preempt; models then run with the exit points of their profiles.
  bool preempts = false;
};

}  // namespace harness
