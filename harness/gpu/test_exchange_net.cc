#include "harness/gpu/test_exchange_net.h"

#include <numeric>
#include <utility>

namespace harness {

/// The sequencer's messages go into the queues, what it finishes into the records.
class NetSequencerWorld final : public SequencerWorld {
 public:
  explicit NetSequencerWorld(ExchangeNet& net) : net_(net) {}
  void send(const ExchangeMessage& message) override {
    if (!net_.dead_[message.worker]) net_.to_worker_[message.worker].push_back(message);
  }
  void finished(const Transfer& transfer, TransferOutcome outcome) override {
    ++net_.records_[transfer.id].finished;
    net_.records_[transfer.id].outcome = outcome;
  }

 private:
  ExchangeNet& net_;
};

/// A worker's side: the fake NCCL, memory that is only counted, and the records.
class NetExchangeWorld final : public ExchangeWorld {
 public:
  NetExchangeWorld(ExchangeNet& net, WorkerId worker) : net_(net), worker_(worker) {}

  void send(const ExchangeMessage& message) override { net_.to_sequencer_[worker_].push_back(message); }

  bool enqueue(std::uint64_t ticket, const Transfer& transfer) override {
    FakeNccl::Operation operation{.channel = transfer.channel, .ticket = ticket};
    const bool sends = transfer.from == worker_;
    if (!sends && std::ranges::count(net_.params_->unplaceable, transfer.id) > 0) return false;
    operation.peer = sends && transfer.to != kAllMembers ? transfer.to : transfer.from;
    operation.kind = sends ? FakeNccl::Kind::kSend : FakeNccl::Kind::kReceive;
    if (transfer.to == kAllMembers) operation.kind = FakeNccl::Kind::kBroadcast;
    if (sends) operation.bytes = net_.params_->payloads[transfer.id];
    if (!sends) {
      net_.used_bytes_[worker_] += transfer.bytes;
      net_.receiving_[worker_][ticket] = transfer.id;
      if (net_.used_bytes_[worker_] > net_.params_->room_bytes)
        net_.fault_ = "more arrives than there is room for";
    }
    net_.nccl_.enqueue(worker_, std::move(operation));
    return true;
  }
  void abort(ChannelId channel) override { net_.nccl_.abort(worker_, channel); }

  void arrived(const Transfer& transfer) override {
    ++net_.records_[transfer.id].arrived[worker_];
    if (net_.arriving_bytes_ != net_.params_->payloads[transfer.id]) net_.fault_ = "wrong bytes arrived";
    if (transfer.to != kAllMembers) {
      const auto [last, first] = net_.last_arrived_.try_emplace({transfer.from, worker_}, transfer.id);
      if (!first && last->second >= transfer.id) net_.fault_ = "transfers of a pair overtook each other";
      last->second = transfer.id;
    }
    net_.held_[worker_].push_back(transfer.bytes);
  }
  void discard(const Transfer& transfer) override { net_.held_[worker_].push_back(transfer.bytes); }

  void settled(const Transfer& transfer, TransferOutcome outcome) override {
    ExchangeNet::Record& record = net_.records_[transfer.id];
    const bool diverted = outcome == TransferOutcome::kDiverted && transfer.to != kAllMembers;
    if (transfer.from == worker_) {
      ++record.sender_settled;
      if (diverted) ++record.by_message;
    } else if (!diverted) {
      ++record.missed[worker_];
    }
  }

 private:
  ExchangeNet& net_;
  WorkerId worker_;
};

ExchangeNet::ExchangeNet(const ExchangeNetParams& params)
    : params_(&params),
      sequencer_(params.window),
      nccl_(params.workers),
      to_sequencer_(params.workers),
      to_worker_(params.workers),
      held_(params.workers),
      receiving_(params.workers),
      used_bytes_(params.workers),
      dead_(params.workers),
      dismissed_(params.workers),
      records_(params.transfers.size()),
      cancels_(params.cancels.size()),
      deaths_(params.deaths.size()),
      heard_(params.deaths.size()),
      dismissals_(params.dismissals.size()),
      breaks_(params.breaks.size()) {
  for (WorkerId worker = 0; worker < params.workers; ++worker) {
    sequencer_.add_worker(worker, params.room_bytes);
    exchanges_.emplace_back(worker);
  }
  for (const auto& [channel, members] : params.channels) {
    sequencer_.open_channel(channel, members);
    nccl_.open(channel, members);
  }
  for (const Transfer& transfer : params.transfers) {
    NetExchangeWorld world(*this, transfer.from);
    exchanges_[transfer.from].offer(transfer, world);
  }
}

std::vector<NetStep> ExchangeNet::steps() const {
  using Kind = NetStep::Kind;
  std::vector<NetStep> found;
  for (std::uint32_t worker = 0; worker < params_->workers; ++worker) {
    if (!to_sequencer_[worker].empty()) found.push_back({Kind::kToSequencer, worker});
    if (!to_worker_[worker].empty()) found.push_back({Kind::kToWorker, worker});
    if (nccl_.has_ended(worker)) found.push_back({Kind::kTake, worker});
    if (!held_[worker].empty()) found.push_back({Kind::kFree, worker});
  }
  for (const WorkerId leader : nccl_.ready()) found.push_back({Kind::kComplete, leader});
  const auto add_pending = [&](Kind kind, const Pending& pending, auto&& possible) {
    for (std::uint32_t i = 0; i < pending.done.size(); ++i)
      if (!pending.done[i] && possible(i)) found.push_back({kind, i});
  };
  const auto always = [](std::uint32_t) { return true; };
  add_pending(Kind::kCancel, cancels_, always);
  add_pending(Kind::kDie, deaths_, always);
  add_pending(Kind::kHearOfDeath, heard_, [&](std::uint32_t i) { return deaths_.done[i]; });
  add_pending(Kind::kDismiss, dismissals_, always);
  add_pending(Kind::kBreak, breaks_,
              [&](std::uint32_t i) { return !nccl_.stream(params_->breaks[i]).empty(); });
  return found;
}

void ExchangeNet::take(const NetStep& step) {
  NetSequencerWorld sequencer_world(*this);
  const std::uint32_t who = step.who;
  switch (step.kind) {
    case NetStep::Kind::kToSequencer: {
      const ExchangeMessage message = to_sequencer_[who].front();
      to_sequencer_[who].erase(to_sequencer_[who].begin());
      sequencer_.on_message(message, sequencer_world);
      break;
    }
    case NetStep::Kind::kToWorker: {
      const ExchangeMessage message = to_worker_[who].front();
      to_worker_[who].erase(to_worker_[who].begin());
      NetExchangeWorld world(*this, who);
      exchanges_[who].on_message(message, world);
      break;
    }
    case NetStep::Kind::kComplete:
      nccl_.complete(who);
      break;
    case NetStep::Kind::kTake:
      take_end(who);
      break;
    case NetStep::Kind::kFree:
      free_first(who);
      break;
    case NetStep::Kind::kCancel: {
      cancels_.done[who] = true;
      ExchangeMessage message{.kind = ExchangeKind::kCancel};
      message.transfer.id = params_->cancels[who];
      sequencer_.on_message(message, sequencer_world);
      break;
    }
    case NetStep::Kind::kDie:
      deaths_.done[who] = true;
      dead_[params_->deaths[who]] = true;
      nccl_.lose(params_->deaths[who]);
      to_worker_[params_->deaths[who]].clear();
      held_[params_->deaths[who]].clear();
      break;
    case NetStep::Kind::kHearOfDeath:
      heard_.done[who] = true;
      sequencer_.on_lost(params_->deaths[who], sequencer_world);
      break;
    case NetStep::Kind::kDismiss:
      dismissals_.done[who] = true;
      dismissed_[params_->dismissals[who]] = true;
      sequencer_.on_lost(params_->dismissals[who], sequencer_world);
      break;
    case NetStep::Kind::kBreak:
      breaks_.done[who] = true;
      nccl_.break_first(params_->breaks[who]);
      break;
  }
  if (params_->prompt) drain_promptly();
}

void ExchangeNet::drain_promptly() {
  for (WorkerId worker = 0; worker < params_->workers; ++worker) {
    while (nccl_.has_ended(worker)) take_end(worker);
    while (!held_[worker].empty()) free_first(worker);
  }
}

void ExchangeNet::take_end(WorkerId worker) {
  FakeNccl::End end = nccl_.take(worker);
  arriving_bytes_ = std::move(end.bytes);
  receiving_[worker].erase(end.ticket);
  NetExchangeWorld world(*this, worker);
  exchanges_[worker].on_lane_ended(end.ticket, end.well, world);
}

void ExchangeNet::free_first(WorkerId worker) {
  const std::uint64_t bytes = held_[worker].front();
  held_[worker].erase(held_[worker].begin());
  used_bytes_[worker] -= bytes;
  NetExchangeWorld world(*this, worker);
  exchanges_[worker].on_freed(bytes, world);
}

std::string ExchangeNet::fault(bool at_end) const {
  if (!fault_.empty() || !at_end) return fault_;
  for (TransferId id = 0; id < records_.size(); ++id)
    if (std::string found = fault_of(id); !found.empty())
      return "transfer " + std::to_string(id) + ": " + found;
  if (sequencer_.unfinished() > 0) return "the sequencer has transfers left";
  for (WorkerId worker = 0; worker < params_->workers; ++worker) {
    if (dead_[worker]) continue;
    if (exchanges_[worker].enqueued() > 0 || !nccl_.stream(worker).empty())
      return "operations are left in a lane";
    if (used_bytes_[worker] > 0 || !receiving_[worker].empty()) return "memory for arrivals is left in use";
    if (!counts_as_lost(worker) && sequencer_.room_bytes(worker) != params_->room_bytes)
      return "the sequencer has lost count of the room";
  }
  return "";
}

std::string ExchangeNet::fault_of(TransferId id) const {
  const Transfer& transfer = params_->transfers[id];
  const Record& record = records_[id];
  if (record.finished != 1) return "finished " + std::to_string(record.finished) + " times";
  if (!dead_[transfer.from] && record.sender_settled != 1)
    return "settled " + std::to_string(record.sender_settled) + " times at the sender";
  for (const WorkerId receiver : receivers_of(transfer)) {
    const auto arrived = record.arrived.contains(receiver) ? record.arrived.at(receiver) : 0;
    const auto missed = record.missed.contains(receiver) ? record.missed.at(receiver) : 0;
    if (arrived + record.by_message > 1) return "arrived more than once";
    if (record.outcome == TransferOutcome::kDelivered && arrived != 1 && !dead_[receiver])
      return "delivered, but it did not arrive";
    if (counts_as_lost(receiver)) continue;
    // What is diverted is the sender's to send, and goes with it if it dies first.
    const bool diverted = record.outcome == TransferOutcome::kDiverted && transfer.to != kAllMembers;
    const int expected = diverted && dead_[transfer.from] ? record.by_message : 1;
    if (arrived + missed + record.by_message != expected)
      return "the receiver heard of it " + std::to_string(arrived + missed + record.by_message) + " times";
  }
  const bool lost =
      counts_as_lost(transfer.from) || (transfer.to != kAllMembers && counts_as_lost(transfer.to));
  if (record.outcome == TransferOutcome::kPeerLost && transfer.to != kAllMembers && !lost)
    return "lost though both ends live";
  return "";
}

std::vector<WorkerId> ExchangeNet::receivers_of(const Transfer& transfer) const {
  if (transfer.to != kAllMembers) return {transfer.to};
  std::vector<WorkerId> receivers = params_->channels.at(transfer.channel);
  std::erase(receivers, transfer.from);
  return receivers;
}

bool ExchangeNet::counts_as_lost(WorkerId worker) const { return dead_[worker] || dismissed_[worker]; }

int ExchangeNet::count(TransferOutcome outcome) const {
  return static_cast<int>(std::ranges::count(records_, outcome, &Record::outcome));
}

void ExchangeNet::append_state(std::vector<std::uint64_t>& words) const {
  const auto append_queue = [&](const std::vector<ExchangeMessage>& queue) {
    words.push_back(queue.size());
    for (const ExchangeMessage& message : queue) {
      words.push_back(static_cast<std::uint64_t>(message.kind) << 16 |
                      static_cast<std::uint64_t>(message.outcome) << 8 | std::uint64_t{message.well});
      words.insert(words.end(), {message.ticket, message.transfer.id,
                                 message.transfer.bytes << 32 | message.transfer.channel});
    }
  };
  sequencer_.append_state(words);
  nccl_.append_state(words);
  for (WorkerId worker = 0; worker < params_->workers; ++worker) {
    append_queue(to_sequencer_[worker]);
    append_queue(to_worker_[worker]);
    words.insert(words.end(), {std::uint64_t{dead_[worker]}, std::uint64_t{dismissed_[worker]}});
    words.push_back(held_[worker].size());
    words.insert(words.end(), held_[worker].begin(), held_[worker].end());
    const std::set<ChannelId>& closed = exchanges_[worker].closed_channels();
    words.push_back(closed.size());
    words.insert(words.end(), closed.begin(), closed.end());
    words.push_back(exchanges_[worker].enqueued());
  }
  for (const Record& record : records_) {
    words.push_back(std::uint64_t{record.finished} << 24 | std::uint64_t{record.sender_settled} << 16 |
                    static_cast<std::uint64_t>(record.outcome) << 8 |
                    static_cast<std::uint64_t>(record.by_message));
    for (const auto* heard : {&record.arrived, &record.missed}) {
      words.push_back(heard->size());
      for (const auto& [worker, times] : *heard)
        words.insert(words.end(), {worker, static_cast<std::uint64_t>(times)});
    }
  }
  for (const Pending* pending : {&cancels_, &deaths_, &heard_, &dismissals_, &breaks_})
    for (const bool done : pending->done) words.push_back(std::uint64_t{done});
}

}  // namespace harness
