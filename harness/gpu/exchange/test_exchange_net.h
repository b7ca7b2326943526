// Workers that exchange tensors, their sequencer and the messages between them, one step at a time, for
// tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/gpu/exchange/tensor_exchange.h"
#include "harness/gpu/exchange/test_fake_nccl.h"
#include "harness/gpu/exchange/transfer_sequencer.h"

namespace harness {

/// What a net starts with. Workers 0 .. workers-1.
struct ExchangeNetParams {
  std::size_t workers = 3;
  std::uint32_t window = 2;
  std::uint64_t room_bytes = 1000;
  std::map<ChannelId, std::vector<WorkerId>> channels;
  std::vector<Transfer> transfers;    ///< ids 0, 1, ...; each sender offers its own in this order
  std::vector<std::string> payloads;  ///< of the transfers; their bytes
  std::vector<WorkerId>
      breaks;  ///< the communicator of its stream's first operation fails there, at any moment
  std::vector<TransferId> unplaceable;  ///< their receiver finds no memory
  bool prompt = false;  ///< ends of operations are taken, and what has arrived is freed, without delay
};

/// A step that may come next.
struct NetStep {
  enum class Kind : std::uint8_t {
    kToSequencer,  ///< the first message on its way from worker `who` arrives
    kToWorker,     ///< the first on its way to `who` arrives
    kComplete,     ///< what worker `who` sends first is received
    kTake,         ///< `who` hears of the end of an operation
    kFree,         ///< `who` frees the tensor that arrived first
    kBreak         ///< of breaks, `who`
  };
  Kind kind = Kind::kToSequencer;
  std::uint32_t who = 0;
};

/// A value: copies go on alike.
class ExchangeNet {
 public:
  /// `params` must outlive it.
  explicit ExchangeNet(const ExchangeNetParams& params);

  /// All steps that may come next; none: it is at its end.
  std::vector<NetStep> steps() const;
  void take(const NetStep& step);
  /// What is wrong with it now, or "". At its end: whether each transfer has ended as it should, once, and
  /// nothing is left over.
  std::string fault(bool at_end) const;
  void append_state(std::vector<std::uint64_t>& words) const;
  int count(TransferOutcome outcome) const;

 private:
  friend class NetExchangeWorld;

  struct Record {
    std::uint8_t settled = 0;
    std::uint8_t arrived = 0;  ///< by the lane
    TransferOutcome outcome = TransferOutcome::kDelivered;
  };

  void drain_promptly();
  void take_end(WorkerId worker);
  void free_first(WorkerId worker);
  std::string fault_of(TransferId id) const;

  const ExchangeNetParams* params_;
  TransferSequencer sequencer_;
  std::vector<TensorExchange> exchanges_;
  FakeNccl nccl_;
  std::vector<std::vector<ExchangeMessage>> to_sequencer_;
  std::vector<std::vector<ExchangeMessage>> to_worker_;
  std::vector<std::vector<std::uint64_t>> held_;  ///< sizes of what has arrived
  std::vector<std::uint64_t> used_bytes_;
  std::vector<Record> records_;
  std::map<std::pair<WorkerId, WorkerId>, TransferId> last_arrived_;  ///< by the lane, of (sender, receiver)
  std::string arriving_bytes_;
  std::string fault_;
  std::vector<bool> broken_;  ///< of breaks: it has happened
};

}  // namespace harness
