#include "harness/views/explanation_json.h"

#include "harness/record/analysis/cell_key.h"
#include "harness/text/json.h"

namespace harness {
namespace {

const Json kNull{"null"};

/// Returns a time or a duration that need not be there.
Json seconds_json(std::optional<TimeNs> ns) { return ns ? Json{json_of(ns_to_s(*ns))} : kNull; }
Json ms_json(std::optional<TimeNs> ns) { return ns ? Json{json_of(ns_to_ms(*ns))} : kNull; }
Json text_or_null(const std::string& text) { return text.empty() ? kNull : Json{json_of(text)}; }

Json batch_json(const ExplainRows& rows, const RowBatch& batch) {
  JsonObject object;
  object.add("worker", batch.worker);
  object.add("module", rows.module_name(batch.module));
  object.add("size", batch.size);
  object.add("started_s", ns_to_s(batch.start_ns));
  object.add("ended_s", ns_to_s(batch.end_ns));
  return object.json();
}

std::vector<Json> batches_json(const ExplainRows& rows, const std::vector<RowBatch>& batches) {
  std::vector<Json> list;
  for (const RowBatch& batch : batches) list.push_back(batch_json(rows, batch));
  return list;
}

Json plan_json(const PlanRow* plan) {
  if (plan == nullptr) return kNull;
  JsonObject object;
  object.add("workers", plan->workers);
  object.add("max_batch", plan->max_batch);
  object.add("exec_ms", ns_to_ms(plan->exec_ns));
  return object.json();
}

/// Returns the published values under the system's names for them.
Json state_json(const StateTable& states, std::optional<std::size_t> row) {
  if (!row) return kNull;
  JsonObject values;
  for (std::size_t i = 0; i < states.names.size(); ++i)
    values.add(states.names[i], states.values[*row * states.names.size() + i]);
  JsonObject object;
  object.add("at_s", ns_to_s(states.rows[*row].at_ns));
  object.add("values", values.json());
  return object.json();
}

Json visit_json(const ExplainRows& rows, const RequestFacts& request, const VisitFacts& facts) {
  const VisitRow& row = facts.row;
  const bool joined = row.ran();
  const bool started = row.ran();
  const auto left = [&](TimeNs at) { return ns_to_ms(request.deadline_ns - at); };
  const auto if_joined = [&](TimeNs ns) { return joined ? std::optional(ns) : std::nullopt; };
  const auto if_started = [&](TimeNs ns) { return started ? std::optional(ns) : std::nullopt; };
  JsonObject object;
  object.add("visit", row.visit);
  object.add("parent", row.parent);
  object.add("module", rows.module_name(row.module));
  object.add("outcome", std::string(name_of(row.outcome)));
  object.add("reason",
             row.outcome == VisitOutcome::kDropped ? Json{json_of(std::string(name_of(row.reason)))} : kNull);
  object.add("on_the_way_ms", ns_to_ms(facts.on_the_way_ns));
  object.add("arrived_s", ns_to_s(row.arrived_ns));
  object.add("left_at_arrival_ms", left(row.arrived_ns));
  object.add("waiting_at_arrival", facts.waiting);
  object.add("plan", plan_json(facts.plan));
  object.add("served_before", facts.served_before);
  object.add("module_started_batches", facts.meanwhile.batches);
  object.add("module_started_visits", facts.meanwhile.visits);
  object.add("worker", joined ? Json{json_of(row.worker)} : kNull);
  object.add("joined_s", seconds_json(if_joined(row.joined_ns)));
  object.add("queueing_ms", ns_to_ms(facts.decided_ns - row.arrived_ns));
  object.add("ran_before_join", batches_json(rows, facts.before_join));
  object.add("batch_wait_ms", ms_json(if_joined(row.left_queue_ns() - row.joined_ns)));
  object.add("ran_before_start", batches_json(rows, facts.before_start));
  object.add("batch", started ? Json{json_of(row.batch)} : kNull);
  object.add("started_s", seconds_json(if_started(row.started_ns)));
  object.add("left_at_start_ms", ms_json(if_started(request.deadline_ns - row.started_ns)));
  object.add("exec_ms", ms_json(if_started(row.ended_ns - row.started_ns)));
  object.add("least_exec_ms", ms_json(facts.least_exec_ns));
  object.add("ended_s", ns_to_s(row.ended_ns));
  object.add("left_at_end_ms", left(row.ended_ns));
  object.add("state", state_json(rows.cell().record.states, facts.state_row));
  return object.json();
}

Json lost_json(const ExplainRows& rows, const std::vector<LostTime>& lost) {
  std::vector<Json> list;
  for (const LostTime& one : lost) {
    JsonObject object;
    object.add("module", rows.module_name(one.module));
    object.add("what", std::string(name_of(one.what)));
    object.add("ms", ns_to_ms(one.ns));
    list.push_back(object.json());
  }
  return {json_of(list)};
}

Json request_json(const Explanation& explanation, const RequestFacts& facts) {
  const RequestRow& row = facts.row;
  const bool dropped = row.outcome == Outcome::kDropped;
  const bool completed = row.outcome == Outcome::kInTime || row.outcome == Outcome::kLate;
  const std::string& module = explanation.rows.module_name(row.module);
  JsonObject object;
  object.add("request", row.request);
  object.add("outcome", std::string(name_of(row.outcome)));
  object.add("reason", dropped ? Json{json_of(std::string(name_of(row.reason)))} : kNull);
  object.add("module", dropped ? Json{json_of(module)} : kNull);
  object.add("stream", row.stream);
  object.add("sent_s", ns_to_s(row.sent_ns));
  object.add("schedule_lag_ms", ns_to_ms(row.schedule_lag_ns));
  object.add("slo_ms", ns_to_ms(facts.slo_ns));
  object.add("deadline_s", ns_to_s(facts.deadline_ns));
  object.add("ended_s", ns_to_s(row.end_ns));
  object.add("latency_ms", ns_to_ms(row.end_ns - row.sent_ns));
  object.add("left_at_end_ms", ns_to_ms(facts.deadline_ns - row.end_ns));
  object.add("module_running",
             dropped ? Json{json_of(batches_json(explanation.rows, facts.running))} : kNull);
  object.add("needed_ms", ms_json(facts.needed_ns));
  object.add("alone_ms", ms_json(facts.alone_ns));
  object.add("lost", completed && explanation.times.least ? lost_json(explanation.rows, facts.lost) : kNull);
  const OfflineAnswer& offline = explanation.times.offline;
  const auto end = offline.end_ns.find(row.request);
  object.add("offline_in_time", offline.in_time ? Json{json_of(end != offline.end_ns.end())} : kNull);
  object.add("offline_ended_s", end != offline.end_ns.end() ? seconds_json(end->second) : kNull);
  std::vector<Json> visits;
  for (const VisitFacts& visit : facts.visits) visits.push_back(visit_json(explanation.rows, facts, visit));
  object.add("visits", Json{json_lines(visits)});
  return object.json();
}

Json standing_json(const ExplainRows& rows, TimeNs at_ns, const MomentFacts::Standing& standing) {
  const VisitRow* const visit = standing.visit;
  JsonObject object;
  object.add("request", standing.request->request);
  object.add("left_ms", ns_to_ms(rows.deadline_ns(*standing.request) - at_ns));
  object.add("module", visit == nullptr ? kNull : Json{json_of(rows.module_name(visit->module))});
  object.add("arrived_s", visit == nullptr ? kNull : seconds_json(visit->arrived_ns));
  object.add("is_running", visit != nullptr && visit->ran() && visit->started_ns <= at_ns);
  return object.json();
}

Json moment_json(const ExplainRows& rows, const MomentFacts& moment) {
  JsonObject object;
  object.add("at_s", ns_to_s(moment.at_ns));
  std::vector<Json> modules;
  for (const MomentFacts::ModuleFacts& facts : moment.modules) {
    JsonObject one;
    one.add("module", rows.module_name(facts.module));
    one.add("plan", plan_json(facts.plan));
    one.add("waiting", facts.waiting);
    one.add("batches", facts.batches);
    one.add("running", facts.running);
    one.add("state", state_json(rows.cell().record.states, facts.state_row));
    modules.push_back(one.json());
  }
  object.add("modules", Json{json_lines(modules)});
  object.add("batches", Json{json_lines(batches_json(rows, moment.batches))});
  object.add("requests", moment.requests);
  std::vector<Json> standing;
  for (const MomentFacts::Standing& one : moment.standing)
    standing.push_back(standing_json(rows, moment.at_ns, one));
  object.add("standing", Json{json_lines(standing)});
  return object.json();
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  const SummaryRow& summary = explanation.rows.cell().summary;
  const OfflineAnswer& offline = explanation.times.offline;
  JsonObject object;
  object.add("cell", summary.cell.index);
  object.add("name", key_of(summary.cell, summary.slo_ms).name());
  object.add("sent", summary.sent);
  object.add("in_time", summary.in_time);
  object.add("offline_in_time", offline.in_time ? Json{json_of(*offline.in_time)} : kNull);
  object.add("offline_why_none", text_or_null(offline.why_none));
  object.add("choice", text_or_null(explanation.choice));
  std::vector<Json> requests;
  for (const RequestFacts& facts : explanation.requests) requests.push_back(request_json(explanation, facts));
  object.add("requests", Json{json_lines(requests)});
  object.add("moment", explanation.moment ? moment_json(explanation.rows, *explanation.moment) : kNull);
  object.add("notes", explanation_notes(explanation));
  return object.json(",\n").text + "\n";
}

}  // namespace harness
