#include "harness/gpu/exchange/test_exchange_net.h"

#include <algorithm>
#include <utility>

namespace harness {

/// A worker's surroundings: the fake NCCL, memory that is only counted, and the records.
class NetExchangeWorld final : public ExchangeWorld {
 public:
  NetExchangeWorld(ExchangeNet& net, WorkerId worker) : net_(net), worker_(worker) {}

  void send(const ExchangeMessage& message) override { net_.to_sequencer_[worker_].push_back(message); }

  bool enqueue(std::uint64_t ticket, const Transfer& transfer) override {
    FakeNccl::Operation operation{.channel = transfer.channel, .ticket = ticket};
    const bool sends = transfer.from == worker_;
    if (!sends && std::ranges::count(net_.params_->unplaceable, transfer.id) > 0) return false;
    operation.peer = sends ? transfer.to : transfer.from;
    operation.kind = sends ? FakeNccl::Kind::kSend : FakeNccl::Kind::kReceive;
    if (sends) operation.bytes = net_.params_->payloads[transfer.id];
    if (!sends) {
      net_.used_bytes_[worker_] += transfer.bytes;
      if (net_.used_bytes_[worker_] > net_.params_->room_bytes)
        net_.fault_ = "more arrives than there is room for";
    }
    net_.nccl_.enqueue(worker_, std::move(operation));
    return true;
  }
  void abort(ChannelId channel) override { net_.nccl_.abort(worker_, channel); }

  void arrived(const Transfer& transfer) override {
    ++net_.records_[transfer.id].arrived;
    if (net_.arriving_bytes_ != net_.params_->payloads[transfer.id]) net_.fault_ = "wrong bytes arrived";
    const auto [last, first] = net_.last_arrived_.try_emplace({transfer.from, worker_}, transfer.id);
    if (!first && last->second >= transfer.id) net_.fault_ = "transfers of a pair overtook each other";
    last->second = transfer.id;
    net_.held_[worker_].push_back(transfer.bytes);
  }
  void discard(const Transfer& transfer) override { net_.held_[worker_].push_back(transfer.bytes); }

  void settled(const Transfer& transfer, TransferOutcome outcome) override {
    if (transfer.from != worker_) net_.fault_ = "another than the sender is told of the outcome";
    ++net_.records_[transfer.id].settled;
    net_.records_[transfer.id].outcome = outcome;
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
      used_bytes_(params.workers),
      records_(params.transfers.size()),
      broken_(params.breaks.size()) {
  for (WorkerId worker = 0; worker < params.workers; ++worker) {
    sequencer_.add_worker(worker, params.room_bytes);
    exchanges_.emplace_back(worker);
  }
  for (const auto& [channel, members] : params.channels) sequencer_.open_channel(channel, members);
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
  for (std::uint32_t i = 0; i < broken_.size(); ++i)
    if (!broken_[i] && !nccl_.stream(params_->breaks[i]).empty()) found.push_back({Kind::kBreak, i});
  return found;
}

void ExchangeNet::take(const NetStep& step) {
  const std::uint32_t who = step.who;
  switch (step.kind) {
    case NetStep::Kind::kToSequencer: {
      const ExchangeMessage message = to_sequencer_[who].front();
      to_sequencer_[who].erase(to_sequencer_[who].begin());
      sequencer_.on_message(
          message, [this](const ExchangeMessage& answer) { to_worker_[answer.worker].push_back(answer); });
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
    case NetStep::Kind::kBreak:
      broken_[who] = true;
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
    if (exchanges_[worker].enqueued() > 0 || !nccl_.stream(worker).empty())
      return "operations are left in a lane";
    if (used_bytes_[worker] > 0) return "memory for arrivals is left in use";
    if (sequencer_.room_bytes(worker) != params_->room_bytes)
      return "the sequencer has lost count of the room";
  }
  return "";
}

std::string ExchangeNet::fault_of(TransferId id) const {
  const Record& record = records_[id];
  if (record.settled != 1) return "settled " + std::to_string(record.settled) + " times";
  const int expected = record.outcome == TransferOutcome::kDelivered ? 1 : 0;
  if (record.arrived != expected) return "arrived " + std::to_string(record.arrived) + " times";
  return "";
}

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
    words.push_back(held_[worker].size());
    words.insert(words.end(), held_[worker].begin(), held_[worker].end());
    const std::set<ChannelId>& closed = exchanges_[worker].closed_channels();
    words.push_back(closed.size());
    words.insert(words.end(), closed.begin(), closed.end());
    words.push_back(exchanges_[worker].enqueued());
  }
  for (const Record& record : records_) {
    words.push_back(std::uint64_t{record.settled} << 16 | std::uint64_t{record.arrived} << 8 |
                    static_cast<std::uint64_t>(record.outcome));
  }
  for (const bool done : broken_) words.push_back(std::uint64_t{done});
}

}  // namespace harness
