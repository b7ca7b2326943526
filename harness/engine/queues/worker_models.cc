#include "harness/engine/queues/worker_models.h"

#include <algorithm>

namespace harness {

WorkerModels::WorkerModels(const RunSpec& spec, EventQueue& events, const EventKinds& kinds)
    : spec_(spec), events_(events), kinds_(kinds), servers_of_(spec.pipeline.modules.size()) {}

TimeNs WorkerModels::execution_ns(TimeNs now, WorkerId worker, TimeNs profile_ns) {
  if (spec_.slowdown != nullptr) return spec_.slowdown->duration_ns(worker, now, profile_ns);
  if (spec_.world.jitter == Jitter::kOff) return profile_ns;
  while (executions_.size() <= worker) executions_.emplace_back(spec_.seed, "execution", executions_.size());
  RandomStream& random = executions_[worker];
  const double factor = spec_.world.jitter == Jitter::kExponential
                            ? random.exponential()
                            : 1.0 + spec_.world.jitter_fraction * (2.0 * random.uniform() - 1.0);
  const auto duration_ns = static_cast<TimeNs>(static_cast<double>(profile_ns) * factor + 0.5);
  return duration_ns < 1 ? 1 : duration_ns;
}

void WorkerModels::preempt(TimeNs now, WorkerId worker, ModuleId module) {
  Running& running = running_[worker];
  TimeNs stops_ns = now;
  if (spec_.world.preemption == Preemption::kExitPoints) {
    const TimeNs segments = spec_.profiles[module].exit_points + 1;
    const TimeNs duration_ns = running.ends_ns - running.started_ns;
    const auto exit_ns = [&](TimeNs exit) { return running.started_ns + duration_ns * exit / segments; };
    TimeNs exit = std::max<TimeNs>(1, (now - running.started_ns) * segments / duration_ns);
    while (exit < segments && exit_ns(exit) < now) ++exit;
    if (exit >= segments) return;
    stops_ns = exit_ns(exit);
  }
  if (stops_ns >= running.ends_ns) return;
  running.stops_ns = stops_ns;
  events_.push(stops_ns, kinds_.preempted, worker);
}

bool WorkerModels::takes_stop(WorkerId worker, TimeNs at_ns) {
  Running& running = running_[worker];
  if (running.stops_ns != at_ns) return false;
  running.stops_ns = kNever;
  preempted_ends_.push_back({worker, running.ends_ns});
  return true;
}

bool WorkerModels::forget_preempted(WorkerId worker, TimeNs at_ns) {
  const auto same = [&](const PreemptedEnd& end) { return end.worker == worker && end.at_ns == at_ns; };
  const auto found = std::find_if(preempted_ends_.begin(), preempted_ends_.end(), same);
  if (found == preempted_ends_.end()) return false;
  *found = preempted_ends_.back();
  preempted_ends_.pop_back();
  return true;
}

void WorkerModels::run_visit(TimeNs now, const ServiceVisit& visit) {
  const Profile& profile = spec_.profiles[visit.module];
  if (profile.service == Service::kDelay) {
    const TimeNs delay_ns = delay_of(profile.delay, spec_.seed, visit.request, visit.module);
    events_.push(now + delay_ns, kinds_.batch, visit.worker);
    return;
  }
  const std::uint32_t server = server_of(visit);
  SharedServer& sequences = servers_[server].sequences;
  // In wall-clock time something that was due may not have been handled yet.
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
  if (next != kNever) events_.push(next, kinds_.server, index);
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
