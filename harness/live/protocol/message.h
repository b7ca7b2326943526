// The messages between the ranks of a live run: fixed structs, of this version only, each followed by entries
// of one type.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/environment_error.h"
#include "harness/core/types.h"
#include "harness/core/wording.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// The version of the messages, raised with every change of a struct below.
inline constexpr std::uint16_t kMessageVersion = 9;

enum class MessageKind : std::uint16_t {
  // Messages between the loops of the ranks.
  kReady,        ///< a rank has measured its clock and waits for the start
  kStart,        ///< StartMessage
  kPing,         ///< ClockMessage
  kPong,         ///< ClockMessage
  kHeartbeat,    ///< no contents
  kFinish,       ///< no contents: send your RankRecord
  kRecordPiece,  ///< RecordPieceMessage, some bytes of a packed RankRecord (rank_record.h)
  kEnd,          ///< no contents: the run is over
  kAbort,        ///< characters: the reason why the job ends
  kFail,         ///< characters: the reason why this run, and it alone, cannot go on
  // Messages from the dispatcher to the queues.
  kSetPlan,      ///< a Plan, packed
  kOpenQueue,    ///< QueueMessage
  kStartWorker,  ///< WorkerMessage: its cold start begins
  kAddWorker,    ///< WorkerMessage
  kDrainWorker,  ///< WorkerMessage, `closes`
  kDeliver,      ///< DeliverMessage, the bytes that the client has sent
  kCancel,       ///< VisitMessage
  kLoseWorkers,  ///< QueueMessage, `closes`, WorkerId entries
  kPublish,      ///< ValuesMessage, double entries; queue kNone: to all of the module's queues on that rank
  kExchange,     ///< the same, to the controllers, from rank 0 to itself
  kRelease,      ///< ReleaseEntry entries: tensors that nobody needs any more
  // Messages from the queues to the dispatcher.
  kWorkerReady,     ///< WorkerMessage: its cold start is over
  kBatchDone,       ///< BatchMessage, BatchEntry entries
  kBatchLost,       ///< the same: its worker was lost
  kBatchUnheard,    ///< the same: an injected fault has lost the notice, and only the accounting learns of it
  kBatchPreempted,  ///< BatchMessage: it stopped early, its visits wait again; only the accounting learns of
                    ///< it
  kDropped,         ///< VisitMessage
  kCancelled,       ///< VisitMessage
  kReturned,        ///< VisitMessage
  kWorkerGone,      ///< WorkerMessage
  kReport,          ///< ValuesMessage, double entries
  // Messages between the rank that hosts a queue and the ranks that host its other workers.
  kRunBatch,    ///< RunMessage; with payload RunEntry entries
  kPreempt,     ///< RunMessage
  kBatchEnded,  ///< RunMessage
  // Messages between the rank that needs a tensor and the one that keeps it.
  kFetch,       ///< FetchMessage
  kTensor,      ///< a Transfer and the bytes (MessageCarrier)
  kTensorGone,  ///< FetchMessage: it is not kept there
  // Messages between the GPUs' exchanges and rank 0, with devices that exchange tensors by themselves.
  kTransfer,       ///< ExchangeMessage
  kMakeChannel,    ///< ChannelMessage: make its id
  kChannelId,      ///< ChannelMessage, the id's bytes
  kJoinChannel,    ///< ChannelMessage, the id's bytes
  kChannelJoined,  ///< ChannelMessage, characters: why the GPU could not join; none: it has joined
};

/// A message that has arrived, which is read from the front. Throws EnvironmentError if the message is too
/// short or of another version.
class Message {
 public:
  /// The beginning of each message, before the fixed struct of its kind.
  struct Header {
    MessageKind kind = MessageKind::kHeartbeat;
    std::uint16_t version = kMessageVersion;
    std::uint32_t run = 0;  ///< number of the live run in this job
  };

  explicit Message(std::span<const std::byte> bytes) : bytes_(bytes), header_(read<Header>()) {
    if (header_.version != kMessageVersion)
      throw EnvironmentError("a rank of another version of harness takes part");
  }

  MessageKind kind() const { return header_.kind; }
  std::uint32_t run() const { return header_.run; }

  template <class Fixed>
  Fixed read() {
    static_assert(std::is_trivially_copyable_v<Fixed>);
    if (bytes_.size() < sizeof(Fixed)) throw EnvironmentError("a message between ranks is too short");
    Fixed fixed;
    std::memcpy(&fixed, bytes_.data(), sizeof fixed);
    bytes_ = bytes_.subspan(sizeof fixed);
    return fixed;
  }

  /// Reads everything that is left, as entries; replaces `entries`.
  template <class Entry>
  void read_all(std::vector<Entry>& entries) {
    static_assert(std::is_trivially_copyable_v<Entry>);
    if (bytes_.size() % sizeof(Entry) != 0) throw EnvironmentError("a message between ranks is cut");
    entries.resize(bytes_.size() / sizeof(Entry));
    if (!entries.empty()) std::memcpy(entries.data(), bytes_.data(), bytes_.size());
    bytes_ = {};
  }

  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  Header header_;
};

struct StartMessage {
  TimeNs start_ns = 0;  ///< rank 0's steady clock when the load starts
};

struct ClockMessage {
  TimeNs asked_ns = 0;     ///< time of the question on the asking rank's clock
  TimeNs answered_ns = 0;  ///< time of the answer on rank 0's clock
};

/// A piece of a packed RankRecord. The pieces are sent in order.
struct RecordPieceMessage {
  std::uint64_t at = 0;    ///< offset of the piece in the record, in bytes
  std::uint64_t size = 0;  ///< bytes of the whole record
};

struct QueueMessage {
  QueueId queue = 0;
  std::uint32_t gpu = 0;  ///< GPU of the queue's first worker
  GroupId group = 0;
  std::uint8_t closes = 0;
  std::uint8_t acknowledges = 0;  ///< kOpenQueue: 1 if the router counts what leaves the queue
                                  ///< (Router::needs_outstanding)
};

struct WorkerMessage {
  WorkerId worker = 0;
  QueueId queue = 0;
  std::uint32_t slot = 0;
  std::uint32_t gpu = 0;
  GroupId group = 0;
  std::uint16_t closes = 0;
  std::uint32_t padding = 0;
  TimeNs cold_start_ns = 0;  ///< kStartWorker: duration of the cold start
};

struct DeliverMessage {
  Visit visit;
  TimeNs sent_ns = 0;  ///< time at which the dispatcher sent this
  QueueId queue = 0;
  std::uint16_t index = 0;
  std::uint16_t parent = 0;
  std::uint16_t counted = 0;
  std::uint16_t source = 0;  ///< TensorKey::index of the tensor that the visit needs ...
  /// ... and the rank that keeps it; kNone: the visit needs none, or the bytes are in this message. For a
  /// client's tensor (kClientTensor) it is the rank that gets this message: it makes the tensor itself.
  std::uint32_t source_rank = kNone;
};

struct VisitMessage {
  TimeNs at_ns = 0;
  RequestId request = 0;
  TimeNs arrived_ns = 0;
  TimeNs told_ns = 0;  ///< time at which the router hears of it: 0: at once; later or kNever: by an injected
                       ///< fault
  VisitId visit = 0;
  QueueId queue = kNone;  ///< queue at which the visit was
  std::uint16_t index = 0;
  std::uint16_t counted = 0;
  DropReason reason = DropReason::kExpired;
  std::uint8_t padding[3] = {};
};

struct BatchMessage {
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
  TimeNs service_gpu_ns = kNever;
  TimeNs told_ns = 0;  ///< time as in VisitMessage::told_ns, if the batch is lost
  WorkerId worker = 0;
  std::uint32_t held = 0;  ///< 1 if an injected fault has held this message back
  ModuleId module = 0;
  std::uint16_t padding = 0;
  std::uint32_t preempted = 0;  ///< kBatchPreempted: number of this preemption among the worker's, from 1
};

struct BatchEntry {
  RequestId request = 0;
  TimeNs arrived_ns = 0;
  TimeNs joined_ns = 0;
  VisitId visit = 0;
  std::uint16_t index = 0;
  std::uint16_t padding = 0;
};

struct ValuesMessage {
  QueueId queue = 0;
  ModuleId module = 0;
  std::uint16_t padding = 0;
};

struct RunMessage {
  TimeNs profile_ns = 0;
  TimeNs handover_ns = 0;
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
  WorkerId worker = 0;
  std::uint32_t gpu = 0;
  ModuleId module = 0;
  std::uint16_t preempted = 0;  ///< kBatchEnded: 1 if it stopped early
  std::uint32_t padding = 0;
};

struct RunEntry {
  RequestId request = 0;
  std::uint32_t source_rank = kNone;  ///< rank as in DeliverMessage::source_rank
  std::uint16_t source = 0;
  std::uint16_t index = 0;
  ModuleId module = 0;
  std::uint16_t padding[3] = {};
};

struct FetchMessage {
  std::uint64_t id = 0;  ///< a TransferId, chosen by the rank that asks
  RequestId request = 0;
  std::uint64_t bytes = 0;  ///< number of bytes wanted, from the front
  std::uint16_t index = 0;
  ModuleId module = 0;        ///< module that needs the tensor ...
  std::uint32_t gpu = kNone;  ///< ... on this GPU, into whose memory it may come; kNone: it comes to the
                              ///< host's memory
};

/// The largest number of GPUs in a channel.
inline constexpr std::size_t kMaxMembers = 256;

struct ChannelMessage {
  std::uint32_t channel = 0;
  ModuleId from = 0;  ///< module whose visits leave the tensors ...
  ModuleId to = 0;    ///< ... for the visits of this one
  std::uint32_t gpu = kNone;
  std::uint32_t members = 0;
  std::uint32_t gpus[kMaxMembers] = {};
};

struct ReleaseEntry {
  RequestId request = 0;
  std::uint16_t index = 0;
  std::uint16_t lost = 0;  ///< 1 if the visit's batch was lost, and may not have ended or begun yet
  std::uint32_t padding = 0;
};

/// The fixed part of a message that is nothing but a header.
struct NoContents {};

}  // namespace harness
