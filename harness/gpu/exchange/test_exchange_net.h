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

/// The state that a net starts with. Its workers are 0 .. workers-1.
struct ExchangeNetParams {
  std::size_t workers = 3;
  std::uint32_t window = 2;
  std::uint64_t room_bytes = 1000;
  std::map<ChannelId, std::vector<WorkerId>> channels;
  std::vector<Transfer> transfers;    ///< ids are 0, 1, ...; each sender offers its own in this order
  std::vector<std::string> payloads;  ///< contents of the transfers, of their size
  /// Workers at which, at any moment, the communicator of their stream's first operation fails.
  std::vector<WorkerId> breaks;
  std::vector<TransferId> unplaceable;  ///< transfers whose receiver finds no memory
  /// True if ends of operations are taken, and arrived tensors freed, without delay.
  bool prompt = false;
};

/// A step that may come next.
struct NetStep {
  enum class Kind : std::uint8_t {
    kToSequencer,  ///< the first message on its way from worker `who` arrives
    kToWorker,     ///< the first message on its way to `who` arrives
    kComplete,     ///< the first send of worker `who` is received
    kTake,         ///< `who` hears of the end of an operation
    kFree,         ///< `who` frees the tensor that arrived first
    kBreak         ///< the communicator of breaks[who] fails
  };
  Kind kind = Kind::kToSequencer;
  std::uint32_t who = 0;
};

/// A net of workers and their sequencer. It is a value: copies continue in the same way.
class ExchangeNet {
 public:
  /// `params` must outlive it.
  explicit ExchangeNet(const ExchangeNetParams& params);

  /// Returns all steps that may come next; empty at the net's end.
  std::vector<NetStep> steps() const;
  void take(const NetStep& step);
  /// Returns what is wrong with the net now, or "". At its end also checks that each transfer has ended as it
  /// should, once, and that nothing is left over.
  std::string fault(bool at_end) const;
  void append_state(std::vector<std::uint64_t>& words) const;
  int count(TransferOutcome outcome) const;

 private:
  friend class NetExchangeWorld;

  struct Record {
    std::uint8_t settled = 0;
    std::uint8_t arrived = 0;  ///< number of times that the lane delivered it
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
  std::vector<std::vector<std::uint64_t>> held_;  ///< sizes of the arrived tensors
  std::vector<std::uint64_t> used_bytes_;
  std::vector<Record> records_;
  /// The transfer that the lane delivered last, by sender and receiver.
  std::map<std::pair<WorkerId, WorkerId>, TransferId> last_arrived_;
  std::string arriving_bytes_;
  std::string fault_;
  std::vector<bool> broken_;  ///< true for each of `breaks` that has happened
};

}  // namespace harness
