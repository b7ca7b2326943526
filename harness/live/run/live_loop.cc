#include "harness/live/run/live_loop.h"

#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "harness/core/cell_failed.h"
#include "harness/core/environment_error.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/machine/host_name.h"
#include "harness/machine/nvidia_driver_version.h"
#include "harness/machine/precise_wait.h"

namespace harness {
namespace {

constexpr int kFirstPings = 40;
constexpr int kLaterPings = 10;
constexpr int kMaxAtOnce = 256;  ///< requests or events handled before messages are looked at again
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr TimeNs kProgressNs = 200 * kNsPerMs;
constexpr TimeNs kStartLead = 100 * kNsPerMs;  ///< time from here to the start, plus the next for each rank:
                                               ///< all ranks know the start by then
constexpr TimeNs kStartLeadPerRank = 4 * kNsPerMs;
constexpr TimeNs kMaxOpening = 60 * kNsPerS;  ///< time in which the channels between GPUs must open

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.rest().data()), message.rest().size()};
}

void add_tensors(const LiveBatchRunner& runner, RankTotals& totals) {
  const LiveTensors::Bytes& bytes = runner.tensors()->bytes();
  totals.tensor_handle_bytes = bytes.by_handle;
  totals.tensor_message_bytes = bytes.by_message;
  totals.tensor_device_bytes = bytes.by_device;
  const LiveBatchRunner::TensorWaits& waits = runner.tensor_waits();
  totals.tensor_waits = waits.waits.total();
  if (totals.tensor_waits > 0) {
    totals.tensor_wait_p99_ns = waits.waits.quantile(0.99);
    totals.tensor_wait_max_ns = waits.longest_ns;
  }
  totals.tensors_left = runner.tensors()->count();
}

TimeNs thread_cpu_ns() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto of = [](const timeval& time) { return time.tv_sec * kNsPerS + time.tv_usec * kNsPerUs; };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

LiveLoop::LiveLoop(const RunSpec& spec, const LiveRun& run, Transport& transport, RowSink* rows,
                   LiveClock clock)
    : spec_(spec),
      run_(run),
      transport_(transport),
      layout_(spec.workers, transport.ranks(), run.params),
      out_(transport, run.number),
      before_(transport.counters()),
      cpu_before_ns_(thread_cpu_ns()),
      clock_(std::move(clock)),
      offset_(is_first() ? ClockOffset::of_rank0() : ClockOffset()),
      began_ns_(clock_()),
      heartbeat_ns_(std::min(kNsPerS, s_to_ns(run.params.hang_limit_s) / 4)),
      pings_left_(kFirstPings),
      watchdog_(transport.ranks(), transport.rank(), s_to_ns(run.params.hang_limit_s), began_ns_),
      hosts_(static_cast<std::size_t>(transport.ranks())),
      has_record_of_(hosts_.size(), false),
      pieces_of_(hosts_.size()) {
  const bool payload = run.params.payload || run.devices != nullptr;
  if (is_first()) {
    std::function<void()> wake = [&transport] { transport.interrupt(); };
    dispatcher_.emplace(spec, layout_, payload, out_, events_, rows, run.plans_aside ? wake : nullptr);
  }
  if (!is_first() || transport.ranks() == 1)
    queues_.emplace(spec, layout_, transport.rank(), payload, out_, events_, run.devices, run.exchanges);
  if (is_first() && run.exchanges != nullptr) channels_.emplace(spec, layout_, dispatcher_->plan(), out_);
}

void LiveLoop::begin() {
  if (!is_first()) {
    ping();
  } else if (transport_.ranks() == 1) {
    start();
  }
}

bool LiveLoop::turn() {
  try {
    return take_turn();
  } catch (const CellFailed& error) {
    tell_all(MessageKind::kFail, error.what());
    throw;
  } catch (const DeviceError& error) {
    tell_all(MessageKind::kFail, error.what());
    throw CellFailed(error.what());
  } catch (const std::exception& error) {
    abort(reason_of(error));
    throw;
  }
}

void LiveLoop::abort(std::string_view why) { tell_all(MessageKind::kAbort, why); }

void LiveLoop::tell_all(MessageKind kind, std::string_view why) {
  if (heard_of_end_) return;  // the rank that said so has told all
  for (int rank = 0; rank < transport_.ranks(); ++rank) {
    if (rank != transport_.rank()) out_.send(rank, kind, NoContents{}, std::span(why.data(), why.size()));
  }
  transport_.flush();
}

bool LiveLoop::take_turn() {
  ++turns_;
  if (run_.check_signal) run_.check_signal();
  const bool busy = work();
  housekeeping();
  transport_.flush();
  return busy;
}

/// Handles one round of everything that is due; returns true if there was something. Due events come before
/// messages: a batch that has ended does not wait for messages that arrived after its end.
bool LiveLoop::work() {
  int handled = 0;
  if (phase_ == Phase::kRunning) {
    while (handled < kMaxAtOnce && !events_.empty() && events_.top().at_ns <= now()) {
      handle(events_.pop());
      ++handled;
    }
  }
  bool busy =
      transport_.receive([this](int from, std::span<const std::byte> bytes) { take(from, bytes); }) > 0;
  if (queues_ && queues_->take_transfers(run_time(clock_()))) busy = true;
  if (finishes_ && queues_->runner().is_quiet()) send_record();
  if (phase_ == Phase::kRunning) {
    int sent = 0;
    while (dispatcher_ && sent < kMaxAtOnce && dispatcher_->send_due(now())) ++sent;
    if (sent > 0) transport_.flush();  // requests leave before anything else is done
    handled += sent;
    if (dispatcher_ && dispatcher_->take_plans(now())) ++handled;
    if (queues_ && queues_->take_batches(now(), [this](TimeNs steady) { return run_time(steady); }))
      ++handled;
  }
  handled_ += static_cast<std::uint64_t>(handled);
  return busy || handled > 0;
}

TimeNs LiveLoop::next_due_ns() {
  if (phase_ != Phase::kRunning) return kNever;
  const TimeNs event_ns = events_.empty() ? kNever : events_.top().at_ns;
  return dispatcher_ ? std::min(event_ns, dispatcher_->next_due_ns()) : event_ns;
}

TimeNs LiveLoop::wake_ns() {
  const TimeNs due_ns = next_due_ns();
  const TimeNs own_ns = std::min({next_beat_ns_, next_look_ns_, next_burst_ns_});
  if (due_ns == kNever) return own_ns;
  const WaitParams how{is_first() && run_.params.spin};
  return std::min(own_ns, sleep_deadline_ns(offset_.to_local(due_ns + start_ns_), how));
}

void LiveLoop::wait() { transport_.wait_until(wake_ns()); }

void LiveLoop::take(int from, std::span<const std::byte> bytes) {
  Message message(bytes);
  if (message.run() != out_.run()) return;  // a message of a cell that is over
  const TimeNs steady = clock_();
  watchdog_.heard(from, steady);
  ++handled_;
  const TimeNs at_ns = run_time(steady);
  if (dispatcher_ && dispatcher_->take(at_ns, message)) return;
  if (queues_ && queues_->take(at_ns, from, message)) return;
  if (channels_ && channels_->take(message)) return start_if_ready();
  take_own(from, message);
}

void LiveLoop::take_own(int from, Message& message) {
  switch (message.kind()) {
    case MessageKind::kReady:
      take_ready(from, message);
      break;
    case MessageKind::kStart:
      start_ns_ = message.read<StartMessage>().start_ns;
      hosts_[0] = text_of(message);
      phase_ = Phase::kRunning;
      break;
    case MessageKind::kPing: {
      auto ping = message.read<ClockMessage>();
      ping.answered_ns = clock_();
      out_.send(from, MessageKind::kPong, ping);
      break;
    }
    case MessageKind::kPong:
      take_pong(message.read<ClockMessage>());
      break;
    case MessageKind::kFinish:
      finishes_ = true;
      if (queues_->runner().is_quiet()) send_record();
      break;
    case MessageKind::kRecordPiece:
      if (is_first()) take_record_piece(from, message);
      break;
    case MessageKind::kEnd:
      take_end();
      break;
    case MessageKind::kAbort:
      heard_of_end_ = true;
      throw EnvironmentError("rank " + std::to_string(from) + ": " + text_of(message));
    case MessageKind::kFail:
      heard_of_end_ = true;
      throw CellFailed("rank " + std::to_string(from) + ": " + text_of(message));
    default:
      break;
  }
}

void LiveLoop::handle(const Event& event) {
  const TimeNs at_ns = now();
  const TimeNs late_ns = std::max<TimeNs>(at_ns - event.at_ns, 0);
  due_late_.add(late_ns);
  due_latest_ns_ = std::max(due_latest_ns_, late_ns);
  if (dispatcher_ && dispatcher_->handle(at_ns, event)) return;
  if (queues_) queues_->handle(at_ns, event);
}

void LiveLoop::ping() { out_.send(0, MessageKind::kPing, ClockMessage{clock_(), 0}); }

void LiveLoop::take_pong(const ClockMessage& pong) {
  const TimeNs back_ns = clock_();
  offset_.add(pong.asked_ns, pong.answered_ns, back_ns);
  if (--pings_left_ > 0) return ping();
  if (offset_.known()) clock_bound_ns_ = std::max(clock_bound_ns_, offset_.bound_ns(back_ns));
  offset_.end_burst(clock_());
  if (bursts_++ == 0) {
    const std::string host = host_name();
    out_.send(0, MessageKind::kReady, NoContents{}, std::span(host.data(), host.size()));
  }
  pings_left_ = kLaterPings;
  next_burst_ns_ = clock_() + burst_gap_ns(bursts_ - 1, s_to_ns(run_.params.clock_period_s));
}

void LiveLoop::take_ready(int from, const Message& message) {
  hosts_[static_cast<std::size_t>(from)] = text_of(message);
  ++ready_;
  start_if_ready();
}

void LiveLoop::start_if_ready() {
  if (phase_ != Phase::kWaiting || ready_ < transport_.ranks() - 1) return;
  if (channels_ && opening_ns_ == kNever) {
    opening_ns_ = clock_();
    channels_->open();
  }
  if (!channels_ || channels_->is_open()) start();
}

void LiveLoop::start() {
  start_ns_ = clock_() + kStartLead + kStartLeadPerRank * transport_.ranks();
  const std::string host = host_name();
  for (int rank = 1; rank < transport_.ranks(); ++rank)
    out_.send(rank, MessageKind::kStart, StartMessage{start_ns_}, std::span(host.data(), host.size()));
  dispatcher_->start();
  phase_ = Phase::kRunning;
}

void LiveLoop::finish() {
  phase_ = Phase::kCollecting;
  collecting_ns_ = clock_();
  for (int rank = transport_.ranks() == 1 ? 0 : 1; rank < transport_.ranks(); ++rank)
    out_.send(rank, MessageKind::kFinish);
}

RankTotals LiveLoop::totals() const {
  const TransportCounters& counters = transport_.counters();
  RankTotals totals;
  totals.rank = static_cast<std::uint32_t>(transport_.rank());
  totals.host = host_name();
  totals.workers = static_cast<std::uint32_t>(layout_.gpus(transport_.rank()));
  if (run_.devices != nullptr) totals.devices = run_.devices->names();
  const std::optional<DeviceKind> kind = kind_of_device(totals.devices);
  if (kind && traits_of(*kind).needs_gpu) totals.driver = nvidia_driver_version();
  totals.messages_sent = counters.messages_sent - before_.messages_sent;
  totals.messages_received = counters.messages_received - before_.messages_received;
  totals.bytes_sent = counters.bytes_sent - before_.bytes_sent;
  totals.bytes_received = counters.bytes_received - before_.bytes_received;
  totals.packets_sent = counters.packets_sent - before_.packets_sent;
  totals.loop_turns = turns_;
  totals.sleeps = counters.sleeps - before_.sleeps;
  totals.cpu_ns = thread_cpu_ns() - cpu_before_ns_;
  if (due_late_.total() > 0) totals.due_late_p99_ns = due_late_.quantile(0.99);
  totals.due_late_max_ns = due_latest_ns_;
  if (queues_ && queues_->delivery_delay().total() > 0) {
    totals.delivery_p50_ns = queues_->delivery_delay().quantile(0.5);
    totals.delivery_p99_ns = queues_->delivery_delay().quantile(0.99);
  }
  if (queues_ && queues_->runner().tensors() != nullptr) add_tensors(queues_->runner(), totals);
  if (!is_first()) {
    const TimeNs local_ns = clock_();
    totals.clock_offset_ns = -offset_.offset_ns(local_ns);
    totals.clock_bound_ns = std::max(clock_bound_ns_, offset_.bound_ns(local_ns));
  }
  return totals;
}

std::vector<std::string> LiveLoop::notes() const {
  std::vector<std::string> notes;
  if (run_.devices != nullptr) notes = run_.devices->notes();
  if (queues_ && queues_->runner().tensors() != nullptr) {
    for (std::string& note : queues_->runner().tensors()->notes()) notes.push_back(std::move(note));
  }
  return notes;
}

void LiveLoop::send_record() {
  finishes_ = false;
  RankRecord own;
  own.notes = notes();
  own.accounting = queues_->record();
  own.accounting.replay = queues_->take_replay();
  own.totals = totals();
  const std::vector<std::byte> bytes = packed(std::move(own));
  const std::span<const std::byte> all(bytes);
  for (std::size_t at = 0; at < all.size(); at += kPieceBytes) {
    const RecordPieceMessage piece{at, all.size()};
    out_.send(0, MessageKind::kRecordPiece, piece, all.subspan(at, std::min(kPieceBytes, all.size() - at)));
  }
}

void LiveLoop::take_record_piece(int from, Message& message) {
  const auto place = static_cast<std::size_t>(from);
  const auto piece = message.read<RecordPieceMessage>();
  std::vector<std::byte>& bytes = pieces_of_[place];
  if (has_record_of_[place] || piece.at != bytes.size()) return;  // it came before
  bytes.insert(bytes.end(), message.rest().begin(), message.rest().end());
  collecting_ns_ = clock_();
  if (bytes.size() < piece.size) return;
  has_record_of_[place] = true;
  rank_records_.push_back(unpacked<RankRecord>(bytes));
  bytes = {};
  const int expected = std::max(transport_.ranks() - 1, 1);
  if (static_cast<int>(rank_records_.size()) < expected) return;
  for (int rank = 1; rank < transport_.ranks(); ++rank) out_.send(rank, MessageKind::kEnd);
  ended_ = transport_.ranks() - 1;
  if (ended_ == 0) phase_ = Phase::kOver;
}

/// Ends the run on this rank. Rank 0 stays until all others have seen the end: its own message to them may
/// need its help to leave.
void LiveLoop::take_end() {
  if (!is_first()) out_.send(0, MessageKind::kEnd);
  if (!is_first() || --ended_ == 0) phase_ = Phase::kOver;
}

void LiveLoop::housekeeping() {
  const TimeNs steady = clock_();
  if (steady >= next_burst_ns_) {
    next_burst_ns_ = kNever;
    ping();
  }
  if (is_first() && steady >= next_progress_ns_) {
    next_progress_ns_ = steady + kProgressNs;
    if (spec_.progress && phase_ != Phase::kWaiting) spec_.progress(run_time(steady), dispatcher_->sent());
  }
  if (phase_ == Phase::kWaiting && opening_ns_ < steady - kMaxOpening)
    throw CellFailed("gpu.exchange: the GPUs' channels are not open after a minute");
  if (is_first() && phase_ == Phase::kRunning) look_for_end();
  if (phase_ == Phase::kCollecting) look_for_records();
  if (transport_.ranks() == 1) {
    next_beat_ns_ = next_look_ns_ = steady + heartbeat_ns_;
    return;
  }
  if (steady >= next_look_ns_) {
    next_look_ns_ = steady + heartbeat_ns_ / 4;
    look_for_silence();
  }
  if (steady < next_beat_ns_) return;
  next_beat_ns_ = steady + heartbeat_ns_;
  if (!is_first()) out_.send(0, MessageKind::kHeartbeat);
  for (int rank = 1; is_first() && rank < transport_.ranks(); ++rank)
    out_.send(rank, MessageKind::kHeartbeat);
}

void LiveLoop::look_for_silence() {
  const TimeNs steady = clock_();
  for (const int rank : watchdog_.overdue(steady)) {
    if (!is_first() && rank != 0) continue;  // only rank 0 hears from all
    throw RankHung(
        silence_text(rank, hosts_[static_cast<std::size_t>(rank)], watchdog_.silent_ns(rank, steady)));
  }
}

void LiveLoop::look_for_records() {
  const TimeNs waited_ns = clock_() - collecting_ns_;
  if (ns_to_s(waited_ns) <= run_.params.hang_limit_s) return;
  for (int rank = 1; rank < transport_.ranks(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    if (!has_record_of_[place]) throw RankHung(silence_text(rank, hosts_[place], waited_ns));
  }
}

/// Returns how long the run waits for progress on the last requests.
TimeNs LiveLoop::patience_ns() const {
  double slowest = 1;
  TimeNs delay_ns = 0;
  for (const Fault& fault : spec_.faults) {
    slowest = std::max(slowest, fault.factor);
    delay_ns += fault.delay_ns + (fault.kind == FaultKind::kStop ? fault.for_ns : 0);
  }
  double longest_ns = 0;
  for (const Profile& profile : spec_.profiles) {
    const double one_ns = profile.service == Service::kBatch
                              ? static_cast<double>(profile.latency_ns.back()) * slowest
                              : 600e9;  // text of any length, a call of any duration
    longest_ns = std::max(longest_ns, one_ns);
  }
  return s_to_ns(run_.params.hang_limit_s) + delay_ns + 2 * static_cast<TimeNs>(longest_ns);
}

void LiveLoop::look_for_end() {
  if (dispatcher_->done()) return finish();
  const TimeNs at_ns = now();
  if (run_.limit_s > 0 && ns_to_s(clock_() - began_ns_) > run_.limit_s) {
    std::ostringstream why;
    why << "took longer than cell_limit_s = " << run_.limit_s;
    why_invalid_ = why.str();
  } else if (dispatcher_->progress() != seen_progress_ || dispatcher_->next_due_ns() != kNever) {
    seen_progress_ = dispatcher_->progress();
    progress_at_ns_ = at_ns;
    return;
  } else if (at_ns - progress_at_ns_ > patience_ns()) {
    why_invalid_ = "no progress on outstanding requests since the last request was sent";
  } else {
    return;
  }
  dispatcher_->give_up(at_ns);
  finish();
}

RunRecord LiveLoop::close() {
  for (const RankRecord& rank : rank_records_) dispatcher_->absorb(rank.accounting);
  RunRecord record = dispatcher_->close(handled_);
  if (!why_invalid_.empty()) record.why_invalid = why_invalid_;
  record.ranks.push_back(totals());
  for (RankRecord& rank : rank_records_) {
    std::move(rank.accounting.replay.begin(), rank.accounting.replay.end(),
              std::back_inserter(record.replay));
    for (std::string& note : rank.notes) {
      if (std::find(record.notes.begin(), record.notes.end(), note) == record.notes.end())
        record.notes.push_back(std::move(note));
    }
    record.clock_bound_ns = std::max(record.clock_bound_ns, rank.totals.clock_bound_ns);
    if (transport_.ranks() > 1) record.ranks.push_back(rank.totals);
  }
  std::sort(record.ranks.begin(), record.ranks.end(),
            [](const RankTotals& a, const RankTotals& b) { return a.rank < b.rank; });
  std::sort(record.replay.begin(), record.replay.end(),
            [](const ReplayLog& a, const ReplayLog& b) { return a.queue < b.queue; });
  record.wall_s = ns_to_s(clock_() - began_ns_);
  return record;
}

}  // namespace harness
