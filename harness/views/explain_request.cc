#include "harness/views/explain_request.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"

namespace harness {
namespace {

const VisitRow* find_visit(const std::vector<VisitFacts>& visits, std::uint16_t number) {
  for (const VisitFacts& visit : visits) {
    if (visit.row.visit == number) return &visit.row;
  }
  return nullptr;
}

/// Returns the time when what caused the visit was over.
TimeNs caused_ns(const RequestFacts& facts, const VisitRow& visit) {
  const VisitRow* const parent = find_visit(facts.visits, visit.parent);
  return parent == nullptr || parent->visit == visit.visit ? facts.row.sent_ns : parent->ended_ns;
}

VisitFacts facts_of(const ExplainRows& rows, const LeastTimes* least, const VisitRow& row) {
  VisitFacts facts;
  facts.row = row;
  facts.waiting = rows.waiting_at(row.module, row.arrived_ns);
  if (row.left_queue_ns() > row.arrived_ns) --facts.waiting;  // itself
  facts.plan = rows.plan_at(row.module, row.arrived_ns);
  facts.served_before = rows.served_before(row);
  facts.decided_ns = row.ran() ? row.joined_ns : row.ended_ns;
  const auto copied = [](std::span<const RowBatch> batches) {
    return std::vector<RowBatch>(batches.begin(), batches.end());
  };
  if (row.ran()) {
    facts.before_join = copied(rows.batches_on(row.worker, row.arrived_ns, row.joined_ns));
    facts.before_start = copied(rows.batches_on(row.worker, row.joined_ns, row.left_queue_ns()));
  }
  facts.meanwhile = rows.started_between(row.module, row.arrived_ns, facts.decided_ns);
  if (least != nullptr) facts.least_exec_ns = least->exec_ns(row.request, row.module);
  facts.state_row = rows.state_before(row.module, facts.decided_ns);
  return facts;
}

/// Returns the lost times along the visits that led to the request's end.
std::vector<LostTime> lost_times(const RequestFacts& facts, const LeastTimes& least) {
  std::vector<LostTime> lost;
  const VisitRow* visit = nullptr;
  for (const VisitFacts& one : facts.visits) {
    if (one.row.outcome == VisitOutcome::kDone && (visit == nullptr || one.row.ended_ns > visit->ended_ns))
      visit = &one.row;
  }
  const auto add = [&](LostTime::What what, TimeNs ns) {
    if (ns != 0) lost.push_back({what, visit->module, ns});
  };
  for (std::size_t steps = 0; visit != nullptr && steps < facts.visits.size(); ++steps) {
    add(LostTime::What::kOnTheWay, visit->arrived_ns - caused_ns(facts, *visit) - least.hop_ns());
    add(LostTime::What::kJoin, visit->joined_ns - visit->arrived_ns);
    add(LostTime::What::kStart, visit->started_ns - visit->joined_ns);
    add(LostTime::What::kExec,
        visit->ended_ns - visit->started_ns - least.exec_ns(visit->request, visit->module));
    visit = visit->parent == visit->visit ? nullptr : find_visit(facts.visits, visit->parent);
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const LostTime& a, const LostTime& b) { return a.ns > b.ns; });
  return lost;
}

bool is_completed(const RequestRow& request) {
  return request.outcome == Outcome::kInTime || request.outcome == Outcome::kLate;
}

/// Returns the module at which the request came in.
std::optional<std::uint16_t> entry_of(const std::vector<VisitFacts>& visits) {
  const VisitRow* const first = find_visit(visits, 0);
  return first == nullptr ? std::nullopt : std::optional(first->module);
}

std::string requests_there(const ExplainRows& rows) {
  const std::vector<RequestRow>& requests = rows.cell().requests;
  const auto lower = [](const RequestRow& a, const RequestRow& b) { return a.request < b.request; };
  const auto [first, last] = std::minmax_element(requests.begin(), requests.end(), lower);
  return "a request of this cell, " + std::to_string(first->request) + " to " + std::to_string(last->request);
}

}  // namespace

void require_request(const ExplainRows& rows, std::uint64_t request) {
  if (rows.request(request) == nullptr)
    throw input_error({rows.path(), 0, "--request"}, std::to_string(request), requests_there(rows));
}

RequestFacts explain_request(const ExplainRows& rows, const LeastTimes* least, std::uint64_t request) {
  const RequestRow* const row = rows.request(request);
  HARNESS_CHECK(row != nullptr, "no such request");
  RequestFacts facts;
  facts.row = *row;
  facts.slo_ns = rows.slo_ns(*row);
  facts.deadline_ns = rows.deadline_ns(*row);
  for (const VisitRow* visit : rows.visits_of(request)) facts.visits.push_back(facts_of(rows, least, *visit));
  for (VisitFacts& visit : facts.visits)
    visit.on_the_way_ns = visit.row.arrived_ns - caused_ns(facts, visit.row);
  if (row->outcome == Outcome::kDropped) facts.running = rows.batches_at(row->module, row->end_ns);
  if (least == nullptr) return facts;
  if (const auto entry = entry_of(facts.visits)) facts.alone_ns = least->whole_ns(request, *entry);
  if (row->outcome == Outcome::kDropped) facts.needed_ns = least->from_ns(request, row->module);
  if (is_completed(*row)) facts.lost = lost_times(facts, *least);
  return facts;
}

std::vector<std::uint64_t> worst_requests(const ExplainRows& rows, SentBetween sent, std::size_t count) {
  std::vector<std::pair<TimeNs, std::uint64_t>> late;  // time before its deadline, and the request
  for (const RequestRow& row : rows.cell().requests) {
    if (is_completed(row) && sent.holds(row))
      late.emplace_back(rows.deadline_ns(row) - row.end_ns, row.request);
  }
  if (late.empty())
    throw input_error({rows.path(), 0, "--worst"}, "no completed request of those times",
                      "times from 0 to " + text_of(ns_to_s(rows.end_ns())) + " s, the end of the run");
  count = std::min(count, late.size());
  std::partial_sort(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(count), late.end());
  std::vector<std::uint64_t> worst;
  for (std::size_t i = 0; i < count; ++i) worst.push_back(late[i].second);
  return worst;
}

DroppedRequests dropped_requests(const ExplainRows& rows, SentBetween sent, const std::string& reason,
                                 const std::string& module, std::size_t most) {
  std::vector<std::string> reasons;
  for (int i = 0; i < kDropReasons; ++i) reasons.emplace_back(name_of(static_cast<DropReason>(i)));
  if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
    throw_unknown({rows.path(), 0, "--dropped-by"}, "reason", reason, reasons);
  const std::vector<std::string>& modules = rows.cell().module_names;
  if (!module.empty() && std::find(modules.begin(), modules.end(), module) == modules.end())
    throw_unknown({rows.path(), 0, "--module"}, "module", module, modules);
  std::vector<std::tuple<TimeNs, std::uint64_t>> found;
  std::map<std::string, std::uint64_t> others;  // "early_drop at face"
  for (const RequestRow& row : rows.cell().requests) {
    if (row.outcome != Outcome::kDropped || !sent.holds(row)) continue;
    const std::string& where = rows.module_name(row.module);
    if (name_of(row.reason) == reason && (module.empty() || module == where))
      found.emplace_back(row.end_ns, row.request);
    else
      ++others[std::string(name_of(row.reason)) + " at " + where];
  }
  if (found.empty()) {
    std::string there;
    for (const auto& [what, count] : others)
      there += (there.empty() ? "" : ", ") + what + " (" + std::to_string(count) + ")";
    throw input_error({rows.path(), 0, "--dropped-by"},
                      "no request dropped for " + reason + (module.empty() ? "" : " at " + module),
                      there.empty() ? "a reason that requests were dropped for: none was"
                                    : "a reason that requests were dropped for: " + there);
  }
  std::sort(found.begin(), found.end());
  DroppedRequests dropped;
  dropped.count = found.size();
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i)
    dropped.first.push_back(std::get<1>(found[i]));
  return dropped;
}

const char* name_of(LostTime::What what) {
  constexpr std::array<const char*, 4> kNames = {"on_the_way", "queueing", "batch_wait", "exec"};
  return kNames[static_cast<std::size_t>(what)];
}

}  // namespace harness
