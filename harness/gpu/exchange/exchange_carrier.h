// The carrier of tensors from device to device: a worker's exchange, its lane and its memory together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/gpu/exchange/tensor_carrier.h"
#include "harness/gpu/exchange/tensor_exchange.h"
#include "harness/gpu/exchange/tensor_memory.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/exchange/transfer_lane.h"

namespace harness {

/// The exchange of one worker at work (protocol: tensor_exchange.h). It is used by one thread, the event
/// loop's. failures() lists operations that failed in the lane.
class ExchangeCarrier final : public TensorCarrier, private ExchangeWorld {
 public:
  /// The surroundings of a carrier; all must outlive it.
  struct Parts {
    TensorStore* tensors = nullptr;     ///< store of the worker, which has the sources
    TensorMemory* memory = nullptr;     ///< memory of its device
    TransferLane* lane = nullptr;       ///< lane of its device, used by this carrier alone
    TensorCarrier* messages = nullptr;  ///< carrier of diverted tensors
    TransferEvents* events = nullptr;   ///< receiver of the worker's arrivals
    std::function<void(const ExchangeMessage&)>
        send;                      ///< sends to the sequencer, in order, once; no callback
    std::uint64_t room_bytes = 0;  ///< room for arrivals, the same that the sequencer was told
  };

  ExchangeCarrier(WorkerId worker, Parts parts);

  void carry(const Transfer& transfer) override;
  /// Takes a message of the sequencer; messages come in the order in which it sent them.
  void on_message(const ExchangeMessage& message);
  /// Handles the operations that have ended in the lane. Call it when the lane wakes the loop.
  void poll();

  std::size_t enqueued() const { return exchange_.enqueued(); }
  const TensorStore& arrivals() const { return arrivals_; }
  /// Returns the reasons why operations failed, in the words of the lane, in order.
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
  Parts parts_;
  TensorStore arrivals_;
  std::map<TransferId, TensorHandle> arriving_;
  std::vector<LaneEnd> ended_;
  std::vector<std::string> failures_;
};

}  // namespace harness
