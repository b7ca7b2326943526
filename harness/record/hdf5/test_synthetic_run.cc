#include "harness/record/hdf5/test_synthetic_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "harness/core/hash.h"
#include "harness/core/random_stream.h"
#include "harness/record/hdf5/cell_file_writer.h"

namespace harness {
namespace {

/// A request on its way from module to module.
struct Traveller {
  std::uint64_t request = 0;
  TimeNs at_ns = 0;
};

class Synthesis {
 public:
  explicit Synthesis(const SyntheticSettings& settings)
      : settings_(settings),
        random_(settings.cell.seed, "synthetic " + settings.cell.system, settings.cell.index) {}

  SyntheticRun run() {
    send();
    for (std::size_t module = 0; module < settings_.modules; ++module) {
      run_.module_names.push_back("module " + std::to_string(module + 1));
      serve(static_cast<std::uint16_t>(module));
    }
    for (const Traveller& traveller : travellers_) complete(traveller);
    std::stable_sort(run_.requests.begin(), run_.requests.end(),
                     [](const RequestRow& a, const RequestRow& b) { return a.end_ns < b.end_ns; });
    std::stable_sort(run_.visits.begin(), run_.visits.end(),
                     [](const VisitRow& a, const VisitRow& b) { return a.ended_ns < b.ended_ns; });
    return std::move(run_);
  }

 private:
  /// Makes Poisson arrivals whose rate is more than twice as high for a tenth of every minute.
  void send() {
    TimeNs at = 0;
    const TimeNs end = s_to_ns(settings_.seconds);
    for (;;) {
      const bool burst = (at / kNsPerS) % 60 >= 10 && (at / kNsPerS) % 60 < 16;
      at += s_to_ns(random_.exponential() / (settings_.mean_rps * (burst ? 2.0 : 0.9)));
      if (at >= end) break;
      RequestRow row;
      row.request = run_.requests.size();
      row.sent_ns = at;
      row.stream = static_cast<std::uint32_t>(row.request % 70'001);
      row.slo_ns = settings_.slo_ns;
      if (settings_.accuracy > 0) row.accuracy = 1;
      // It takes no random number, so that the rest is the same in every runtime.
      if (settings_.cell.runtime != "simulated") row.schedule_lag_ns = at % 50'021;
      run_.requests.push_back(row);
      travellers_.push_back({row.request, at});
    }
  }

  /// Serves the travellers in order of arrival, in batches of all that have come when a worker gets free.
  void serve(std::uint16_t module) {
    std::stable_sort(travellers_.begin(), travellers_.end(),
                     [](const Traveller& a, const Traveller& b) { return a.at_ns < b.at_ns; });
    std::vector<TimeNs> free_at(settings_.workers, 0);
    std::vector<Traveller> served;
    for (std::size_t next = 0; next < travellers_.size();) {
      const auto worker =
          static_cast<std::size_t>(std::min_element(free_at.begin(), free_at.end()) - free_at.begin());
      const TimeNs start = std::max(free_at[worker], travellers_[next].at_ns);
      std::vector<Traveller> batch;
      while (next < travellers_.size() && batch.size() < settings_.batch &&
             travellers_[next].at_ns <= start) {
        const Traveller& traveller = travellers_[next++];
        if (!drop(traveller, module, start)) batch.push_back(traveller);
      }
      if (!batch.empty()) free_at[worker] = execute(batch, module, worker, start, served);
    }
    travellers_ = std::move(served);
  }

  bool drop(const Traveller& traveller, std::uint16_t module, TimeNs now) {
    RequestRow& request = run_.requests[traveller.request];
    const double used = static_cast<double>(now - request.sent_ns) / static_cast<double>(settings_.slo_ns);
    if (used <= settings_.patience) return false;
    request.end_ns = now;
    request.module = module;
    request.outcome = Outcome::kDropped;
    request.accuracy = std::numeric_limits<double>::quiet_NaN();
    request.reason = module % 2 == 0 ? DropReason::kEstimatedLate : DropReason::kExpired;
    VisitRow visit = visit_of(traveller, module);
    visit.ended_ns = now;
    visit.outcome = VisitOutcome::kDropped;
    visit.reason = request.reason;
    run_.visits.push_back(visit);
    return true;
  }

  TimeNs execute(const std::vector<Traveller>& batch, std::uint16_t module, std::size_t worker, TimeNs start,
                 std::vector<Traveller>& served) {
    const double ms = 8.0 + 2.0 * module + 4.0 * static_cast<double>(batch.size());
    const TimeNs exec = ms_to_ns(ms * (1 + settings_.jitter * (2 * random_.uniform() - 1)));
    for (const Traveller& traveller : batch) {
      VisitRow visit = visit_of(traveller, module);
      visit.joined_ns =
          start - static_cast<TimeNs>(random_.below(static_cast<std::uint64_t>(start - traveller.at_ns) + 1));
      visit.started_ns = start;
      visit.ended_ns = start + exec;
      visit.worker = static_cast<std::uint32_t>(module * settings_.workers + worker);
      visit.batch = static_cast<std::uint16_t>(batch.size());
      visit.outcome = VisitOutcome::kDone;
      run_.visits.push_back(visit);
      RequestRow& request = run_.requests[traveller.request];
      request.gpu_ns += exec / static_cast<TimeNs>(batch.size());
      if (worker + 1 == settings_.workers) request.accuracy *= settings_.accuracy;
      served.push_back({traveller.request, visit.ended_ns});
    }
    return start + exec;
  }

  void complete(const Traveller& traveller) {
    RequestRow& request = run_.requests[traveller.request];
    request.end_ns = traveller.at_ns;
    request.module = static_cast<std::uint16_t>(settings_.modules - 1);
    request.outcome =
        traveller.at_ns - request.sent_ns <= settings_.slo_ns ? Outcome::kInTime : Outcome::kLate;
  }

  static VisitRow visit_of(const Traveller& traveller, std::uint16_t module) {
    VisitRow visit;
    visit.request = traveller.request;
    visit.arrived_ns = traveller.at_ns;
    visit.visit = module;
    visit.parent = module == 0 ? module : static_cast<std::uint16_t>(module - 1);
    visit.module = module;
    return visit;
  }

  const SyntheticSettings& settings_;
  RandomStream random_;
  std::vector<Traveller> travellers_;
  SyntheticRun run_;
};

void count_request(RunRecord& record, const RequestRow& row) {
  const auto at = static_cast<std::size_t>(row.sent_ns / record.window_ns);
  if (at >= record.windows.size()) record.windows.resize(at + 1);
  WindowCounts& window = record.windows[at];
  RequestCounts& entered = record.modules[0].requests;
  ++window.sent;
  ++entered.sent;
  ++record.sent;
  record.gpu_ns += row.gpu_ns;
  record.end_ns = std::max(record.end_ns, row.end_ns);
  if (row.outcome == Outcome::kInTime) {
    ++window.in_time;
    ++entered.in_time;
    ++record.in_time;
  } else {
    ++(row.outcome == Outcome::kLate ? window.late : window.dropped);
    ++(row.outcome == Outcome::kLate ? entered.late : entered.dropped);
    ++(row.outcome == Outcome::kLate ? record.late : record.dropped);
    record.gpu_invalid_ns += row.gpu_ns;
  }
  if (row.outcome != Outcome::kDropped) {
    record.latency.add(row.end_ns - row.sent_ns);
    record.latency_sum_ns += row.end_ns - row.sent_ns;
  }
  if (std::isnan(row.accuracy)) return;
  window.accuracy_sum += row.accuracy;
  record.accuracy_sum += row.accuracy;
  ++record.accuracy_requests;
}

ModuleWindow& window_at(RunRecord& record, TimeNs at, std::size_t module) {
  const std::size_t modules = record.modules.size();
  const std::size_t index = static_cast<std::size_t>(at / record.window_ns) * modules + module;
  if (index >= record.module_windows.size()) record.module_windows.resize((index / modules + 1) * modules);
  return record.module_windows[index];
}

void count_visit(RunRecord& record, const VisitRow& row) {
  ModuleTotals& module = record.modules[row.module];
  ++module.arrived;
  module.gaps = {module.arrived - 1, row.arrived_ns, static_cast<double>(row.arrived_ns) * 1e9};
  ++window_at(record, row.arrived_ns, row.module).arrived;
  if (row.outcome == VisitOutcome::kDropped) {
    ++module.dropped[static_cast<std::size_t>(row.reason)];
    ++window_at(record, row.ended_ns, row.module).dropped;
    return;
  }
  ++module.done;
  module.queueing_ns += row.joined_ns - row.arrived_ns;
  module.wait_ns += row.started_ns - row.joined_ns;
  module.exec_ns += row.ended_ns - row.started_ns;
  module.queueing_delay.add(row.joined_ns - row.arrived_ns);
  module.batch_wait.add(row.started_ns - row.joined_ns);
  ModuleWindow& window = window_at(record, row.started_ns, row.module);
  ++window.started;
  window.queueing_ns += row.joined_ns - row.arrived_ns;
  window.wait_ns += row.started_ns - row.joined_ns;
  WorkerTotals& worker = record.workers[row.worker];
  ++worker.visits;
  worker.busy_ns += (row.ended_ns - row.started_ns) / row.batch;
}

/// Adds rank 0, which sends, and a rank with all the workers.
void add_ranks(RunRecord& record, const std::vector<RequestRow>& requests, std::size_t visits) {
  for (const RequestRow& row : requests) record.schedule_lag.add(row.schedule_lag_ns);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    RankTotals totals;
    totals.rank = rank;
    totals.host = rank == 0 ? "head" : "node \xc3\xa9";
    totals.workers = rank == 0 ? 0 : static_cast<std::uint32_t>(record.workers.size());
    totals.devices = rank == 0 ? "" : "cuda:0 NVIDIA H200, cuda:1 NVIDIA H200";
    totals.driver = rank == 0 ? "" : "580.95.05";
    totals.messages_sent = totals.messages_received = visits;
    totals.bytes_sent = 64 * visits;
    totals.bytes_received = totals.bytes_sent + rank;
    totals.packets_sent = visits / 2;
    totals.loop_turns = 3 * visits;
    totals.sleeps = visits + rank;
    totals.cpu_ns = 20'000 * static_cast<TimeNs>(visits);
    totals.clock_offset_ns = rank == 0 ? 0 : -123'456;
    totals.delivery_p50_ns = rank == 0 ? 0 : 40'000 + rank;
    totals.delivery_p99_ns = rank == 0 ? 0 : 900'000 + rank;
    totals.due_late_p99_ns = 150'000 + rank;
    totals.due_late_max_ns = 7'000'000 + rank;
    totals.tensor_handle_bytes = 1000 * visits;
    totals.tensor_message_bytes = 2000 * visits + rank;
    totals.tensor_device_bytes = 3000 * visits + rank;
    totals.tensor_waits = visits / 7;
    totals.tensor_wait_p99_ns = 300'000 + rank;
    totals.tensor_wait_max_ns = 800'000 + rank;
    totals.tensors_left = rank;
    totals.clock_bound_ns = rank == 0 ? 0 : 1'500;
    record.ranks.push_back(totals);
  }
  record.clock_bound_ns = 1'500;
}

void count(SyntheticRun& run, const SyntheticSettings& settings) {
  RunRecord& record = run.record;
  record.duration_ns = s_to_ns(settings.seconds);
  record.slo_ns = settings.slo_ns;
  record.modules.resize(settings.modules);
  for (std::size_t i = 0; i < settings.modules; ++i) {
    record.modules[i].depth = static_cast<std::uint16_t>(i + 1);
    record.modules[i].visit_ratio = 1.0 / static_cast<double>(i + 1);
    if (settings.accuracy > 0) record.modules[i].accuracy = settings.accuracy;
  }
  record.modules.back().last = true;
  for (std::size_t i = 0; i < settings.modules * settings.workers; ++i) {
    WorkerTotals worker;
    worker.module = static_cast<std::uint16_t>(i / settings.workers);
    worker.device = static_cast<std::uint16_t>(i % 2);
    worker.usd_per_h = 0.25 * static_cast<double>(i + 1);
    worker.added_ns = i == 1 ? kNever : static_cast<TimeNs>(i);
    record.workers.push_back(worker);
  }
  for (std::size_t module = 0; module < settings.modules; ++module) {
    const auto batch = static_cast<std::uint32_t>(settings.batch);
    record.plans.push_back({0, static_cast<std::uint16_t>(module),
                            static_cast<std::uint32_t>(settings.workers), batch,
                            ms_to_ns(8.0 + 2.0 * static_cast<double>(module) + 4.0 * batch),
                            static_cast<std::uint16_t>(module % 2), 0.25 * static_cast<double>(module + 1)});
    const double share = module == 0 ? std::numeric_limits<double>::quiet_NaN() : 1;
    record.groups.push_back({0, static_cast<std::uint16_t>(module), static_cast<std::uint16_t>(module),
                             static_cast<std::uint32_t>(settings.workers), batch, 17'000, share});
  }
  for (const RequestRow& row : run.requests) count_request(record, row);
  for (const VisitRow& row : run.visits) count_visit(record, row);
  if (settings.accuracy > 0) {  // a tree without branches
    for (WindowCounts& window : record.windows)
      window.paths = {window.in_time, window.late, window.dropped, window.accuracy_sum};
  }
  record.states.names = {"order", "load"};
  for (TimeNs at = kNsPerS; at < record.duration_ns; at += kNsPerS) {
    const double high = at / kNsPerS % 2 == 0 ? 0 : 1;
    record.states.rows.push_back({at, 0});
    record.states.values.insert(record.states.values.end(), {high, 0.75 + 0.5 * high});
  }
  if (settings.cell.runtime != "simulated") add_ranks(record, run.requests, run.visits.size());
  record.replay = {{0, 0, 3, 1, {std::byte{1}, std::byte{2}}}, {4, 1, 0, 0, {std::byte{1}}}};
  record.fingerprint = mix64(settings.cell.seed + record.in_time);
  record.events = run.visits.size() * 3;
  record.wall_s = 0.25;
}

}  // namespace

SyntheticRun synthetic_run(const SyntheticSettings& settings) {
  SyntheticRun run = Synthesis(settings).run();
  count(run, settings);
  const PlanRow& last = run.record.plans.back();
  const double capacity = static_cast<double>(settings.workers * settings.batch) / ns_to_s(last.exec_ns);
  run.summary = summarise(settings.cell, {run.record, capacity, [&](TimeNs) { return capacity; },
                                          static_cast<double>(run.record.sent)});
  return run;
}

void write_synthetic_cell(const std::string& path, const SyntheticRun& run, bool rows) {
  CellFileWriter writer(path, run.summary.cell, run.module_names);
  constexpr std::size_t kPiece = 1237;
  for (std::size_t at = 0; rows && at < run.requests.size(); at += kPiece) {
    writer.requests(std::span(run.requests).subspan(at, std::min(kPiece, run.requests.size() - at)));
  }
  for (std::size_t at = 0; rows && at < run.visits.size(); at += kPiece) {
    writer.visits(std::span(run.visits).subspan(at, std::min(kPiece, run.visits.size() - at)));
  }
  writer.finish(run.summary, run.record);
}

}  // namespace harness
