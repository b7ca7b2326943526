#include "harness/gpu/exchange/transfer_sequencer.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace harness {
namespace {

/// A sequencer of workers 0-3 that allows one outstanding operation at each, on channel 1; its messages are
/// noted.
class TransferSequencerTest : public testing::Test {
 protected:
  using Posts = std::vector<std::pair<TransferId, WorkerId>>;

  TransferSequencerTest() {
    for (WorkerId worker = 0; worker < 4; ++worker) sequencer_.add_worker(worker, 100);
    sequencer_.open_channel(1, {0, 1, 2, 3});
  }

  void offer(TransferId id, WorkerId from, WorkerId to, ChannelId channel = 1, std::uint64_t bytes = 10) {
    say({.worker = from, .transfer = {.id = id, .bytes = bytes, .from = from, .to = to, .channel = channel}});
  }
  void end(TransferId id, WorkerId worker) {
    say({.kind = ExchangeKind::kEnded, .worker = worker, .transfer = {.id = id}});
  }
  void say(const ExchangeMessage& message) {
    sequencer_.on_message(message, [this](const ExchangeMessage& answer) {
      if (answer.kind == ExchangeKind::kOutcome) outcomes_[answer.transfer.id] = answer.outcome;
      if (answer.kind != ExchangeKind::kPost) return;
      posts_.emplace_back(answer.transfer.id, answer.worker);
      tickets_[answer.transfer.id] = answer.ticket;
    });
  }

  TransferSequencer sequencer_{1};
  Posts posts_;
  std::map<TransferId, std::uint64_t> tickets_;
  std::map<TransferId, TransferOutcome> outcomes_;
};

TEST_F(TransferSequencerTest, PostsToBothEndsOnceBothAreFree) {
  offer(0, 0, 1);
  offer(1, 1, 2);
  offer(2, 2, 3);
  EXPECT_EQ(posts_, (Posts{{0, 0}, {0, 1}}));  // 1 waits for worker 1, and 2 for its turn at worker 2
  end(0, 0);
  EXPECT_EQ(posts_.size(), 2U);
  end(0, 1);
  EXPECT_EQ(posts_, (Posts{{0, 0}, {0, 1}, {1, 1}, {1, 2}}));
  end(1, 2);
  EXPECT_EQ(posts_, (Posts{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}}));
  EXPECT_LT(tickets_[0], tickets_[1]);
  EXPECT_LT(tickets_[1], tickets_[2]);
}

TEST_F(TransferSequencerTest, NoneOvertakesAnOlderOneAtAnEnd) {
  offer(0, 2, 3);
  offer(1, 2, 1);  // waits for worker 2; worker 1 is free
  for (TransferId id = 2; id < 5; ++id) offer(id, 0, 1);
  EXPECT_EQ(posts_, (Posts{{0, 2}, {0, 3}}));
  end(0, 2);
  EXPECT_EQ(posts_, (Posts{{0, 2}, {0, 3}, {1, 2}, {1, 1}}));
  end(1, 1);
  EXPECT_EQ(posts_.back(), (std::pair<TransferId, WorkerId>(2, 1)));
}

TEST_F(TransferSequencerTest, DivertsWhatHasNoRoomOrNoChannel) {
  offer(0, 0, 1, 1, 101);
  offer(1, 0, 1, 2);
  EXPECT_EQ(outcomes_, (std::map<TransferId, TransferOutcome>{{0, TransferOutcome::kDiverted},
                                                              {1, TransferOutcome::kDiverted}}));
  offer(2, 0, 1, 1, 60);
  end(2, 0);
  end(2, 1);
  EXPECT_EQ(outcomes_[2], TransferOutcome::kDelivered);
  EXPECT_EQ(sequencer_.room_bytes(1), 40U);
  offer(3, 0, 1, 1, 41);
  EXPECT_EQ(outcomes_[3], TransferOutcome::kDiverted);
  say({.kind = ExchangeKind::kFreed, .worker = 1, .transfer = {.bytes = 60}});
  offer(4, 0, 1, 1, 100);
  EXPECT_EQ(posts_.back().first, 4U);
  EXPECT_EQ(sequencer_.unfinished(), 1U);
}

TEST_F(TransferSequencerTest, AFailureClosesTheChannelForThoseThatWait) {
  offer(0, 0, 1);
  offer(1, 1, 2);
  end(0, 0);
  say({.kind = ExchangeKind::kEnded, .well = false, .worker = 1, .transfer = {.id = 0}});
  offer(2, 2, 3);
  for (const TransferId id : {0, 1, 2}) EXPECT_EQ(outcomes_.at(id), TransferOutcome::kDiverted);
  EXPECT_EQ(posts_, (Posts{{0, 0}, {0, 1}}));
  EXPECT_EQ(sequencer_.unfinished(), 0U);
}

}  // namespace
}  // namespace harness
