// Carriers with real bytes: each worker gets exactly the bytes that another has sent, and no store keeps
// anything.
#include "harness/gpu/exchange/exchange_carrier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/environment_error.h"
#include "harness/core/random_stream.h"
#include "harness/gpu/exchange/message_carrier.h"
#include "harness/gpu/exchange/test_fake_lane.h"
#include "harness/gpu/exchange/transfer_sequencer.h"

namespace harness {
namespace {

/// Keeps what arrives until the test drops it.
struct Inbox final : TransferEvents {
  void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) override {
    const std::span<std::byte> bytes = store.at(handle).span();
    arrived.emplace_back(transfer.id, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    held.emplace_back(&store, handle);
  }
  void drop_all() {
    for (const auto& [store, handle] : held) store->drop(handle);
    held.clear();
  }
  std::vector<std::pair<TransferId, std::string>> arrived;
  std::vector<std::pair<TensorStore*, TensorHandle>> held;
};

/// Workers with all their carriers; messages wait until the test delivers them.
class Cluster {
 public:
  Cluster(std::size_t workers, std::uint64_t room_bytes)
      : net_(workers, 1), to_worker_(workers), to_sequencer_(workers) {
    for (WorkerId id = 0; id < workers; ++id) {
      sequencer_.add_worker(id, room_bytes);
      auto worker = std::make_unique<Worker>(net_, id);
      worker->messages = std::make_unique<MessageCarrier>(
          worker->tensors, memory_,
          [this](WorkerId to, std::span<const std::byte> bytes) {
            ++diverted_;
            workers_[to]->messages->on_message(bytes);
          },
          worker->inbox);
      worker->exchange = std::make_unique<ExchangeCarrier>(
          id, ExchangeCarrier::Parts{
                  .tensors = &worker->tensors,
                  .memory = &memory_,
                  .lane = &worker->lane,
                  .messages = worker->messages.get(),
                  .events = &worker->inbox,
                  .send = [this, id](const ExchangeMessage& m) { to_sequencer_[id].push_back(m); },
                  .room_bytes = room_bytes});
      workers_.push_back(std::move(worker));
    }
  }

  void open(ChannelId channel, const std::vector<WorkerId>& members) {
    sequencer_.open_channel(channel, members);
  }
  /// Puts the bytes into the sender's store and sends them on their way.
  void carry(TransferId id, WorkerId from, WorkerId to, ChannelId channel, const std::string& bytes) {
    StoredTensor tensor = memory_.allocate(bytes.size());
    std::memcpy(tensor.data, bytes.data(), bytes.size());
    const TensorHandle source = workers_[from]->tensors.put(std::move(tensor));
    workers_[from]->exchange->carry(
        {.id = id, .source = source, .bytes = bytes.size(), .from = from, .to = to, .channel = channel});
  }
  /// Takes random steps until nothing is left to do.
  void run(RandomStream& random) {
    for (int idle = 0; idle < 200; ++idle) {
      const auto who = static_cast<WorkerId>(random.below(workers_.size()));
      const std::vector<WorkerId> ready = net_.nccl.ready();
      const bool busy = !ready.empty() || std::ranges::any_of(to_worker_, std::not_fn(&Mail::empty)) ||
                        std::ranges::any_of(to_sequencer_, std::not_fn(&Mail::empty));
      if (busy) idle = 0;
      switch (random.below(5)) {
        case 0:
          deliver(to_worker_[who], [&](const ExchangeMessage& m) { workers_[who]->exchange->on_message(m); });
          break;
        case 1:
          deliver(to_sequencer_[who], [&](const ExchangeMessage& m) {
            sequencer_.on_message(
                m, [&](const ExchangeMessage& answer) { to_worker_[answer.worker].push_back(answer); });
          });
          break;
        case 2:
          if (!ready.empty()) net_.nccl.complete(ready[random.below(ready.size())]);
          break;
        case 3:
          workers_[who]->exchange->poll();
          break;
        default:
          workers_[who]->inbox.drop_all();
      }
    }
  }
  Inbox& inbox(WorkerId worker) { return workers_[worker]->inbox; }
  ExchangeCarrier& exchange(WorkerId worker) { return *workers_[worker]->exchange; }
  int diverted() const { return diverted_; }
  void expect_nothing_left() {
    EXPECT_EQ(sequencer_.unfinished(), 0U);
    for (const auto& worker : workers_) {
      EXPECT_EQ(worker->tensors.tensors(), 0U);
      EXPECT_EQ(worker->exchange->arrivals().tensors(), 0U);
      EXPECT_EQ(worker->exchange->enqueued(), 0U);
      EXPECT_TRUE(worker->inbox.held.empty());
    }
  }

 private:
  using Mail = std::deque<ExchangeMessage>;
  struct Worker {
    Worker(FakeLaneNet& net, WorkerId id) : lane(net, id, false) {}
    TensorStore tensors;
    FakeLane lane;
    Inbox inbox;
    std::unique_ptr<MessageCarrier> messages;
    std::unique_ptr<ExchangeCarrier> exchange;
  };
  template <class Take>
  static void deliver(Mail& mail, Take take) {
    if (mail.empty()) return;
    const ExchangeMessage message = mail.front();
    mail.pop_front();
    take(message);
  }

  HostTensorMemory memory_;
  FakeLaneNet net_;
  TransferSequencer sequencer_;
  std::vector<Mail> to_worker_;
  std::vector<Mail> to_sequencer_;
  std::vector<std::unique_ptr<Worker>> workers_;
  int diverted_ = 0;
};

std::string random_bytes(RandomStream& random, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes.push_back(static_cast<char>(random.below(256)));
  return bytes;
}

TEST(ExchangeCarrier, BringsTheBytesOrHandsThemToMessages) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RandomStream random(seed, "carrier");
    Cluster cluster(4, 4000);
    cluster.open(1, {0, 1, 2, 3});
    std::map<WorkerId, std::map<TransferId, std::string>> expected;
    for (TransferId id = 0; id < 200; ++id) {
      const auto from = static_cast<WorkerId>(random.below(4));
      const auto to = static_cast<WorkerId>((from + 1 + random.below(3)) % 4);
      const std::string bytes = random_bytes(random, random.below(3000));
      const ChannelId channel = random.below(20) == 0 ? 2 : 1;  // 2 is not open
      expected[to][id] = bytes;
      cluster.carry(id, from, to, channel, bytes);
    }
    cluster.run(random);
    for (const auto& [worker, tensors] : expected) {
      const Inbox& inbox = cluster.inbox(worker);
      const std::map<TransferId, std::string> arrived(inbox.arrived.begin(), inbox.arrived.end());
      EXPECT_EQ(inbox.arrived.size(), tensors.size());
      EXPECT_EQ(arrived, tensors);
    }
    EXPECT_GT(cluster.diverted(), 0);
    EXPECT_LT(cluster.diverted(), 200);
    cluster.expect_nothing_left();
  }
}

TEST(HandleCarrier, PassesTheReferenceOn) {
  HostTensorMemory memory;
  TensorStore store;
  Inbox inbox;
  HandleCarrier carrier(store, inbox);
  const TensorHandle handle = store.put(memory.allocate(5), 2);
  carrier.carry({.id = 1, .source = handle, .bytes = 5});
  carrier.carry({.id = 2, .source = handle, .bytes = 5});
  EXPECT_EQ(inbox.arrived.size(), 2U);
  EXPECT_EQ(store.tensors(), 1U);
  inbox.drop_all();
  EXPECT_EQ(store.tensors(), 0U);
}

TEST(MessageCarrier, SaysWhenAMessageIsCut) {
  HostTensorMemory memory;
  TensorStore store;
  Inbox inbox;
  std::vector<std::byte> sent;
  MessageCarrier carrier(
      store, memory, [&](WorkerId, std::span<const std::byte> m) { sent.assign(m.begin(), m.end()); }, inbox);
  carrier.carry({.id = 1, .source = store.put(memory.allocate(5)), .bytes = 5, .to = 3});
  EXPECT_EQ(store.tensors(), 0U);
  EXPECT_THROW(carrier.on_message(std::span(sent).first(sent.size() - 1)), EnvironmentError);
  EXPECT_THROW(carrier.on_message(std::span(sent).first(3)), EnvironmentError);
  EXPECT_TRUE(inbox.arrived.empty());
  carrier.on_message(sent);
  EXPECT_EQ(inbox.arrived.size(), 1U);
  inbox.drop_all();
}

}  // namespace
}  // namespace harness
