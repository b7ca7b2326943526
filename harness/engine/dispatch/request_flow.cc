#include "harness/engine/dispatch/request_flow.h"

#include "harness/core/check.h"
#include "harness/core/wording.h"

namespace harness {

RequestFlow::RequestFlow(const Pipeline& pipeline, const std::vector<Stream>& streams, std::uint64_t seed,
                         Answers answers, SlotTable<VisitRecord>& visits, Accounting& accounting,
                         ToQueues& to_queues, std::vector<ModuleQueues>& queues)
    : pipeline_(pipeline),
      streams_(streams),
      is_chain_(pipeline.is_chain()),
      is_dag_(!is_chain_ && !pipeline.has_tasks()),
      is_partial_(pipeline.has_tasks() && answers == Answers::kPartial),
      routes_(pipeline, seed),
      visits_(visits),
      accounting_(accounting),
      to_queues_(to_queues),
      queues_(queues) {
  if (pipeline.has_tasks()) tree_.emplace(pipeline, seed);
}

void RequestFlow::send(TimeNs now, StreamId stream, TimeNs schedule_lag_ns) {
  const Stream& from = streams_[stream];
  const std::uint32_t slot = requests_.allocate();
  RequestRecord& request = requests_[slot];
  request = {};
  request.id = next_request_++;
  request.sent_ns = now;
  request.deadline_ns = now + from.slo_ns;
  request.schedule_lag_ns = schedule_lag_ns;
  request.stream = stream;
  if (is_dag_ && visit_at_.size() < place(slot + 1, 0)) {
    visit_at_.resize(place(slot + 1, 0), kNone);
    branches_at_.resize(place(slot + 1, 0), 0);
  }
  if (routes_.dynamic()) {
    if (route_at_.size() <= slot) route_at_.resize(slot + 1, 0);
    route_at_[slot] = static_cast<std::uint16_t>(routes_.of(request.id));
  }
  accounting_.on_sent(now, from.entry);
  const VisitId visit = make_visit(slot, from.entry, 0);
  if (tree_) {
    tree_->add_first(slot, visit, request.id);
    accounting_.on_paths_begun(1);
  }
  deliveries_.clear();
  choose_queues(now, from.entry, {&visit, 1});
  deliver(now);
}

VisitId RequestFlow::make_visit(std::uint32_t request_slot, ModuleId module, std::uint16_t parent) {
  const VisitId visit = visits_.allocate();
  RequestRecord& request = requests_[request_slot];
  VisitRecord& record = visits_[visit];
  record = {};
  record.visit = {visit,      module,          static_cast<std::uint16_t>(request.stream),
                  request.id, request.sent_ns, request.deadline_ns,
                  0};
  record.request_slot = request_slot;
  record.live = true;
  record.index = request.next_index++;
  record.parent = parent;
  ++request.live_visits;
  if (is_dag_) visit_at_[place(request_slot, module)] = visit;
  return visit;
}

void RequestFlow::advance_visit(VisitId visit, ModuleId to) {
  VisitRecord& record = visits_[visit];
  record.visit.module = to;
  record.parent = record.index++;
  record.state = VisitState::kTravelling;
  record.counted = false;
}

void RequestFlow::assign_module(VisitId visit, ModuleId module) {
  VisitRecord& record = visits_[visit];
  if (record.counted && record.visit.module != module) accounting_.on_moved(record.visit, module);
  record.visit.module = module;
}

void RequestFlow::choose_queues(TimeNs now, ModuleId module, std::span<const VisitId> visits,
                                const Upstream* from) {
  ModuleQueues& queues = queues_[module];
  if (queues.views.empty()) {
    for (const VisitId visit : visits) end_on_the_way(now, visit, DropReason::kNoWorker);
    return;
  }
  if (route_visits_.size() < visits.size()) route_visits_.resize(visits.size());
  if (queues.reads_visits) {
    for (std::size_t i = 0; i < visits.size(); ++i) route_visits_[i] = visits_[visits[i]].visit;
  }
  const std::span<const Visit> seen(route_visits_.data(), visits.size());
  const bool is_tree = tree_.has_value();
  if (is_tree) {  // a sibling that is refused now cancels those that have a queue
    for (const VisitId visit : visits) visits_[visit].queue = kNone;
  }
  if (route_choices_.size() < visits.size()) route_choices_.resize(visits.size());
  const std::span<std::uint32_t> choices(route_choices_.data(), visits.size());
  if (from != nullptr) {
    queues.router->route_onward(now, *from, seen, queues.views, choices);
  } else {
    queues.router->route(now, seen, queues.views, choices);
  }
  static_assert(kRefused + 1 == kNone);
  const std::span<QueueView> views(queues.views);
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const VisitId visit = visits[i];
    if (choices[i] >= views.size() || (is_tree && request_of(visits_[visit]).ended)) [[unlikely]] {
      HARNESS_CHECK(choices[i] >= kRefused || choices[i] < views.size(),
                    "a router chose no queue of its list");
      end_on_the_way(now, visit, choices[i] == kRefused ? DropReason::kOverBudget : DropReason::kNoWorker);
      continue;
    }
    QueueView& view = views[choices[i]];
    if (queues.counts_outstanding) {
      if (shares_queues_) [[unlikely]]
        count_outstanding(module, view.id, 1);
      else
        ++view.outstanding;
    }
    visits_[visit].queue = view.id;
    if (is_tree) assign_module(visit, view.group);
    deliveries_.push_back({visit, view.id});
  }
}

void RequestFlow::count_outstanding(ModuleId module, QueueId queue, int count) {
  const auto count_at = [&](ModuleQueues& queues) {
    for (QueueView& view : queues.views) {
      if (view.id == queue) view.outstanding += count;
    }
  };
  if (!shares_queues_) return count_at(queues_[module]);
  for (ModuleQueues& queues : queues_) count_at(queues);
}

void RequestFlow::deliver(TimeNs now) {
  if (accounting_.counts_gaps()) [[unlikely]]
    count_gaps(now);
  to_queues_.deliver(deliveries_);
}

void RequestFlow::count_gaps(TimeNs now) {
  for (std::size_t begin = 0, end = 0; begin < deliveries_.size(); begin = end) {
    const ModuleId module = visits_[deliveries_[begin].visit].visit.module;
    while (end < deliveries_.size() && visits_[deliveries_[end].visit].visit.module == module) ++end;
    accounting_.on_sent_to_queues(now, module, end - begin);
  }
}

void RequestFlow::end_on_the_way(TimeNs now, VisitId visit, DropReason reason) {
  VisitRecord& record = visits_[visit];
  if (!record.counted) {
    accounting_.on_arrived(now, record.visit);
    record.visit.arrived_ns = now;
  }
  record.queue = kNone;
  drop(now, visit, reason);
}

void RequestFlow::acknowledge(ModuleId module, QueueId queue, int count) {
  const bool counts = queues_[pipeline_.task_of(module)].counts_outstanding;
  if (counts && queue != kNone) to_queues_.acknowledge(module, queue, count);
}

void RequestFlow::on_batch_done(TimeNs now, WorkerId worker, const WorkerState& state, TimeNs ended_ns) {
  const ModuleId module = state.module;
  const TimeNs started_ns = state.started_ns;
  const std::span<const BatchVisit> visits = state.running;
  const TimeNs exec_ns = ended_ns - started_ns;
  const TimeNs gpu_ns = state.gpu_time_ns(ended_ns);
  accounting_.on_batch_done(ended_ns, module, visits, exec_ns, gpu_ns);
  acknowledge(module, state.queue, static_cast<int>(visits.size()));
  const auto count = static_cast<TimeNs>(visits.size());
  TimeNs share_ns = gpu_ns / count + gpu_ns % count;  // the first visit carries the remainder
  if (accounting_.wants_rows()) write_rows(ended_ns, worker, started_ns, visits);
  const std::vector<ModuleId>& subs = pipeline_.modules[module].subs;
  finished_.clear();
  const TimeNs even_share_ns = gpu_ns / count;
  if (is_chain_ && subs.empty()) {  // requests lie scattered outside the near caches: fetch them together
    for (const BatchVisit& member : visits) requests_.prefetch(member.id);  // its slot too, in a chain
  }
  for (const BatchVisit& member : visits) {
    VisitRecord& record = visits_[member.id];
    record.gpu_ns += share_ns;
    share_ns = even_share_ns;
    if (is_chain_ && !subs.empty()) {  // a chain's request ends with its only visit: that it lives is known
      advance_visit(member.id, subs.front());
      finished_.push_back(member.id);
      continue;
    }
    const RequestRecord& request = request_of(record);
    if (request.ended || subs.empty()) {
      if (tree_ && subs.empty()) {
        serve_path(now, member.id, module);
      } else if (tree_) {  // its request has ended: it causes no visits, but they are counted
        for (std::size_t s = 0; s < subs.size(); ++s) tree_->children(member.id, s, module);
        lose_paths(request, 1);
      }
      end_visit(now, member.id);
    } else {
      finished_.push_back(member.id);
    }
  }
  if (finished_.empty()) return;
  deliveries_.clear();
  if (is_chain_) {
    choose_queues(now, subs.front(), finished_);
    deliver(now);
    return;
  }
  if (tree_) {
    grow(now, module, state.queue);
  } else {
    for (const ModuleId to : subs) split_to(now, module, to);  // all branches leave before any arrives
  }
  deliver(now);
  for (const VisitId visit : finished_) end_visit(now, visit);
}

void RequestFlow::fail_batch(TimeNs now, WorkerId worker, const WorkerState& state, TimeNs ended_ns,
                             DropReason reason) {
  const TimeNs gpu_ns = state.gpu_time_ns(ended_ns);
  const auto count = static_cast<TimeNs>(state.running.size());
  accounting_.on_batch_failed(now, gpu_ns, state.running.size());
  failed_ = {worker, state.started_ns, ended_ns, static_cast<std::uint16_t>(count)};
  TimeNs share_ns = gpu_ns / count + gpu_ns % count;
  for (const BatchVisit& member : state.running) {
    visits_[member.id].gpu_ns += share_ns;
    share_ns = gpu_ns / count;
    failed_.joined_ns = member.joined_ns;
    drop(now, member.id, reason);
  }
  failed_ = {};
}

void RequestFlow::split_to(TimeNs now, ModuleId from, ModuleId to) {
  const bool chooses = pipeline_.modules[from].branches != Branches::kAll;
  const auto goes_there = [&](std::uint32_t slot) {
    return !requests_[slot].ended && (!chooses || route_of(slot).takes(from, to));
  };
  if (pipeline_.modules[to].pres.size() > 1) {
    for (const VisitId visit : finished_) {
      if (goes_there(visits_[visit].request_slot)) merge_at(now, visits_[visit], to);
    }
    return;
  }
  children_.clear();
  for (const VisitId visit : finished_) {
    const VisitRecord& parent = visits_[visit];
    const std::uint32_t slot = parent.request_slot;
    const std::uint16_t index = parent.index;
    if (goes_there(slot)) children_.push_back(make_visit(slot, to, index));
  }
  if (!children_.empty()) choose_queues(now, to, children_);
}

void RequestFlow::grow(TimeNs now, ModuleId from, QueueId queue) {
  const std::vector<ModuleId>& subs = pipeline_.modules[from].subs;
  // All numbers come first: the counts of what the variant causes must not depend on refusals on the way.
  child_counts_.clear();
  for (std::size_t s = 0; s < subs.size(); ++s) {
    for (const VisitId parent : finished_) child_counts_.push_back(tree_->children(parent, s, from));
  }
  for (std::size_t s = 0; s < subs.size(); ++s) {
    children_.clear();
    parents_arrived_.clear();
    for (std::size_t i = 0; i < finished_.size(); ++i)
      add_children(finished_[i], s, from, child_counts_[s * finished_.size() + i]);
    if (children_.empty()) continue;
    const Upstream upstream{queue, from, parents_arrived_};
    choose_queues(now, subs[s], children_, &upstream);
  }
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    std::int64_t children = 0;
    for (std::size_t s = 0; s < subs.size(); ++s) children += child_counts_[s * finished_.size() + i];
    if (children == 0)
      serve_path(now, finished_[i], from);
    else
      accounting_.on_paths_begun(children - 1);
  }
}

void RequestFlow::serve_path(TimeNs now, VisitId visit, ModuleId served_by) {
  const std::uint32_t slot = visits_[visit].request_slot;
  const RequestRecord& request = requests_[slot];
  accounting_.on_path_served(request.sent_ns, now <= request.deadline_ns,
                             tree_->on_leaf(slot, visit, served_by));
}

void RequestFlow::add_children(VisitId parent, std::size_t sub, ModuleId from, std::uint32_t count) {
  const std::uint32_t slot = visits_[parent].request_slot;
  if (requests_[slot].ended) {  // a child on the way to an earlier sub was dropped
    lose_paths(requests_[slot], count);
    return;
  }
  const std::uint16_t index = visits_[parent].index;
  const TimeNs arrived_ns = visits_[parent].visit.arrived_ns;
  HARNESS_CHECK(requests_[slot].next_index + count <= 0xffff, "a request has more than 65,535 visits");
  for (std::uint32_t child = 0; child < count; ++child) {
    const VisitId visit = make_visit(slot, pipeline_.modules[from].subs[sub], index);
    tree_->add_child(slot, visit, parent, sub, child, from);
    children_.push_back(visit);
    parents_arrived_.push_back(arrived_ns);
  }
}

void RequestFlow::merge_at(TimeNs now, const VisitRecord& branch, ModuleId to) {
  const std::uint32_t slot = branch.request_slot;
  const std::uint16_t index = branch.index;
  const std::uint16_t branches = ++branches_at_[place(slot, to)];
  if (branches == 1) {
    const VisitId visit = make_visit(slot, to, index);
    visits_[visit].state = VisitState::kWaiting;
    choose_queues(now, to, {&visit, 1});
    if (requests_[slot].ended) return;
    deliveries_.pop_back();  // it waits for the other branches
  }
  const VisitId visit = visit_at_[place(slot, to)];
  VisitRecord& record = visits_[visit];
  record.parent = index;
  if (branches < branches_to(slot, to)) return;
  record.state = VisitState::kTravelling;
  deliveries_.push_back({visit, record.queue});
}

void RequestFlow::drop(TimeNs now, VisitId visit, DropReason reason) {
  VisitRecord& record = visits_[visit];
  RequestRecord& request = request_of(record);
  if (request.ended) {  // dropped at another module already; the cancellation has not arrived yet
    on_cancelled(now, visit);
    return;
  }
  accounting_.on_visit_dropped(now, record.visit, reason);
  if (accounting_.wants_rows()) write_row(now, record, VisitOutcome::kDropped, reason);
  acknowledge(record.visit.module, record.queue, 1);
  lose_paths(request, 1);
  request.reason = reason;
  request.module = record.visit.module;
  if (is_partial_) {
    end_visit(now, visit);
    return;
  }
  const std::uint32_t slot = record.request_slot;
  request.ended = true;
  request.end_ns = now;
  accounting_.on_request_outcome(streams_[request.stream].entry, request.sent_ns, Outcome::kDropped, 0);
  const bool has_siblings = request.live_visits > 1;
  end_visit(now, visit);
  if (has_siblings) cancel_siblings(slot);
}

void RequestFlow::on_cancelled(TimeNs now, VisitId visit) {
  const VisitRecord& record = visits_[visit];
  accounting_.on_visit_cancelled(now, record.visit);
  acknowledge(record.visit.module, record.queue, 1);
  lose_paths(request_of(record), 1);
  if (accounting_.wants_rows()) write_row(now, record, VisitOutcome::kCancelled, DropReason::kExpired);
  end_visit(now, visit);
}

void RequestFlow::reroute(TimeNs now, ModuleId module, std::span<const VisitId> visits) {
  std::vector<VisitId> wanted;
  for (const VisitId visit : visits) {
    VisitRecord& record = visits_[visit];
    if (!request_of(record).ended) {
      wanted.push_back(visit);
      record.state = VisitState::kTravelling;
      acknowledge(module, record.queue, 1);
      continue;
    }
    if (!record.counted) {
      accounting_.on_arrived(now, record.visit);
      record.visit.arrived_ns = now;
    }
    on_cancelled(now, visit);
  }
  std::vector<Delivery> outer;  // a visit may be found to need another queue while others are being delivered
  outer.swap(deliveries_);
  choose_queues(now, pipeline_.task_of(module), wanted);
  to_queues_.deliver(deliveries_);
  deliveries_.swap(outer);
}

void RequestFlow::end_visit(TimeNs now, VisitId visit) {
  VisitRecord& record = visits_[visit];
  record.state = VisitState::kTravelling;  // a free slot must not look queued
  record.live = false;
  const std::uint32_t slot = record.request_slot;
  RequestRecord& request = requests_[slot];
  request.gpu_ns += record.gpu_ns;
  if (is_dag_) visit_at_[place(slot, record.visit.module)] = kNone;
  if (tree_) tree_->remove(slot, visit);
  const ModuleId module = record.visit.module;
  visits_.release(visit);
  if (--request.live_visits > 0) return;
  Outcome outcome = request.given_up ? Outcome::kUnfinished : Outcome::kDropped;
  if (!request.ended) {
    request.end_ns = now;
    const ModuleId entry = streams_[request.stream].entry;
    if (is_partial_ && !tree_->has_served(slot)) {
      accounting_.on_request_outcome(entry, request.sent_ns, Outcome::kDropped, 0);
    } else {
      request.module = module;
      outcome = now <= request.deadline_ns ? Outcome::kInTime : Outcome::kLate;
      accounting_.on_request_outcome(entry, request.sent_ns, outcome, now - request.sent_ns);
    }
  }
  accounting_.on_request_gone(request, outcome, tree_ ? tree_->accuracy(slot) : NAN);
  if (is_dag_) {
    for (ModuleId m = 0; m < pipeline_.modules.size(); ++m) branches_at_[place(slot, m)] = 0;
  }
  requests_.release(slot);
}

void RequestFlow::give_up(TimeNs now) {
  for (VisitId visit = 0; visit < visits_.slots(); ++visit) {
    const VisitRecord& record = visits_[visit];
    if (!record.live) continue;
    RequestRecord& request = request_of(record);
    if (record.state != VisitState::kWaiting) accounting_.on_visit_unfinished(record.visit);
    lose_paths(request, 1);
    if (!request.ended) accounting_.on_request_unfinished(request.sent_ns);
    request.given_up = request.given_up || !request.ended;
    request.ended = true;
    request.module = record.visit.module;
    request.end_ns = now;
    end_visit(now, visit);
  }
}

void RequestFlow::cancel_siblings(std::uint32_t request_slot) {
  if (tree_) {
    for (const VisitId visit : tree_->live(request_slot)) {
      const VisitRecord& record = visits_[visit];
      if (record.queue != kNone) to_queues_.cancel({visit, record.visit.request, record.index});
    }
    return;
  }
  for (ModuleId module = 0; module < pipeline_.modules.size(); ++module) {
    const VisitId visit = visit_at_[place(request_slot, module)];
    if (visit == kNone) continue;
    const VisitRecord& record = visits_[visit];
    if (record.state == VisitState::kWaiting) {
      acknowledge(module, record.queue, 1);
      end_visit(requests_[request_slot].end_ns, visit);
    } else {
      to_queues_.cancel({visit, record.visit.request, record.index});
    }
  }
}

void RequestFlow::write_rows(TimeNs now, WorkerId worker, TimeNs started_ns,
                             std::span<const BatchVisit> visits) {
  for (const BatchVisit& member : visits) {
    const VisitRecord& record = visits_[member.id];
    accounting_.on_visit_row({record.visit.request, member.arrived_ns, member.joined_ns, started_ns, now,
                              worker, record.index, record.parent, record.visit.module,
                              static_cast<std::uint16_t>(visits.size()), VisitOutcome::kDone,
                              DropReason::kExpired});
  }
}

void RequestFlow::write_row(TimeNs now, const VisitRecord& record, VisitOutcome outcome, DropReason reason) {
  VisitRow row;
  row.request = record.visit.request;
  row.arrived_ns = record.visit.arrived_ns;
  row.ended_ns = now;
  if (failed_.worker != kNone) {
    row.joined_ns = failed_.joined_ns;
    row.started_ns = failed_.started_ns;
    row.ended_ns = failed_.ended_ns;
    row.worker = failed_.worker;
    row.batch = failed_.size;
  }
  row.visit = record.index;
  row.parent = record.parent;
  row.module = record.visit.module;
  row.outcome = outcome;
  row.reason = reason;
  accounting_.on_visit_row(row);
}

}  // namespace harness
