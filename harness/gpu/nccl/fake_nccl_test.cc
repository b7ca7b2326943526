// Two GPUs on two ranks, by the fakes of CUDA and NCCL: each rank gets exactly what the other sends, whatever
// fails, and nothing is left behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/gpu/cuda/test_fake_cuda.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/exchange/exchange_carrier.h"
#include "harness/gpu/exchange/message_carrier.h"
#include "harness/gpu/exchange/tensor_memory.h"
#include "harness/gpu/exchange/transfer_sequencer.h"
#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/nccl/device_tensor_memory.h"
#include "harness/gpu/nccl/nccl_exchange.h"
#include "harness/gpu/nccl/nccl_lane.h"
#include "harness/gpu/nccl/test_fake_nccl_library.h"

namespace harness {
namespace {

using Bytes = std::vector<std::byte>;
using Lines = std::vector<std::string>;

constexpr ChannelId kChannel = 1;
constexpr std::uint64_t kRoomBytes = 100'000;

/// Repeats `step` until `done` for at most 60 s.
bool repeat_until(
    const std::function<bool()>& done, const std::function<void()>& step = [] {}) {
  for (int turn = 0; turn < 60'000; ++turn) {
    step();
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

Bytes random_tensor(RandomStream& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}

/// One rank with a GPU. The test carries its messages and stands for both event loops.
class Rank : private TransferEvents {
 public:
  using Mail = std::deque<ExchangeMessage>;

  Rank(WorkerId self, std::function<void(std::span<const std::byte>)> send)
      : exchange_(make_nccl_exchange(static_cast<int>(self), self, {})),
        by_message_(
            no_sources_, host_, [](WorkerId, std::span<const std::byte>) {}, *this),
        diverted_(
            sources_, *exchange_.memory,
            [send = std::move(send)](WorkerId, std::span<const std::byte> bytes) { send(bytes); }, *this),
        carrier_(self, {.tensors = &sources_,
                        .memory = exchange_.memory.get(),
                        .lane = exchange_.lane.get(),
                        .messages = &diverted_,
                        .events = this,
                        .send = [this](const ExchangeMessage& message) { to_sequencer.push_back(message); },
                        .room_bytes = kRoomBytes}) {}
  ~Rank() { exchange_.lane.reset(); }

  void carry(Transfer transfer, const Bytes& bytes) {
    StoredTensor tensor = exchange_.memory->allocate(bytes.size());
    exchange_.memory->copy_from_host(bytes, tensor);
    transfer.source = sources_.put(std::move(tensor));
    carrier_.carry(transfer);
  }
  void take_message(std::span<const std::byte> bytes) { by_message_.on_message(bytes); }
  void step() {
    try {
      while (!to_rank.empty()) {
        const ExchangeMessage message = to_rank.front();
        to_rank.pop_front();
        carrier_.on_message(message);
      }
      carrier_.poll();
    } catch (const DeviceError& error) {
      failures.emplace_back(error.what());
    }
  }
  bool is_quiet() const { return to_sequencer.empty() && to_rank.empty() && carrier_.enqueued() == 0; }
  ChannelLane& lane() { return *exchange_.lane; }
  const Lines& lane_failures() const { return carrier_.failures(); }

  Mail to_sequencer;
  Mail to_rank;
  std::map<TransferId, Bytes> arrived;
  std::size_t by_device = 0;
  Lines failures;  ///< errors with which the event loop would end

 private:
  void on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) override {
    const bool on_device = &store == &carrier_.arrivals();
    by_device += on_device ? 1 : 0;
    const StoredTensor tensor = store.at(handle);
    Bytes bytes(tensor.bytes);
    TensorMemory& memory = on_device ? *exchange_.memory : static_cast<TensorMemory&>(host_);
    memory.copy_to_host(tensor, bytes);
    EXPECT_TRUE(arrived.emplace(transfer.id, std::move(bytes)).second) << "once";
    store.drop(handle);
  }

  DeviceExchange exchange_;
  HostTensorMemory host_;
  TensorStore sources_;
  TensorStore no_sources_;
  MessageCarrier by_message_;
  MessageCarrier diverted_;
  ExchangeCarrier carrier_;
};

class FakeNccl2 : public testing::Test {
 protected:
  void SetUp() override {
    fake_cuda::reset();
    for (WorkerId self = 0; self < 2; ++self) {
      sequencer_.add_worker(self, kRoomBytes);
      ranks_.at(self) = std::make_unique<Rank>(self, [this, self](std::span<const std::byte> bytes) {
        if (ranks_.at(1 - self)) ranks_.at(1 - self)->take_message(bytes);
      });
    }
  }
  void TearDown() override {
    ranks_ = {};
    EXPECT_EQ(fake_nccl::reset(), 0);
    EXPECT_EQ(fake_cuda::reset(), Lines());
  }

  /// Has both ranks join the channel; returns the reasons if one cannot.
  Lines open() {
    const std::vector<std::byte> id = make_nccl_channel_id();
    for (const auto& rank : ranks_) rank->lane().open(kChannel, id, {0, 1});
    Lines why;
    std::size_t told = 0;
    EXPECT_TRUE(repeat_until([&] { return told == 2 || !why.empty(); },
                             [&] {
                               for (const auto& rank : ranks_)
                                 for (const auto& [channel, failure] : rank->lane().opened()) {
                                   ++told;
                                   if (!failure.empty()) why.push_back(failure);
                                 }
                             }));
    if (why.empty()) sequencer_.open_channel(kChannel, {0, 1});
    return why;
  }
  /// Sends `count` tensors, each from a random rank to the other.
  void carry(TransferId count) {
    for (TransferId i = 0; i < count; ++i) {
      const auto from = static_cast<WorkerId>(random_.below(2));
      const Bytes bytes = random_tensor(random_, random_.below(3000));
      const TransferId id = ++last_;
      sent_[id] = bytes;
      if (!ranks_.at(from)) continue;
      try {
        ranks_.at(from)->carry(
            {.id = id, .bytes = bytes.size(), .from = from, .to = 1 - from, .channel = kChannel}, bytes);
      } catch (const DeviceError& error) {
        ranks_.at(from)->failures.emplace_back(error.what());
      }
    }
  }
  void step() {
    for (const auto& rank : ranks_) {
      if (!rank) continue;
      rank->step();
      while (!rank->to_sequencer.empty()) {
        const ExchangeMessage message = rank->to_sequencer.front();
        rank->to_sequencer.pop_front();
        sequencer_.on_message(message, [this](const ExchangeMessage& answer) {
          if (ranks_.at(answer.worker)) ranks_.at(answer.worker)->to_rank.push_back(answer);
        });
      }
    }
  }
  /// Runs until all is carried, or until the event loop of a rank has ended with an error: that rank goes
  /// away, as its process would, and the other must not hang.
  void run() {
    const auto has_failed = [](const std::unique_ptr<Rank>& rank) { return rank && !rank->failures.empty(); };
    const auto is_quiet = [](const std::unique_ptr<Rank>& rank) { return !rank || rank->is_quiet(); };
    EXPECT_TRUE(repeat_until(
        [&] {
          return std::ranges::any_of(ranks_, has_failed) ||
                 ((sequencer_.unfinished() == 0 || !ended_.empty()) && std::ranges::all_of(ranks_, is_quiet));
        },
        [&] { step(); }));
    for (std::unique_ptr<Rank>& rank : ranks_) {
      if (!has_failed(rank)) continue;
      note(*rank);
      ended_.insert(ended_.end(), rank->failures.begin(), rank->failures.end());
      rank.reset();
      EXPECT_TRUE(repeat_until([&] { return std::ranges::all_of(ranks_, is_quiet); }, [&] { step(); }));
    }
  }
  void note(const Rank& rank) {
    for (const auto& [id, bytes] : rank.arrived) {
      EXPECT_EQ(bytes, sent_.at(id)) << id;
      arrived_.insert(id);
    }
  }
  /// Checks that each rank got what was sent; returns how many tensors arrived.
  std::size_t count_arrived() {
    for (const auto& rank : ranks_)
      if (rank) note(*rank);
    return arrived_.size();
  }
  std::size_t by_device() const { return ranks_[0]->by_device + ranks_[1]->by_device; }

  const std::uint64_t seed_ = fresh_seed();
  RandomStream random_{seed_, "fake nccl"};
  TransferSequencer sequencer_;
  std::array<std::unique_ptr<Rank>, 2> ranks_;
  std::map<TransferId, Bytes> sent_;
  std::set<TransferId> arrived_;
  Lines ended_;  ///< errors with which the event loops of ranks ended
  TransferId last_ = 0;
};

TEST_F(FakeNccl2, TensorsGoBothWaysFromGpuToGpu) {
  SCOPED_TRACE(seed_text(seed_));
  ASSERT_EQ(open(), Lines());
  carry(200);
  run();
  EXPECT_EQ(count_arrived(), 200U);
  EXPECT_GT(by_device(), 0U);
  for (const auto& rank : ranks_) EXPECT_EQ(rank->lane_failures(), Lines());
  EXPECT_EQ(ended_, Lines());
}

TEST_F(FakeNccl2, MemoryForATensorIsHadWithoutWaiting) {
  DeviceTensorMemory memory(0);
  const int before = fake_cuda::calls("cudaStreamSynchronize") + fake_cuda::calls("cudaEventSynchronize");
  fake_cuda::hold();
  const StoredTensor tensor = memory.allocate(1000);
  ASSERT_NE(tensor.owner, nullptr);
  EXPECT_EQ(fake_cuda::calls("cudaStreamSynchronize") + fake_cuda::calls("cudaEventSynchronize"), before);
  EXPECT_FALSE(fake_cuda::is_usable(tensor.data, tensor.bytes)) << "not yet";
  EXPECT_FALSE(memory.allocated()->passed());
  fake_cuda::release();
}

// A receive waits for its memory, and a send for the copy of a batch's output in the host's memory, but the
// event loop waits for neither.
TEST_F(FakeNccl2, OperationsWaitForMemoryAndCopies) {
  ASSERT_EQ(open(), Lines());
  sequencer_ = TransferSequencer();  // not asked: the lanes are used as they are
  DeviceTensorMemory source(0);
  const Bytes bytes = random_tensor(random_, 1000);
  const DeviceExchange other = make_nccl_exchange(1, 2, {});
  NcclLane sender(0, 3, {}, source.allocated());
  const std::vector<std::byte> id = make_nccl_channel_id();
  sender.open(2, id, {2, 3});
  other.lane->open(2, id, {2, 3});
  std::size_t joined = 0;
  ASSERT_TRUE(repeat_until([&] { return joined == 2; },
                           [&] { joined += sender.opened().size() + other.lane->opened().size(); }));
  auto left = std::make_shared<Bytes>(bytes);
  left->resize(bytes.size() + 100);
  const int before = fake_cuda::calls("cudaStreamSynchronize") + fake_cuda::calls("cudaEventSynchronize");
  fake_cuda::hold("cudaMallocAsync");
  const StoredTensor from = source.copy_for_lane({left->data(), left->size(), left}, bytes.size());
  left.reset();
  const StoredTensor to = other.memory->allocate(bytes.size());
  sender.send(1, 2, 2, from.span());
  other.lane->receive(2, 2, 3, to.span());
  ASSERT_TRUE(
      repeat_until([&] { return fake_cuda::calls("ncclRecv") > 0 && fake_cuda::calls("ncclSend") > 0; }));
  // An operation that does not wait has time to fail.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(fake_cuda::calls("cudaStreamSynchronize") + fake_cuda::calls("cudaEventSynchronize"), before);
  fake_cuda::release();
  std::vector<LaneEnd> ends;
  ASSERT_TRUE(repeat_until([&] { return ends.size() == 2; },
                           [&] {
                             sender.take(ends);
                             other.lane->take(ends);
                           }));
  for (const LaneEnd& end : ends) EXPECT_EQ(end.failure, "");
  Bytes back(bytes.size());
  other.memory->copy_to_host(to, back);
  EXPECT_EQ(back, bytes);
}

TEST_F(FakeNccl2, TwoMembersOnOneGpuAreRefused) {
  NcclLane one(0, 5, {});
  NcclLane other(0, 6, {});
  const std::vector<std::byte> id = make_nccl_channel_id();
  one.open(2, id, {5, 6});
  other.open(2, id, {5, 6});
  Lines why;
  ASSERT_TRUE(repeat_until([&] { return why.size() == 2; },
                           [&] {
                             for (NcclLane* lane : {&one, &other})
                               for (const auto& [channel, failure] : lane->opened()) why.push_back(failure);
                           }));
  for (const std::string& line : why)
    EXPECT_EQ(line.rfind("device cuda:0: ncclCommInitRankConfig by worker ", 0), 0U) << line;
}

/// A lost GPU fails the transfers that it takes part in; the other rank gets all that was sent before, and no
/// rank hangs.
TEST_F(FakeNccl2, AGpuIsLostInTheMiddle) {
  SCOPED_TRACE(seed_text(seed_));
  ASSERT_EQ(open(), Lines());
  carry(20);
  run();
  ASSERT_EQ(count_arrived(), 20U);
  carry(50);
  for (std::uint64_t steps = random_.below(10); steps > 0; --steps) step();
  fake_cuda::lose(1);
  run();
  carry(10);
  run();
  EXPECT_LE(count_arrived(), 80U);
  ASSERT_FALSE(ended_.empty());
  for (const std::string& line : ended_) EXPECT_EQ(line.rfind("device cuda:1: ", 0), 0U) << line;
  EXPECT_TRUE(ranks_[0]) << "its own GPU is well";
}

/// Whatever call fails, at whatever time: each tensor that can be sent arrives by message, or a line says why
/// not.
TEST_F(FakeNccl2, EveryErrorOfEveryCallIsTold) {
  SCOPED_TRACE(seed_text(seed_));
  for (const char* const name :
       {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommGetAsyncError", "ncclSend", "ncclRecv",
        "cudaMallocAsync", "cudaMemcpyAsync", "cudaEventRecord", "cudaStreamWaitEvent", "cudaEventQuery",
        "cudaEventCreateWithFlags"}) {
    for (int round = 0; round < 5; ++round) {
      TearDown();
      sent_.clear();
      arrived_.clear();
      ended_.clear();
      sequencer_ = TransferSequencer();
      SetUp();
      const auto skip = static_cast<int>(random_.below(20));
      SCOPED_TRACE(std::string(name) + " after " + std::to_string(skip));
      if (name[0] == 'n')
        fake_nccl::fail(name, ncclSystemError, skip);
      else
        fake_cuda::fail(name, cudaErrorInvalidValue, skip);
      try {
        const Lines why = open();
        for (const std::string& line : why) EXPECT_EQ(line.rfind("device cuda:", 0), 0U) << line;
        if (!why.empty()) continue;
      } catch (const DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find("ncclGetUniqueId"), std::string::npos);
        continue;
      }
      carry(30);
      run();
      if (ended_.empty()) {
        EXPECT_EQ(count_arrived(), 30U);
      }
      for (const std::string& line : ended_) EXPECT_NE(line.find(name), std::string::npos) << line;
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace harness
