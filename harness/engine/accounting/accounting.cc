#include "harness/engine/accounting/accounting.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/core/cell_failed.h"
#include "harness/core/check.h"
#include "harness/core/routes.h"

namespace harness {

Accounting::Accounting(const RunSpec& spec, const SlotTable<VisitRecord>& visits, RowSink* rows)
    : visits_(visits),
      modules_(spec.pipeline.modules.size()),
      answers_(spec.pipeline.has_tasks() ? spec.answers : Answers::kWhole),
      has_tasks_(spec.pipeline.has_tasks()),
      measured_from_ns_(spec.measured_from_ns),
      measuring_(spec.measured_from_ns == 0),
      rows_(rows),
      counts_gaps_(rows != nullptr),
      last_sent_ns_(modules_, kNever) {
  HARNESS_CHECK(measured_from_ns_ % kNsPerS == 0, "the measured part does not begin at a whole second");
  record_.duration_ns = spec.arrivals->duration_ns();
  record_.measured_from_ns = measured_from_ns_;
  record_.slo_ns = spec.slo_ns;
  record_.modules.resize(modules_);
  warm_up_.modules.resize(modules_);
  const Pipeline& pipeline = spec.pipeline;
  const std::vector<double> before = longest_before(pipeline, std::vector<double>(modules_, 1.0));
  const std::vector<double> visited = visit_probabilities(pipeline);
  for (std::size_t i = 0; i < modules_; ++i) {
    record_.modules[i].depth = static_cast<std::uint16_t>(before[i] + 1.0);
    record_.modules[i].last = pipeline.modules[i].subs.empty();
    record_.modules[i].visit_ratio = visited[i];
    if (pipeline.has_tasks()) record_.modules[i].accuracy = pipeline.modules[i].accuracy;
  }
  pass(0);
  if (rows_ != nullptr) {
    request_rows_.reserve(kRowChunk);
    visit_rows_.reserve(kRowChunk);
  }
}

void Accounting::name_states(std::span<const char* const> names, bool record) {
  state_names_ = names.size();
  if (record) record_.states.names.assign(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::string_view(names[i]) == "order") order_place_ = i;
  }
  if (order_place_ == kNowhere) return;
  order_.resize(modules_);
  record_.order_changes = 0;
}

void Accounting::on_published(TimeNs now, ModuleId module, std::span<const double> state,
                              std::size_t receivers) {
  on_exchanged(now, state.size(), receivers);
  HARNESS_CHECK(state.size() >= state_names_, "a published state lacks values that have names");
  if (order_place_ != kNowhere) {
    const double order = state[order_place_];
    if (order_[module].value_or(order) != order) ++record_.order_changes;
    order_[module] = order;
  }
  StateTable& table = record_.states;
  if (table.names.empty()) return;
  table.rows.push_back({now, static_cast<std::uint16_t>(module)});
  table.values.insert(table.values.end(), state.begin(),
                      state.begin() + static_cast<std::ptrdiff_t>(state_names_));
}

void Accounting::pass(TimeNs now) {
  sample_queue(now);
  if (!measuring_ && now >= measured_from_ns_) begin_measuring();
  current_window_ = window_index(now);
  window_begin_ns_ = static_cast<TimeNs>(current_window_) * record_.window_ns;
  stop_ns_ = std::min(window_begin_ns_ + record_.window_ns, next_sample_ns());
  if (current_window_ < record_.windows.size()) return;
  record_.windows.resize(current_window_ + 1);
  record_.module_windows.resize((current_window_ + 1) * modules_);
  if (measures_a_part()) warm_up_.module_windows.resize(record_.module_windows.size());
}

TimeNs Accounting::next_sample_ns() const {
  const std::size_t taken = record_.queue_samples.size();
  return taken < kQueueSamples ? queue_sample_ns(record_, taken) : kNever;
}

void Accounting::sample_queue(TimeNs until) {
  while (next_sample_ns() <= until) record_.queue_samples.push_back(waiting());
}

std::int64_t Accounting::waiting() const {
  std::int64_t waiting = -started_visits_;
  for (const ModuleTotals& totals : record_.modules) {
    waiting += static_cast<std::int64_t>(totals.arrived) - static_cast<std::int64_t>(totals.cancelled) -
               static_cast<std::int64_t>(totals.unfinished);
    for (const std::uint64_t dropped : totals.dropped) waiting -= static_cast<std::int64_t>(dropped);
  }
  return waiting;
}

std::span<const BatchVisit> Accounting::warm_up_of(std::span<const BatchVisit> visits) {
  warm_up_visits_.clear();
  for (const BatchVisit& visit : visits) {
    if (visits_[visit.id].visit.sent_ns < measured_from_ns_) warm_up_visits_.push_back(visit);
  }
  return warm_up_visits_;
}

void Accounting::begin_measuring() {
  measuring_ = true;
  for (std::size_t m = 0; m < modules_; ++m) {
    const ModuleTotals& from = record_.modules[m];
    ModuleTotals& to = warm_up_.modules[m];
    to.batches = from.batches;
    to.preempted = from.preempted;
    to.gaps = from.gaps;
    to.ends = from.ends;
  }
  warm_up_.gpu_ns += preempted_gpu_ns_;
  warm_up_.gpu_invalid_ns += preempted_gpu_ns_;
  warm_up_.exchanged_bytes = record_.exchanged_bytes;
  warm_up_.order_changes = std::max<std::int64_t>(record_.order_changes, 0);
}

void Accounting::finish_counting() {
  sample_queue(record_.duration_ns);
  if (!measures_a_part()) return;
  if (!measuring_) begin_measuring();
  const std::size_t first = window_index(measured_from_ns_);
  const std::size_t passed = std::min(first, record_.windows.size());
  warm_up_.windows.assign(record_.windows.begin(),
                          record_.windows.begin() + static_cast<std::ptrdiff_t>(passed));
  std::fill_n(record_.windows.begin(), passed, WindowCounts());
  for (std::size_t i = 0; i < record_.module_windows.size(); ++i) {
    ModuleWindow& before = warm_up_.module_windows[i];
    if (i < first * modules_) before.batches = record_.module_windows[i].batches;
    record_.module_windows[i] -= before;
  }
  for (std::size_t m = 0; m < modules_; ++m) record_.modules[m] -= warm_up_.modules[m];
  record_ -= warm_up_;
  measured_from_ns_ = 0;
}

void Accounting::on_visit_row(const VisitRow& row) {
  visit_rows_.push_back(row);
  if (visit_rows_.size() == kRowChunk) flush_rows();
}

void Accounting::write_request(const RequestRecord& request, Outcome outcome, double accuracy) {
  request_rows_.push_back({request.id, request.sent_ns, request.end_ns, request.gpu_ns, request.module,
                           outcome, request.reason, request.schedule_lag_ns, request.stream,
                           request.deadline_ns - request.sent_ns, accuracy});
  if (request_rows_.size() == kRowChunk) flush_rows();
}

void Accounting::flush_rows() {
  rows_->requests(request_rows_);
  rows_->visits(visit_rows_);
  request_rows_.clear();
  visit_rows_.clear();
}

const RunRecord& Accounting::rank_record() {
  finish_counting();
  return record_;
}

void Accounting::absorb(const RunRecord& other) {
  finish_counting();
  for (std::size_t m = 0; m < modules_; ++m) {
    const ModuleTotals& from = other.modules[m];
    ModuleTotals& to = record_.modules[m];
    ModuleTotals::sums_of_queues(to, from, [](auto& sum, const auto& more) { sum += more; });
    to.queueing_delay.add_all(from.queueing_delay.counts());
    to.batch_wait.add_all(from.batch_wait.counts());
  }
  if (record_.module_windows.size() < other.module_windows.size())
    record_.module_windows.resize(other.module_windows.size());
  record_.windows.resize(record_.module_windows.size() / modules_);
  for (std::size_t i = 0; i < other.module_windows.size(); ++i) {
    const ModuleWindow& from = other.module_windows[i];
    ModuleWindow& to = record_.module_windows[i];
    to.arrived += from.arrived;
    to.started += from.started;
    to.batches += from.batches;
    to.queueing_ns += from.queueing_ns;
    to.wait_ns += from.wait_ns;
  }
  for (std::size_t i = 0; i < other.queue_samples.size(); ++i)
    record_.queue_samples[i] += other.queue_samples[i];
  record_.exchanged_bytes += other.exchanged_bytes;
  stamp(0, other.fingerprint);
}

std::uint64_t Accounting::settle_arrivals() {
  std::uint64_t astray = 0;
  for (ModuleTotals& totals : record_.modules) {
    std::uint64_t ended = totals.done + totals.cancelled + totals.unfinished;
    for (const std::uint64_t dropped : totals.dropped) ended += dropped;
    astray += ended > totals.arrived ? ended - totals.arrived : totals.arrived - ended;
    totals.arrived = ended;
  }
  return astray;
}

void Accounting::check_requests() const {
  WindowCounts sum;
  std::uint64_t open = 0;
  for (const WindowCounts& window : record_.windows) {
    HARNESS_CHECK(window.sent >= window.in_time + window.late + window.dropped,
                  "the accounting does not close: a window");
    open += window.sent - window.in_time - window.late - window.dropped;
    sum.in_time += window.in_time;
    sum.late += window.late;
    sum.dropped += window.dropped;
  }
  HARNESS_CHECK(open == record_.unfinished, "the accounting does not close: unfinished requests by window");
  HARNESS_CHECK(record_.sent == record_.in_time + record_.late + record_.dropped + record_.unfinished,
                "the accounting does not close: requests");
  HARNESS_CHECK(sum.in_time == static_cast<std::uint32_t>(record_.in_time) &&
                    sum.late == static_cast<std::uint32_t>(record_.late) &&
                    sum.dropped == static_cast<std::uint32_t>(record_.dropped),
                "the accounting does not close: requests by window");
  RequestCounts entered;
  for (const ModuleTotals& module : record_.modules) {
    entered.sent += module.requests.sent;
    entered.in_time += module.requests.in_time;
    entered.late += module.requests.late;
    entered.dropped += module.requests.dropped;
  }
  HARNESS_CHECK(entered.sent == record_.sent && entered.in_time == record_.in_time &&
                    entered.late == record_.late && entered.dropped == record_.dropped,
                "the accounting does not close: requests by entry");
  HARNESS_CHECK(record_.latency.total() == record_.in_time + record_.late,
                "the accounting does not close: latencies");
  HARNESS_CHECK(
      gpu_valid_ns_ + record_.gpu_invalid_ns + warm_up_.gpu_invalid_ns == record_.gpu_ns + warm_up_.gpu_ns,
      "the accounting does not close: GPU time by request");
}

void Accounting::check_visits() const {
  std::uint64_t dropped = 0;
  for (const ModuleTotals& totals : record_.modules) {
    std::uint64_t here = 0;
    for (const std::uint64_t count : totals.dropped) here += count;
    HARNESS_CHECK(totals.arrived == totals.done + totals.cancelled + totals.unfinished + here,
                  "the accounting does not close: visits");
    dropped += here;
  }
  if (answers_ == Answers::kWhole) {
    HARNESS_CHECK(dropped == record_.dropped,
                  "the accounting does not close: a dropped request is dropped at one module");
  } else {
    HARNESS_CHECK(dropped >= record_.dropped,
                  "the accounting does not close: a dropped request lost a visit");
  }
  TimeNs gpu_ns = 0;
  for (const WorkerTotals& worker : record_.workers) gpu_ns += worker.gpu_ns;
  HARNESS_CHECK(gpu_ns == record_.gpu_ns + warm_up_.gpu_ns,
                "the accounting does not close: GPU time by worker");
}

void Accounting::check_paths() const {
  std::int64_t served = 0;
  std::int64_t lost = 0;
  for (const WindowCounts& window : record_.windows) {
    served += std::int64_t{window.paths.in_time} + window.paths.late;
    lost += window.paths.lost;
  }
  std::int64_t of_warm_up = 0;
  for (const WindowCounts& window : warm_up_.windows)
    of_warm_up += std::int64_t{window.paths.in_time} + window.paths.late + window.paths.lost;
  HARNESS_CHECK(of_warm_up + served + lost == paths_begun_, "the accounting does not close: paths");
  std::uint64_t done = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t other = 0;  // visits that ended in another way before they were served
  for (const ModuleTotals& totals : record_.modules) {
    done += totals.done;
    cancelled += totals.cancelled;
    other += totals.unfinished;
    for (const std::uint64_t count : totals.dropped) other += count;
  }
  HARNESS_CHECK(static_cast<std::uint64_t>(served) <= done, "the accounting does not close: served paths");
  HARNESS_CHECK(static_cast<std::uint64_t>(lost) >= cancelled + other,
                "the accounting does not close: lost paths");
  if (answers_ == Answers::kWhole) return;
  HARNESS_CHECK(cancelled == 0, "a visit was cancelled where each branch stands for itself");
  HARNESS_CHECK(static_cast<std::uint64_t>(lost) == other,
                "the accounting does not close: each lost path was lost at one visit");
}

/// Checks the sums of times, which are integers: a sum that went beyond them would be a wrong figure.
void Accounting::check_sums() const {
  constexpr double kLargest = 9e18;
  const auto is_too_large = [](const LatencyHistogram& times) {
    double sum_ns = 0;
    for (std::size_t i = 0; i < times.counts().size(); ++i)
      sum_ns += static_cast<double>(times.counts()[i]) * static_cast<double>(LatencyHistogram::upper_edge(i));
    return sum_ns > kLargest;
  };
  for (const ModuleTotals& module : record_.modules) {
    if (is_too_large(module.queueing_delay) || is_too_large(module.batch_wait))
      throw CellFailed(
          "requests waited for more than 285 years in all, more than the sums of times can hold");
  }
  if (is_too_large(record_.latency))
    throw CellFailed("requests took more than 285 years in all, more than the sums of times can hold");
}

RunRecord Accounting::close(TimeNs end_ns, std::uint64_t events, std::vector<WorkerTotals> workers) {
  if (rows_ != nullptr) flush_rows();
  finish_counting();
  record_.end_ns = end_ns;
  record_.events = events;
  record_.workers = std::move(workers);
  check_sums();
  check_requests();
  check_visits();
  if (has_tasks_) check_paths();
  const std::size_t load_windows = window_index(record_.duration_ns + record_.window_ns - 1);
  for (std::size_t i = load_windows; i < record_.windows.size(); ++i) {
    HARNESS_CHECK(record_.windows[i].sent == 0, "a request was sent after the end of the load");
  }
  record_.windows.resize(load_windows);
  return std::move(record_);
}

}  // namespace harness
