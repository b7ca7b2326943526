// Workers that are timers driven by profiles: the time of a batch, of a sequence on a shared server or of a
// remote call. They are the same in virtual time and on emulated GPUs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/core/random_stream.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/queues/shared_server.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/workers.h"

namespace harness {

/// The workers of all kinds of services. They push events when something starts. Single-threaded.
class WorkerModels {
 public:
  /// Kinds of the events that this object pushes.
  struct EventKinds {
    /// End of what a worker runs, if takes_end() says so; the index is the worker.
    std::uint32_t batch = 0;
    std::uint32_t server = 0;  ///< event of a server, for on_server(); the index is the server
    /// Stop of a worker's batch, if takes_stop() says so; the index is the worker.
    std::uint32_t preempted = 0;
  };

  WorkerModels(const RunSpec& spec, EventQueue& events, const EventKinds& kinds);

  /// Starts a batch now that takes `profile_ns` by the profile, after the handover.
  void run_batch(TimeNs now, WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) {
    start(now, worker, handover_ns + execution_ns(now, worker, profile_ns));
  }
  /// Does the same on a GPU that takes `factor` times as long.
  void run_batch_slowly(TimeNs now, WorkerId worker, TimeNs profile_ns, TimeNs handover_ns, double factor) {
    const double slow_ns = static_cast<double>(execution_ns(now, worker, profile_ns)) * factor;
    constexpr double kLongestNs = 1e16;
    if (!(slow_ns <= kLongestNs)) throw CellFailed("slow faults make a batch last for more than 115 days");
    start(now, worker, handover_ns + static_cast<TimeNs>(slow_ns + 0.5));
  }
  /// Makes the worker's batch of `module` stop at the first of its exit points from now on, which divide the
  /// batch's time evenly (world.preemption = immediate: now). After the last exit point it runs to its end.
  void preempt(TimeNs now, WorkerId worker, ModuleId module);
  /// True if an event of kind `batch` due at `at_ns` is the end of what the worker runs, and not of a batch
  /// that was preempted.
  bool takes_end(WorkerId worker, TimeNs at_ns) {
    return preempted_ends_.empty() || !forget_preempted(worker, at_ns);
  }
  /// True if an event of kind `preempted` due at `at_ns` stops what the worker runs.
  bool takes_stop(WorkerId worker, TimeNs at_ns);
  void run_visit(TimeNs now, const ServiceVisit& visit);
  /// Handles an event of a server, due at `at_ns`. Returns the workers whose visits end then; valid until the
  /// next call.
  std::span<const WorkerId> on_server(std::uint32_t server, TimeNs at_ns);

  /// Returns the time that a batch takes on this worker from now on, by jitter or slowdown.
  TimeNs execution_ns(TimeNs now, WorkerId worker, TimeNs profile_ns);

 private:
  /// A server of a shared service, with the time at which it is due (kNever: idle).
  struct Server {
    SharedServer sequences;
    TimeNs due_ns = kNever;
  };
  /// The servers of a module, whose slots follow one another.
  struct ModuleServers {
    std::uint32_t slots_each = 0;       ///< slots of each server; 0: none has been used yet
    std::vector<std::uint32_t> places;  ///< index of each server in the list of all servers
  };

  /// The batch that a worker runs, or ran last.
  struct Running {
    TimeNs started_ns = 0;
    TimeNs ends_ns = 0;
    TimeNs stops_ns = kNever;
  };
  /// The end of a batch that was preempted: its event is still to come.
  struct PreemptedEnd {
    WorkerId worker = 0;
    TimeNs at_ns = 0;
  };

  void start(TimeNs now, WorkerId worker, TimeNs duration_ns) {
    if (running_.size() <= worker) running_.resize(worker + 1);
    running_[worker] = {now, now + duration_ns, kNever};
    events_.push(now + duration_ns, kinds_.batch, worker);
  }
  bool forget_preempted(WorkerId worker, TimeNs at_ns);
  void schedule(std::uint32_t server);
  std::uint32_t server_of(const ServiceVisit& visit);

  const RunSpec& spec_;
  EventQueue& events_;
  EventKinds kinds_;
  std::vector<Running> running_;              ///< batch of each worker
  std::vector<PreemptedEnd> preempted_ends_;  ///< ends in no order; few
  std::vector<RandomStream> executions_;      ///< random stream of each worker
  std::vector<Server> servers_;               ///< servers of all modules
  std::vector<ModuleServers> servers_of_;
  std::vector<WorkerId> ended_;
};

}  // namespace harness
