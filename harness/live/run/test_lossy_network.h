// For tests: a live run over a network that loses and repeats messages.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "harness/core/random_stream.h"
#include "harness/live/protocol/message.h"
#include "harness/live/run/test_ranks_in_step.h"

namespace harness::testing {

/// Runs the cell on three ranks. One in a hundred messages that concern requests is lost or comes twice, as
/// `fate` decides. Expects that the accounting closes, and that a cell with unfinished requests is marked as
/// invalid; returns their number.
inline std::uint64_t unfinished_over_lossy_network(const RunSpec& spec, LiveRun how, RandomStream fate) {
  TestFaults network;
  network.delay_ns = kNsPerMs;
  network.copies = [&fate](int, int, std::span<const std::byte> message) {
    const double share = fate.uniform();
    const bool is_of_loops = Message(message).kind() <= MessageKind::kAbort;  // about no request
    if (is_of_loops || share > 0.01) return 1;
    return share < 0.005 ? 0 : 2;
  };
  how.params.hang_limit_s = 2;
  const RunRecord record = RanksInStep(3, std::move(network)).run(spec, how);
  EXPECT_EQ(record.sent, record.in_time + record.late + record.dropped + record.unfinished);
  if (record.unfinished > 0) {
    EXPECT_NE(record.why_invalid, "") << "a cell with a hole is no result";
  }
  return record.unfinished;
}

}  // namespace harness::testing
