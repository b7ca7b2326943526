#include "harness/engine/queues/worker_models.h"

#include <algorithm>

namespace harness {
namespace {

/// True if what is left takes less than half a nanosecond: events are on whole nanoseconds.
bool is_done(double left, double rate_per_ns) { return left <= rate_per_ns * 0.5; }

TimeNs end_of(TimeNs now, double left, double rate_per_ns) {
  const double ns = left > 0 ? left / rate_per_ns : 0.0;
  constexpr double kLongest = 4e18;
  return ns < kLongest ? now + static_cast<TimeNs>(ns + 0.5) : kNever;
}

}  // namespace

bool SharedServer::prefilling() const {
  return !prompts_.empty() && decoding_.size() < static_cast<std::size_t>(service_->slots);
}

SharedServer::Rates SharedServer::rates() const {
  const std::size_t count = std::min(decoding_.size(), service_->decode_tokens_per_s.size());
  const double step_ns =
      count == 0 ? 0 : static_cast<double>(decoding_.size()) / service_->decode_tokens_per_s[count - 1] * 1e9;
  Rates rates;
  if (!prefilling()) {
    rates.decode = count == 0 ? 0 : 1 / step_ns;
    return rates;
  }
  const double both_ns = step_ns + prefill_ns(*service_, service_->chunk_tokens);
  rates.prefill = service_->chunk_tokens / both_ns;
  rates.decode = count == 0 ? 0 : 1 / both_ns;
  return rates;
}

void SharedServer::progress(TimeNs now) {
  const auto elapsed = static_cast<double>(now - at_ns_);
  const Rates speed = rates();
  if (prefilling()) prompts_.front().left -= elapsed * speed.prefill;
  decoded_ += elapsed * speed.decode;
  at_ns_ = now;
}

void SharedServer::start(TimeNs now, WorkerId worker, TokenCount tokens) {
  progress(now);
  prompts_.push_back({worker, static_cast<double>(tokens.input),
                      tokens.output > 0 ? static_cast<double>(tokens.output) - 1 : 0.0});
}

TimeNs SharedServer::next_ns() const {
  const Rates speed = rates();
  TimeNs next = kNever;
  if (prefilling()) next = end_of(at_ns_, prompts_.front().left, speed.prefill);
  if (!decoding_.empty()) {
    next = std::min(next, end_of(at_ns_, decoding_.front().end - decoded_, speed.decode));
  }
  return next;
}

void SharedServer::end_prefill(std::vector<WorkerId>& ended) {
  const Prompt prompt = prompts_.front();
  prompts_.pop_front();
  const bool visit_ends = service_->ends_at_first_token || prompt.decode <= 0;
  if (visit_ends) ended.push_back(prompt.worker);
  if (prompt.decode <= 0) return;
  decoding_.push_back({decoded_ + prompt.decode, started_++, visit_ends ? kNone : prompt.worker});
  std::push_heap(decoding_.begin(), decoding_.end(), later);
}

void SharedServer::advance(TimeNs now, std::vector<WorkerId>& ended) {
  progress(now);
  // The rates with which the server came here decide what is done, because an end changes them.
  const Rates speed = rates();
  const bool prompt_done = prefilling() && is_done(prompts_.front().left, speed.prefill);
  while (!decoding_.empty() && is_done(decoding_.front().end - decoded_, speed.decode)) {
    std::pop_heap(decoding_.begin(), decoding_.end(), later);
    if (decoding_.back().worker != kNone) ended.push_back(decoding_.back().worker);
    decoding_.pop_back();
  }
  if (prompt_done) end_prefill(ended);
  if (decoding_.empty()) decoded_ = 0;
}

WorkerModels::WorkerModels(const RunSpec& spec, EventQueue& events, const WorkerEventKinds& kinds)
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
