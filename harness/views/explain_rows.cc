#include "harness/views/explain_rows.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace harness {

ExplainRows::ExplainRows(std::string path, const CellContents& cell) : path_(std::move(path)), cell_(cell) {
  requests_.reserve(cell.requests.size());
  for (const RequestRow& row : cell.requests) requests_.push_back(&row);
  std::sort(requests_.begin(), requests_.end(),
            [](const RequestRow* a, const RequestRow* b) { return a->request < b->request; });
  index_visits();
  collect_batches();
  index_modules();
}

std::size_t ExplainRows::place_of(std::uint64_t request) const {
  const auto is_at = [&](std::size_t i) { return i < requests_.size() && requests_[i]->request == request; };
  if (requests_.empty()) return 0;
  const std::size_t guess = request - requests_.front()->request;  // ids mostly follow one another
  if (is_at(guess)) return guess;
  const auto row = std::lower_bound(requests_.begin(), requests_.end(), request,
                                    [](const RequestRow* a, std::uint64_t b) { return a->request < b; });
  const auto place = static_cast<std::size_t>(row - requests_.begin());
  return is_at(place) ? place : requests_.size();
}

void ExplainRows::index_visits() {
  // This is a counting sort. Visits of the request with index p are counted two entries further on: then
  // entry p + 1 is their begin and, once they are in place, their end, at which the visits of index p + 1
  // begin.
  first_visit_.resize(requests_.size() + 3);
  for (const VisitRow& row : cell_.visits) ++first_visit_[place_of(row.request) + 2];
  std::partial_sum(first_visit_.begin(), first_visit_.end(), first_visit_.begin());
  visits_.resize(cell_.visits.size());
  for (const VisitRow& row : cell_.visits) visits_[first_visit_[place_of(row.request) + 1]++] = &row;
}

void ExplainRows::collect_batches() {
  const auto place = [](const RowBatch& batch) {
    return std::tuple(batch.worker, batch.start_ns, batch.module);
  };
  const auto add = [&place](std::vector<RowBatch>& batches, const RowBatch& batch) {
    if (!batches.empty() && place(batches.back()) == place(batch))
      batches.back().end_ns = std::max(batches.back().end_ns, batch.end_ns);
    else
      batches.push_back(batch);
  };
  std::vector<RowBatch> found;  // a batch may be in it several times, if rows of others are between its own
  for (const VisitRow& row : cell_.visits) {
    if (row.ran()) add(found, {row.worker, row.module, row.batch, row.started_ns, row.ended_ns});
  }
  std::sort(found.begin(), found.end(),
            [&](const RowBatch& a, const RowBatch& b) { return place(a) < place(b); });
  for (const RowBatch& batch : found) add(batches_, batch);
}

void ExplainRows::index_modules() {
  const std::size_t modules = cell_.record.modules.size();
  modules_.resize(modules);
  for (const VisitRow& row : cell_.visits) {
    modules_[row.module].arrivals.push_back({row.arrived_ns, row.ran() ? row.started_ns : kNever});
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
    std::sort(module.arrivals.begin(), module.arrivals.end(),
              [](const Arrival& a, const Arrival& b) { return a.at_ns < b.at_ns; });
    std::sort(module.left_ns.begin(), module.left_ns.end());
    std::sort(module.by_start.begin(), module.by_start.end(),
              [](const RowBatch& a, const RowBatch& b) { return a.start_ns < b.start_ns; });
  }
}

const RequestRow* ExplainRows::request(std::uint64_t id) const {
  const std::size_t place = place_of(id);
  return place < requests_.size() ? requests_[place] : nullptr;
}

std::vector<const VisitRow*> ExplainRows::visits_of(std::uint64_t request) const {
  const std::size_t place = place_of(request);
  if (place == requests_.size()) return {};
  const auto at = [this](std::size_t i) {
    return visits_.begin() + static_cast<std::ptrdiff_t>(first_visit_[i]);
  };
  std::vector<const VisitRow*> visits(at(place), at(place + 1));
  const std::vector<ModuleTotals>& modules = cell_.record.modules;
  const auto order = [&modules](const VisitRow* visit) {
    return std::tuple(modules[visit->module].depth, visit->module, visit->visit);
  };
  std::sort(visits.begin(), visits.end(),
            [&](const VisitRow* a, const VisitRow* b) { return order(a) < order(b); });
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

auto ExplainRows::first_after(std::uint16_t module, TimeNs at_ns) const {
  const std::vector<Arrival>& arrivals = modules_[module].arrivals;
  return std::upper_bound(arrivals.begin(), arrivals.end(), at_ns,
                          [](TimeNs at, const Arrival& arrival) { return at < arrival.at_ns; });
}

std::uint64_t ExplainRows::waiting_at(std::uint16_t module, TimeNs at_ns) const {
  const ModuleRows& rows = modules_[module];
  const auto left = std::upper_bound(rows.left_ns.begin(), rows.left_ns.end(), at_ns);
  return static_cast<std::uint64_t>((first_after(module, at_ns) - rows.arrivals.begin()) -
                                    (left - rows.left_ns.begin()));
}

std::uint64_t ExplainRows::served_before(const VisitRow& visit) const {
  const TimeNs until_ns = visit.left_queue_ns();
  const auto end = modules_[visit.module].arrivals.end();
  std::uint64_t count = 0;
  for (auto other = first_after(visit.module, visit.arrived_ns); other != end && other->at_ns < until_ns;
       ++other)
    if (other->started_ns < until_ns) ++count;
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

bool has_preempted(const CellContents& cell) {
  return std::ranges::any_of(cell.record.modules,
                             [](const ModuleTotals& module) { return module.preempted > 0; });
}

}  // namespace harness
