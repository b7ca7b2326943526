#include "harness/engine/worker_models.h"

#include <algorithm>

namespace harness {

WorkerModels::WorkerModels(const RunSpec& spec, EventQueue& events, std::uint32_t batch_kind,
                           std::uint32_t server_kind)
    : spec_(spec),
      events_(events),
      batch_kind_(batch_kind),
      server_kind_(server_kind),
      servers_of_(spec.pipeline.modules.size()) {}

TimeNs WorkerModels::execution_ns(WorkerId worker, TimeNs profile_ns) {
  if (spec_.world.jitter == Jitter::kOff) return profile_ns;
  while (executions_.size() <= worker) executions_.emplace_back(spec_.seed, "execution", executions_.size());
  RandomStream& random = executions_[worker];
  const double factor = spec_.world.jitter == Jitter::kExponential
                            ? random.exponential()
                            : 1.0 + spec_.world.jitter_fraction * (2.0 * random.uniform() - 1.0);
  const auto duration_ns = static_cast<TimeNs>(static_cast<double>(profile_ns) * factor + 0.5);
  return duration_ns < 1 ? 1 : duration_ns;
}

void WorkerModels::run_visit(TimeNs now, const ServiceVisit& visit) {
  const Profile& profile = spec_.profiles[visit.module];
  if (profile.service == Service::kDelay) {
    const TimeNs delay_ns = delay_of(profile.delay, spec_.seed, visit.request, visit.module);
    events_.push(now + delay_ns, batch_kind_, visit.worker);
    return;
  }
  const std::uint32_t server = server_of(visit);
  SharedServer& sequences = servers_[server].sequences;
  // In wall-clock time something that was due may not have been looked at yet.
  sequences.start(std::min(now, sequences.next_ns()), visit.worker, visit.tokens);
  schedule(server);
}

std::uint32_t WorkerModels::server_of(const ServiceVisit& visit) {
  const Profile& profile = spec_.profiles[visit.module];
  ModuleServers& own = servers_of_[visit.module];
  if (own.slots_each == 0) own.slots_each = static_cast<std::uint32_t>(fixed_workers(profile));
  const std::uint32_t index = visit.slot / own.slots_each;
  while (own.places.size() <= index) {
    own.places.push_back(static_cast<std::uint32_t>(servers_.size()));
    servers_.push_back({SharedServer(profile.shared)});
  }
  return own.places[index];
}

void WorkerModels::schedule(std::uint32_t index) {
  Server& server = servers_[index];
  const TimeNs next = server.sequences.next_ns();
  if (next == server.due_ns) return;
  server.due_ns = next;
  if (next != kNever) events_.push(next, server_kind_, index);
}

std::span<const WorkerId> WorkerModels::on_server(std::uint32_t index, TimeNs at_ns) {
  ended_.clear();
  if (servers_[index].due_ns != at_ns) return ended_;  // a visit has started since: another end comes first
  servers_[index].due_ns = kNever;
  servers_[index].sequences.advance(at_ns, ended_);
  schedule(index);
  return ended_;
}

}  // namespace harness
