// Carries tensors from device to device: a worker's exchange, its lane and its memory together.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/tensor_exchange.h"
#include "harness/gpu/exchange/tensor_store.h"

namespace harness {

/// What an exchange carrier is made of; all must outlive it.
struct ExchangeParts {
  TensorStore* tensors = nullptr;                    ///< of the worker: where the sources are
  TensorMemory* memory = nullptr;                    ///< of its device
  TransferLane* lane = nullptr;                      ///< of its device, this carrier's alone
  TensorCarrier* messages = nullptr;                 ///< takes what is diverted
  TransferEvents* events = nullptr;                  ///< of the worker
  std::function<void(const ExchangeMessage&)> send;  ///< to the sequencer, in order, once; must not call back
  std::uint64_t room_bytes = 0;                      ///< for arrivals; as the sequencer was told
};

/// The exchange of one worker at work (protocol: tensor_exchange.h). One thread, the event loop's. An
/// operation that failed in the lane shows in failures().
class ExchangeCarrier final : public TensorCarrier, private ExchangeWorld {
 public:
  ExchangeCarrier(WorkerId worker, ExchangeParts parts);

  void carry(const Transfer& transfer) override;
  /// From the sequencer, in the order in which it sent them.
  void on_message(const ExchangeMessage& message);
  /// Handles what has ended in the lane. Call when the lane wakes the loop.
  void poll();

  std::size_t enqueued() const { return exchange_.enqueued(); }
  const TensorStore& arrivals() const { return arrivals_; }
  /// Why operations failed, in the words of the lane, in order.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void send(const ExchangeMessage& message) override;
  bool enqueue(std::uint64_t ticket, const Transfer& transfer) override;
  void abort(ChannelId channel) override;
  void arrived(const Transfer& transfer) override;
  void discard(const Transfer& transfer) override;
  void settled(const Transfer& transfer, TransferOutcome outcome) override;
  TensorHandle take_arrival(TransferId id);

  TensorExchange exchange_;
  ExchangeParts parts_;
  TensorStore arrivals_;
  std::map<TransferId, TensorHandle> arriving_;
  std::vector<LaneEnd> ended_;
  std::vector<std::string> failures_;
};

}  // namespace harness
