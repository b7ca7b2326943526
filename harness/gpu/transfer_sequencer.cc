#include "harness/gpu/transfer_sequencer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/error.h"

namespace harness {

TransferSequencer::TransferSequencer(std::uint32_t window) : window_(window) {
  HARNESS_CHECK(window > 0, "an exchange without a window would never post");
}

void TransferSequencer::add_worker(WorkerId worker, std::uint64_t room_bytes) {
  const bool added = workers_.try_emplace(worker, Worker{{}, room_bytes, 0, false}).second;
  HARNESS_CHECK(added, "a worker is added twice to the exchange");
}

void TransferSequencer::open_channel(ChannelId channel, std::vector<WorkerId> members) {
  for (const WorkerId member : members)
    HARNESS_CHECK(!workers_.at(member).lost, "a channel of a lost worker");
  const bool opened = channels_.try_emplace(channel, Channel{std::move(members)}).second;
  HARNESS_CHECK(opened, "a channel is opened twice");
}

void TransferSequencer::close_channel(ChannelId channel, SequencerWorld& world) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || !found->second.open) return;
  found->second.open = false;
  const std::vector<WorkerId>& members = found->second.members;

  ExchangeMessage abort{.kind = ExchangeKind::kAbort};
  abort.transfer.channel = channel;
  for (const WorkerId member : members) {
    abort.worker = member;
    world.send(abort);
  }
  std::vector<TransferId> stranded;
  for (const auto& [id, entry] : entries_)
    if (!entry.posted && entry.transfer.channel == channel) stranded.push_back(id);
  for (const TransferId id : stranded) finish_unposted(id, outcome_without_channel(entries_.at(id)), world);
  for (const WorkerId member : members) post_ready(member, world);
}

void TransferSequencer::on_message(const ExchangeMessage& message, SequencerWorld& world) {
  const auto speaker = workers_.find(message.worker);
  const bool heard = speaker != workers_.end() && !speaker->second.lost;
  switch (message.kind) {
    case ExchangeKind::kOffer:
      return offer(message.transfer, world);
    case ExchangeKind::kCancel:
      return cancel(message.transfer.id, world);
    case ExchangeKind::kEnded:
      if (heard) on_ended(message.worker, message.transfer.id, message.well, world);
      return;
    case ExchangeKind::kFreed:
      if (heard) speaker->second.room_bytes += message.transfer.bytes;
      return;
    case ExchangeKind::kPost:
    case ExchangeKind::kAbort:
    case ExchangeKind::kOutcome:
      HARNESS_CHECK(false, "the sequencer is told what only it says");
  }
}

void TransferSequencer::on_lost(WorkerId lost, SequencerWorld& world) {
  Worker& worker = workers_.at(lost);
  if (worker.lost) return;
  worker.lost = true;

  std::vector<ChannelId> broken;
  for (const auto& [id, channel] : channels_)
    if (std::ranges::count(channel.members, lost) > 0) broken.push_back(id);
  for (const ChannelId channel : broken) close_channel(channel, world);

  std::vector<TransferId> half;
  for (const auto& [id, entry] : entries_)
    if (std::ranges::count(entry.active, lost) > 0) half.push_back(id);
  for (const TransferId id : half) end_part(entries_.at(id), lost, false, world);
}

void TransferSequencer::offer(const Transfer& transfer, SequencerWorld& world) {
  HARNESS_CHECK(transfer.from != transfer.to, "a transfer to its own sender");
  Entry entry{.transfer = transfer, .ends = {transfer.from}, .active = {}, .missed = {}};
  const auto found = channels_.find(transfer.channel);
  const auto is_member = [&](WorkerId worker) {
    return std::ranges::count(found->second.members, worker) > 0;
  };
  const bool broadcasts = transfer.to == kAllMembers;
  const bool known =
      found != channels_.end() && is_member(transfer.from) && (broadcasts || is_member(transfer.to));
  if (!broadcasts)
    entry.ends.push_back(transfer.to);
  else if (known)
    std::ranges::copy_if(found->second.members, std::back_inserter(entry.ends),
                         [&](WorkerId member) { return member != transfer.from; });
  const auto [place, added] = entries_.try_emplace(transfer.id, std::move(entry));
  HARNESS_CHECK(added, "a transfer is offered twice");
  if (!known || !found->second.open)
    return finish_unposted(transfer.id, outcome_without_channel(place->second), world);

  for (const WorkerId end : place->second.ends) workers_.at(end).waiting.push_back(transfer.id);
  post_ready(transfer.from, world);
}

void TransferSequencer::cancel(TransferId id, SequencerWorld& world) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  if (found->second.posted) {
    found->second.cancelled = true;
    return;
  }
  const std::vector<WorkerId> ends = found->second.ends;
  finish_unposted(id, TransferOutcome::kCancelled, world);
  for (const WorkerId end : ends) post_ready(end, world);
}

void TransferSequencer::on_ended(WorkerId worker, TransferId id, bool well, SequencerWorld& world) {
  const auto found = entries_.find(id);
  HARNESS_CHECK(found != entries_.end(), "an operation ended that was not posted");
  const ChannelId channel = found->second.transfer.channel;
  end_part(found->second, worker, well, world);
  if (!well) close_channel(channel, world);
  post_ready(worker, world);
}

void TransferSequencer::post_ready(WorkerId worker, SequencerWorld& world) {
  std::vector<WorkerId> changed = {worker};
  while (!changed.empty()) {
    const std::deque<TransferId>& waiting = workers_.at(changed.back()).waiting;
    if (waiting.empty() || !may_post(entries_.at(waiting.front()))) {
      changed.pop_back();
      continue;
    }
    Entry& entry = entries_.at(waiting.front());
    const std::vector<WorkerId> ends = entry.ends;
    if (has_room(entry))
      post(entry, world);
    else
      finish_unposted(entry.transfer.id, TransferOutcome::kDiverted, world);
    changed.insert(changed.end(), ends.begin(), ends.end());
  }
}

bool TransferSequencer::may_post(const Entry& entry) const {
  return std::ranges::all_of(entry.ends, [&](WorkerId end) {
    const Worker& worker = workers_.at(end);
    return worker.waiting.front() == entry.transfer.id && worker.outstanding < window_ && !worker.lost;
  });
}

bool TransferSequencer::has_room(const Entry& entry) const {
  return std::all_of(entry.ends.begin() + 1, entry.ends.end(), [&](WorkerId receiver) {
    return workers_.at(receiver).room_bytes >= entry.transfer.bytes;
  });
}

void TransferSequencer::post(Entry& entry, SequencerWorld& world) {
  leave_queues(entry);
  entry.posted = true;
  entry.active = entry.ends;
  ExchangeMessage message{.kind = ExchangeKind::kPost, .ticket = next_ticket_++, .transfer = entry.transfer};
  for (const WorkerId end : entry.ends) {
    Worker& worker = workers_.at(end);
    ++worker.outstanding;
    if (end != entry.transfer.from) worker.room_bytes -= entry.transfer.bytes;
    message.worker = end;
    world.send(message);
  }
}

void TransferSequencer::leave_queues(const Entry& entry) {
  for (const WorkerId end : entry.ends)
    if (const auto worker = workers_.find(end); worker != workers_.end())
      std::erase(worker->second.waiting, entry.transfer.id);
}

void TransferSequencer::end_part(Entry& entry, WorkerId worker, bool well, SequencerWorld& world) {
  const bool was_active = std::erase(entry.active, worker) > 0;
  HARNESS_CHECK(was_active, "an operation ended twice");
  --workers_.at(worker).outstanding;
  if (!well && worker != entry.transfer.from) entry.missed.push_back(worker);
  if (!entry.active.empty()) return;
  TransferOutcome outcome = TransferOutcome::kDelivered;
  if (!entry.missed.empty())
    outcome = entry.cancelled ? TransferOutcome::kCancelled : outcome_without_channel(entry);
  finish(entry.transfer.id, outcome, world);
}

void TransferSequencer::finish_unposted(TransferId id, TransferOutcome outcome, SequencerWorld& world) {
  Entry& entry = entries_.at(id);
  leave_queues(entry);
  entry.missed.assign(entry.ends.begin() + 1, entry.ends.end());
  finish(id, outcome, world);
}

void TransferSequencer::finish(TransferId id, TransferOutcome outcome, SequencerWorld& world) {
  const Entry entry = std::move(entries_.extract(id).mapped());
  ExchangeMessage message{.kind = ExchangeKind::kOutcome,
                          .outcome = outcome,
                          .worker = entry.transfer.from,
                          .transfer = entry.transfer};
  world.send(message);
  for (const WorkerId receiver : entry.missed) {
    message.worker = receiver;
    world.send(message);
  }
  world.finished(entry.transfer, outcome);
}

TransferOutcome TransferSequencer::outcome_without_channel(const Entry& entry) const {
  const bool lost = std::ranges::any_of(entry.ends, [&](WorkerId end) {
    const auto worker = workers_.find(end);
    return worker != workers_.end() && worker->second.lost;
  });
  return lost ? TransferOutcome::kPeerLost : TransferOutcome::kDiverted;
}

void TransferSequencer::append_state(std::vector<std::uint64_t>& words) const {
  const auto append_all = [&](const auto& values) {
    words.push_back(values.size());
    words.insert(words.end(), values.begin(), values.end());
  };
  words.push_back(next_ticket_);
  for (const auto& [id, worker] : workers_) {
    words.insert(words.end(), {id, worker.room_bytes, worker.outstanding, std::uint64_t{worker.lost}});
    append_all(worker.waiting);
  }
  for (const auto& [id, channel] : channels_) words.insert(words.end(), {id, std::uint64_t{channel.open}});
  words.push_back(entries_.size());
  for (const auto& [id, entry] : entries_) {
    words.insert(words.end(), {id, std::uint64_t{entry.posted}, std::uint64_t{entry.cancelled}});
    append_all(entry.active);
    append_all(entry.missed);
  }
}

}  // namespace harness
