// Workers that are timers driven by profiles: how long a batch, a sequence on a shared server or a remote
// call takes. The same in virtual time and on emulated GPUs.
#pragma once

#include <span>
#include <vector>

#include "harness/core/random.h"
#include "harness/engine/event_queue.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/shared_server.h"
#include "harness/engine/world.h"

namespace harness {

/// What pushes events when something starts: of `batch_kind` with the worker as index when it ends, and of
/// `server_kind` with a server's index, to be handed to on_server(). Single-threaded.
class WorkerModels {
 public:
  WorkerModels(const RunSpec& spec, EventQueue& events, std::uint32_t batch_kind, std::uint32_t server_kind);

  /// Starts a batch now that takes `profile_ns` by the profile.
  void run_batch(TimeNs now, WorkerId worker, TimeNs profile_ns) {
    events_.push(now + execution_ns(worker, profile_ns), batch_kind_, worker);
  }
  /// The same on a GPU that takes `factor` times as long.
  void run_batch_slowly(TimeNs now, WorkerId worker, TimeNs profile_ns, double factor) {
    const auto usual = static_cast<double>(execution_ns(worker, profile_ns));
    events_.push(now + static_cast<TimeNs>(usual * factor + 0.5), batch_kind_, worker);
  }
  void run_visit(TimeNs now, const ServiceVisit& visit);
  /// An event of a server, due at `at_ns`: the workers whose visits end then; valid until the next call.
  std::span<const WorkerId> on_server(std::uint32_t server, TimeNs at_ns);

  /// Time that a batch takes on this worker, by jitter.
  TimeNs execution_ns(WorkerId worker, TimeNs profile_ns);

 private:
  /// A server of a shared service, and when it is due (kNever: idle).
  struct Server {
    SharedServer sequences;
    TimeNs due_ns = kNever;
  };
  /// A module's servers: their slots follow one another.
  struct ModuleServers {
    std::uint32_t slots_each = 0;       ///< 0: none has been used yet
    std::vector<std::uint32_t> places;  ///< in the list of all servers
  };

  void schedule(std::uint32_t server);
  std::uint32_t server_of(const ServiceVisit& visit);

  const RunSpec& spec_;
  EventQueue& events_;
  std::uint32_t batch_kind_;
  std::uint32_t server_kind_;
  std::vector<RandomStream> executions_;  ///< by worker
  std::vector<Server> servers_;           ///< of all modules
  std::vector<ModuleServers> servers_of_;
  std::vector<WorkerId> ended_;
};

}  // namespace harness
