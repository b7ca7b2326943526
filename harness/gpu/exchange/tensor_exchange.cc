#include "harness/gpu/exchange/tensor_exchange.h"

#include <utility>

#include "harness/core/error.h"

namespace harness {

void TensorExchange::offer(const Transfer& transfer, ExchangeWorld& world) {
  HARNESS_CHECK(transfer.from == worker_, "a worker offers what is another's");
  world.send({.kind = ExchangeKind::kOffer, .worker = worker_, .transfer = transfer});
}

void TensorExchange::on_message(const ExchangeMessage& message, ExchangeWorld& world) {
  switch (message.kind) {
    case ExchangeKind::kPost:
      return post(message.ticket, message.transfer, world);
    case ExchangeKind::kAbort:
      return close(message.transfer.channel, world);
    case ExchangeKind::kOutcome:
      return world.settled(message.transfer, message.outcome);
    case ExchangeKind::kOffer:
    case ExchangeKind::kEnded:
    case ExchangeKind::kFreed:
      HARNESS_CHECK(false, "a worker is told what only the sequencer should hear");
  }
}

void TensorExchange::on_lane_ended(std::uint64_t ticket, bool well, ExchangeWorld& world) {
  const auto found = enqueued_.find(ticket);
  HARNESS_CHECK(found != enqueued_.end(), "an operation of the lane ended that was not enqueued");
  const Transfer transfer = found->second;
  enqueued_.erase(found);
  if (transfer.from != worker_) {
    if (well)
      world.arrived(transfer);
    else
      world.discard(transfer);
  }
  tell_ended(transfer, well, world);
}

void TensorExchange::on_freed(std::uint64_t bytes, ExchangeWorld& world) {
  ExchangeMessage message{.kind = ExchangeKind::kFreed, .worker = worker_};
  message.transfer.bytes = bytes;
  world.send(message);
}

void TensorExchange::post(std::uint64_t ticket, const Transfer& transfer, ExchangeWorld& world) {
  HARNESS_CHECK(ticket > last_ticket_, "operations are posted out of the order of their tickets");
  last_ticket_ = ticket;
  const bool closed = closed_.contains(transfer.channel);
  if (!closed && world.enqueue(ticket, transfer)) {
    enqueued_.emplace(ticket, transfer);
    return;
  }
  if (!closed) close(transfer.channel, world);
  if (transfer.from != worker_) on_freed(transfer.bytes, world);
  tell_ended(transfer, false, world);
}

void TensorExchange::close(ChannelId channel, ExchangeWorld& world) {
  if (closed_.insert(channel).second) world.abort(channel);
}

void TensorExchange::tell_ended(const Transfer& transfer, bool well, ExchangeWorld& world) {
  world.send({.kind = ExchangeKind::kEnded, .well = well, .worker = worker_, .transfer = transfer});
}

ExchangeCarrier::ExchangeCarrier(WorkerId worker, ExchangeParts parts)
    : exchange_(worker),
      parts_(std::move(parts)),
      arrivals_(parts_.room_bytes, [this](std::size_t bytes) { exchange_.on_freed(bytes, *this); }) {}

void ExchangeCarrier::carry(const Transfer& transfer) { exchange_.offer(transfer, *this); }

void ExchangeCarrier::on_message(const ExchangeMessage& message) { exchange_.on_message(message, *this); }

void ExchangeCarrier::poll() {
  ended_.clear();
  parts_.lane->take(ended_);
  for (LaneEnd& end : ended_) {
    exchange_.on_lane_ended(end.ticket, end.failure.empty(), *this);
    if (!end.failure.empty()) failures_.push_back(std::move(end.failure));
  }
}

void ExchangeCarrier::send(const ExchangeMessage& message) { parts_.send(message); }

bool ExchangeCarrier::enqueue(std::uint64_t ticket, const Transfer& transfer) {
  if (transfer.from == exchange_.worker()) {
    const StoredTensor& source = parts_.tensors->at(transfer.source);
    parts_.lane->send(ticket, transfer.channel, transfer.to, source.span());
    return true;
  }
  StoredTensor target = parts_.memory->allocate(transfer.bytes);
  if (target.owner == nullptr) return false;
  const std::span<std::byte> bytes = target.span();
  const TensorHandle handle = arrivals_.put(std::move(target));
  HARNESS_CHECK(handle != kNoTensor, "more arrives than the sequencer was told to expect");
  arriving_.emplace(transfer.id, handle);
  parts_.lane->receive(ticket, transfer.channel, transfer.from, bytes);
  return true;
}

void ExchangeCarrier::abort(ChannelId channel) { parts_.lane->abort(channel); }

void ExchangeCarrier::arrived(const Transfer& transfer) {
  parts_.events->on_arrived(transfer, arrivals_, take_arrival(transfer.id));
}

void ExchangeCarrier::discard(const Transfer& transfer) { arrivals_.drop(take_arrival(transfer.id)); }

void ExchangeCarrier::settled(const Transfer& transfer, TransferOutcome outcome) {
  if (outcome == TransferOutcome::kDiverted)
    parts_.messages->carry(transfer);
  else
    parts_.tensors->drop(transfer.source);
}

TensorHandle ExchangeCarrier::take_arrival(TransferId id) { return arriving_.extract(id).mapped(); }

}  // namespace harness
