#include "harness/gpu/exchange/tensor_exchange.h"

#include "harness/core/check.h"

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

}  // namespace harness
