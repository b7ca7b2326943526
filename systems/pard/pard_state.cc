#include "systems/pard/pard_state.h"

#include <algorithm>
#include <iterator>

#include "harness/core/check.h"

namespace harness {
namespace {

// Places in the layout of PardState.
constexpr std::size_t kDownstream = 7;
constexpr std::size_t kOrder = 8;
constexpr std::size_t kAdmitted = 15;

constexpr const char* kNames[] = {"version",   "queueing_ns", "exec_ns",       "batch",    "throughput_rps",
                                  "input_rps", "drop_rate",   "downstream_ns", "order",    "wait_ns",
                                  "load",      "band",        "waits",         "worst_ns", "level",
                                  "admitted",  "budget_ns",   "period"};
static_assert(std::size(kNames) == PardState::kScalars);

}  // namespace

void PardState::pack(std::vector<double>& out) const {
  out.assign({kVersion, queueing_ns, exec_ns, batch, throughput_rps, input_rps, drop_rate, downstream_ns,
              static_cast<double>(order), wait_ns, load, band, waits, worst_ns, level, admitted, budget_ns,
              period});
  out.insert(out.end(), table.at.begin(), table.at.end());
}

PardState PardState::unpack(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize && values[0] == kVersion, "a published state is not PARD's");
  PardState state;
  state.queueing_ns = values[1];
  state.exec_ns = values[2];
  state.batch = values[3];
  state.throughput_rps = values[4];
  state.input_rps = values[5];
  state.drop_rate = values[6];
  const ForWorker worker = unpack_for_worker(values);
  state.downstream_ns = worker.downstream_ns;
  state.order = worker.order;
  state.admitted = worker.admitted;
  state.wait_ns = values[9];
  state.load = values[10];
  state.band = values[11];
  state.waits = values[12];
  state.worst_ns = values[13];
  state.level = values[14];
  state.budget_ns = values[16];
  state.period = values[17];
  const std::span<const double> table = values.last(WaitTable::kPoints);
  std::transform(table.begin(), table.end(), state.table.at.begin(),
                 [](double value) { return static_cast<float>(value); });
  return state;
}

PardState::ForWorker PardState::unpack_for_worker(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize && values[0] == kVersion, "a published state is not PARD's");
  return {values[kDownstream], values[kOrder] == 0 ? BudgetOrder::kLow : BudgetOrder::kHigh,
          values[kAdmitted]};
}

std::span<const char* const> PardState::names() { return kNames; }

void PardReport::set_most_waits(std::size_t most_waits) {
  if (most_waits == most_waits_) return;
  most_waits_ = most_waits;
  const auto first = values_.begin() + kHeader;
  std::rotate(first, first + static_cast<std::ptrdiff_t>(oldest_), values_.end());
  oldest_ = 0;
  const std::size_t kept = values_.size() - kHeader;
  if (kept > most_waits_) values_.erase(first, first + static_cast<std::ptrdiff_t>(kept - most_waits_));
}

void PardReport::add_started(const BatchView& batch) {
  started_ += static_cast<std::int64_t>(batch.visits.size());
  for (const BatchVisit& visit : batch.visits) {
    queueing_ns_ += visit.joined_ns - visit.arrived_ns;
    worst_ns_ = std::max(worst_ns_, batch.expected_end_ns - visit.arrived_ns);
    const double wait = static_cast<double>(batch.started_ns - visit.joined_ns);
    if (values_.size() < kHeader + most_waits_) {
      values_.push_back(wait);
    } else {
      values_[kHeader + oldest_] = wait;
      if (++oldest_ == most_waits_) oldest_ = 0;
    }
  }
}

std::span<const double> PardReport::values() {
  values_[kArrived] = static_cast<double>(arrived_);
  values_[kDropped] = static_cast<double>(dropped_);
  values_[kStarted] = static_cast<double>(started_);
  values_[kQueueing] = static_cast<double>(queueing_ns_);
  values_[kWorst] = static_cast<double>(worst_ns_);
  return values_;
}

void PardReport::clear() {
  values_.resize(kHeader);
  arrived_ = dropped_ = started_ = 0;
  queueing_ns_ = worst_ns_ = 0;
  oldest_ = 0;
}

PardReport::View PardReport::view(std::span<const double> values) {
  HARNESS_CHECK(values.size() >= kHeader, "a report is not PARD's");
  return {values[kWorkers],  values[kArrived], values[kDropped],       values[kStarted],
          values[kQueueing], values[kWorst],   values.subspan(kHeader)};
}

}  // namespace harness
