#include "harness/gpu/exchange/transfer_sequencer.h"

#include <algorithm>
#include <utility>

#include "harness/core/check.h"

namespace harness {
namespace {

void tell(const Transfer& transfer, TransferOutcome outcome, const TransferSequencer::Send& send) {
  send({.kind = ExchangeKind::kOutcome, .outcome = outcome, .worker = transfer.from, .transfer = transfer});
}

}  // namespace

TransferSequencer::TransferSequencer(std::uint32_t window) : window_(window) {
  HARNESS_CHECK(window > 0, "an exchange without a window would never post");
}

void TransferSequencer::add_worker(WorkerId worker, std::uint64_t room_bytes) {
  const bool added = workers_.try_emplace(worker, Worker{{}, room_bytes, 0}).second;
  HARNESS_CHECK(added, "a worker is added twice to the exchange");
}

void TransferSequencer::open_channel(ChannelId channel, std::vector<WorkerId> members) {
  for (const WorkerId member : members)
    HARNESS_CHECK(workers_.contains(member), "a channel of an unknown worker");
  const bool opened = channels_.try_emplace(channel, Channel{std::move(members)}).second;
  HARNESS_CHECK(opened, "a channel is opened twice");
}

void TransferSequencer::on_message(const ExchangeMessage& message, const Send& send) {
  switch (message.kind) {
    case ExchangeKind::kOffer:
      return offer(message.transfer, send);
    case ExchangeKind::kEnded:
      return on_ended(message.worker, message.transfer.id, message.well, send);
    case ExchangeKind::kFreed:
      workers_.at(message.worker).room_bytes += message.transfer.bytes;
      return;
    case ExchangeKind::kPost:
    case ExchangeKind::kAbort:
    case ExchangeKind::kOutcome:
      HARNESS_CHECK(false, "the sequencer is told what only it says");
  }
}

void TransferSequencer::offer(const Transfer& transfer, const Send& send) {
  HARNESS_CHECK(transfer.from != transfer.to, "a transfer to its own sender");
  const auto found = channels_.find(transfer.channel);
  const auto is_member = [&](WorkerId worker) {
    return std::ranges::count(found->second.members, worker) > 0;
  };
  if (found == channels_.end() || !found->second.open || !is_member(transfer.from) || !is_member(transfer.to))
    return tell(transfer, TransferOutcome::kDiverted, send);
  const bool added = entries_.try_emplace(transfer.id, Entry{transfer}).second;
  HARNESS_CHECK(added, "a transfer is offered twice");
  for (const WorkerId end : {transfer.from, transfer.to}) workers_.at(end).waiting.push_back(transfer.id);
  post_ready(transfer.from, send);
}

void TransferSequencer::on_ended(WorkerId worker, TransferId id, bool well, const Send& send) {
  const auto found = entries_.find(id);
  HARNESS_CHECK(found != entries_.end(), "an operation ended that was not posted");
  Entry& entry = found->second;
  const Transfer transfer = entry.transfer;
  const bool was_active = std::erase(entry.active, worker) > 0;
  HARNESS_CHECK(was_active, "an operation ended twice");
  --workers_.at(worker).outstanding;
  if (!well && worker == transfer.to) entry.missed = true;
  if (entry.active.empty()) {
    const bool missed = entry.missed;
    entries_.erase(found);
    tell(transfer, missed ? TransferOutcome::kDiverted : TransferOutcome::kDelivered, send);
  }
  if (!well) close_channel(transfer.channel, send);
  post_ready(worker, send);
}

void TransferSequencer::close_channel(ChannelId id, const Send& send) {
  Channel& channel = channels_.at(id);
  if (!channel.open) return;
  channel.open = false;

  ExchangeMessage abort{.kind = ExchangeKind::kAbort};
  abort.transfer.channel = id;
  for (const WorkerId member : channel.members) {
    abort.worker = member;
    send(abort);
  }
  std::vector<TransferId> stranded;
  for (const auto& [transfer, entry] : entries_)
    if (entry.active.empty() && entry.transfer.channel == id) stranded.push_back(transfer);
  for (const TransferId transfer : stranded) divert(transfer, send);
  for (const WorkerId member : channel.members) post_ready(member, send);
}

void TransferSequencer::post_ready(WorkerId worker, const Send& send) {
  std::vector<WorkerId> changed = {worker};
  while (!changed.empty()) {
    const std::deque<TransferId>& waiting = workers_.at(changed.back()).waiting;
    if (waiting.empty() || !may_post(entries_.at(waiting.front()).transfer)) {
      changed.pop_back();
      continue;
    }
    Entry& entry = entries_.at(waiting.front());
    const Transfer transfer = entry.transfer;
    if (workers_.at(transfer.to).room_bytes >= transfer.bytes)
      post(entry, send);
    else
      divert(transfer.id, send);
    changed.insert(changed.end(), {transfer.from, transfer.to});
  }
}

bool TransferSequencer::may_post(const Transfer& transfer) const {
  const auto is_ready = [&](WorkerId end) {
    const Worker& worker = workers_.at(end);
    return worker.waiting.front() == transfer.id && worker.outstanding < window_;
  };
  return is_ready(transfer.from) && is_ready(transfer.to);
}

void TransferSequencer::post(Entry& entry, const Send& send) {
  leave_queues(entry.transfer);
  entry.active = {entry.transfer.from, entry.transfer.to};
  workers_.at(entry.transfer.to).room_bytes -= entry.transfer.bytes;
  ExchangeMessage message{.kind = ExchangeKind::kPost, .ticket = next_ticket_++, .transfer = entry.transfer};
  for (const WorkerId end : entry.active) {
    ++workers_.at(end).outstanding;
    message.worker = end;
    send(message);
  }
}

void TransferSequencer::leave_queues(const Transfer& transfer) {
  for (const WorkerId end : {transfer.from, transfer.to}) std::erase(workers_.at(end).waiting, transfer.id);
}

void TransferSequencer::divert(TransferId id, const Send& send) {
  const Transfer transfer = entries_.extract(id).mapped().transfer;
  leave_queues(transfer);
  tell(transfer, TransferOutcome::kDiverted, send);
}

void TransferSequencer::append_state(std::vector<std::uint64_t>& words) const {
  const auto append_all = [&](const auto& values) {
    words.push_back(values.size());
    words.insert(words.end(), values.begin(), values.end());
  };
  words.push_back(next_ticket_);
  for (const auto& [id, worker] : workers_) {
    words.insert(words.end(), {id, worker.room_bytes, worker.outstanding});
    append_all(worker.waiting);
  }
  for (const auto& [id, channel] : channels_) words.insert(words.end(), {id, std::uint64_t{channel.open}});
  words.push_back(entries_.size());
  for (const auto& [id, entry] : entries_) {
    words.insert(words.end(), {id, std::uint64_t{entry.missed}});
    append_all(entry.active);
  }
}

}  // namespace harness
