#include "harness/views/explain_rows.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace harness {

ExplainRows::ExplainRows(std::string path, const CellContents& cell) : path_(std::move(path)), cell_(cell) {
  requests_.reserve(cell.requests.size());
  for (const RequestRow& row : cell.requests) requests_.push_back(&row);
  std::sort(requests_.begin(), requests_.end(),
            [](const RequestRow* a, const RequestRow* b) { return a->request < b->request; });
  visits_.reserve(cell.visits.size());
  for (const VisitRow& row : cell.visits) visits_.push_back(&row);
  std::sort(visits_.begin(), visits_.end(), [](const VisitRow* a, const VisitRow* b) {
    return std::tuple(a->request, a->visit) < std::tuple(b->request, b->visit);
  });
  collect_batches();
  index_modules();
}

void ExplainRows::collect_batches() {
  for (const VisitRow& row : cell_.visits) {
    if (row.ran()) batches_.push_back({row.worker, row.module, row.batch, row.started_ns, row.ended_ns});
  }
  const auto place = [](const RowBatch& batch) {
    return std::tuple(batch.worker, batch.start_ns, batch.module);
  };
  std::sort(batches_.begin(), batches_.end(),
            [&](const RowBatch& a, const RowBatch& b) { return place(a) < place(b); });
  std::size_t kept = 0;
  for (const RowBatch& batch : batches_) {
    if (kept > 0 && place(batches_[kept - 1]) == place(batch)) {
      batches_[kept - 1].end_ns = std::max(batches_[kept - 1].end_ns, batch.end_ns);
    } else {
      batches_[kept++] = batch;
    }
  }
  batches_.resize(kept);
}

void ExplainRows::index_modules() {
  const std::size_t modules = cell_.record.modules.size();
  modules_.resize(modules);
  for (const VisitRow& row : cell_.visits) {
    modules_[row.module].by_arrival.push_back(&row);
    modules_[row.module].left_ns.push_back(row.left_queue_ns());
  }
  for (const RowBatch& batch : batches_) {
    ModuleRows& module = modules_[batch.module];
    module.by_start.push_back(batch);
    module.longest_ns = std::max(module.longest_ns, batch.end_ns - batch.start_ns);
  }
  const std::vector<StateTable::Row>& states = cell_.record.states.rows;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].module < modules) modules_[states[i].module].states.push_back(i);
  }
  for (ModuleRows& module : modules_) {
    std::sort(module.by_arrival.begin(), module.by_arrival.end(),
              [](const VisitRow* a, const VisitRow* b) { return a->arrived_ns < b->arrived_ns; });
    std::sort(module.left_ns.begin(), module.left_ns.end());
    std::sort(module.by_start.begin(), module.by_start.end(),
              [](const RowBatch& a, const RowBatch& b) { return a.start_ns < b.start_ns; });
  }
}

const RequestRow* ExplainRows::request(std::uint64_t id) const {
  const auto row = std::lower_bound(requests_.begin(), requests_.end(), id,
                                    [](const RequestRow* a, std::uint64_t b) { return a->request < b; });
  return row != requests_.end() && (*row)->request == id ? *row : nullptr;
}

std::vector<const VisitRow*> ExplainRows::visits_of(std::uint64_t request) const {
  const auto first = std::lower_bound(visits_.begin(), visits_.end(), request,
                                      [](const VisitRow* a, std::uint64_t b) { return a->request < b; });
  auto last = first;
  while (last != visits_.end() && (*last)->request == request) ++last;
  std::vector<const VisitRow*> visits(first, last);
  std::stable_sort(visits.begin(), visits.end(), [this](const VisitRow* a, const VisitRow* b) {
    const std::vector<ModuleTotals>& modules = cell_.record.modules;
    return std::tuple(modules[a->module].depth, a->module) < std::tuple(modules[b->module].depth, b->module);
  });
  return visits;
}

TimeNs ExplainRows::slo_ns(const RequestRow& request) const {
  return request.slo_ns > 0 ? request.slo_ns : cell_.record.slo_ns;
}

TimeNs ExplainRows::end_ns() const {
  TimeNs end_ns = 0;
  for (const RequestRow& row : cell_.requests) end_ns = std::max(end_ns, row.end_ns);
  return end_ns;
}

TimeNs ExplainRows::deadline_ns(const RequestRow& request) const { return request.sent_ns + slo_ns(request); }

std::span<const RowBatch> ExplainRows::batches_on(std::uint32_t worker, TimeNs from_ns,
                                                  TimeNs until_ns) const {
  const auto last = std::lower_bound(batches_.begin(), batches_.end(), std::tuple(worker, until_ns),
                                     [](const RowBatch& batch, const auto& place) {
                                       return std::tuple(batch.worker, batch.start_ns) < place;
                                     });
  auto first = last;
  while (first != batches_.begin() && std::prev(first)->worker == worker &&
         std::prev(first)->end_ns > from_ns)
    --first;
  return {first, last};
}

std::vector<RowBatch> ExplainRows::batches_at(std::uint16_t module, TimeNs at_ns) const {
  const ModuleRows& rows = modules_[module];
  const auto starts_later = [](TimeNs at, const RowBatch& batch) { return at < batch.start_ns; };
  auto batch = std::upper_bound(rows.by_start.begin(), rows.by_start.end(), at_ns, starts_later);
  std::vector<RowBatch> running;
  while (batch != rows.by_start.begin() && std::prev(batch)->start_ns >= at_ns - rows.longest_ns) {
    --batch;
    if (at_ns < batch->end_ns) running.push_back(*batch);
  }
  std::sort(running.begin(), running.end(),
            [](const RowBatch& a, const RowBatch& b) { return a.worker < b.worker; });
  return running;
}

ExplainRows::Started ExplainRows::started_between(std::uint16_t module, TimeNs from_ns,
                                                  TimeNs until_ns) const {
  const std::vector<RowBatch>& batches = modules_[module].by_start;
  Started started;
  auto batch = std::lower_bound(batches.begin(), batches.end(), from_ns,
                                [](const RowBatch& one, TimeNs at) { return one.start_ns < at; });
  for (; batch != batches.end() && batch->start_ns < until_ns; ++batch) {
    ++started.batches;
    started.visits += batch->size;
  }
  return started;
}

std::uint64_t ExplainRows::waiting_at(std::uint16_t module, TimeNs at_ns) const {
  const ModuleRows& rows = modules_[module];
  const auto arrived = std::upper_bound(rows.by_arrival.begin(), rows.by_arrival.end(), at_ns,
                                        [](TimeNs at, const VisitRow* row) { return at < row->arrived_ns; });
  const auto left = std::upper_bound(rows.left_ns.begin(), rows.left_ns.end(), at_ns);
  return static_cast<std::uint64_t>((arrived - rows.by_arrival.begin()) - (left - rows.left_ns.begin()));
}

std::uint64_t ExplainRows::served_before(const VisitRow& visit) const {
  const std::vector<const VisitRow*>& rows = modules_[visit.module].by_arrival;
  const TimeNs until_ns = visit.left_queue_ns();
  auto row = std::upper_bound(rows.begin(), rows.end(), visit.arrived_ns,
                              [](TimeNs at, const VisitRow* one) { return at < one->arrived_ns; });
  std::uint64_t count = 0;
  for (; row != rows.end() && (*row)->arrived_ns < until_ns; ++row) {
    if ((*row)->ran() && (*row)->started_ns < until_ns) ++count;
  }
  return count;
}

const PlanRow* ExplainRows::plan_at(std::uint16_t module, TimeNs at_ns) const {
  const PlanRow* plan = nullptr;
  for (const PlanRow& row : cell_.record.plans) {
    if (row.at_ns > at_ns) break;
    if (row.module == module) plan = &row;
  }
  return plan;
}

std::optional<std::size_t> ExplainRows::state_before(std::uint16_t module, TimeNs at_ns) const {
  if (module >= modules_.size()) return std::nullopt;
  const std::vector<std::size_t>& states = modules_[module].states;
  const auto next = std::lower_bound(states.begin(), states.end(), at_ns, [this](std::size_t i, TimeNs at) {
    return cell_.record.states.rows[i].at_ns < at;
  });
  if (next == states.begin()) return std::nullopt;
  return *std::prev(next);
}

}  // namespace harness
