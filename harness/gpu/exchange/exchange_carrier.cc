#include "harness/gpu/exchange/exchange_carrier.h"

#include <span>
#include <utility>

#include "harness/core/check.h"

namespace harness {

ExchangeCarrier::ExchangeCarrier(WorkerId worker, Parts parts)
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
