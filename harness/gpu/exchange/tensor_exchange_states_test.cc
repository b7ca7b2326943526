// The exchange's protocol in all interleavings of small cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/hash.h"
#include "harness/gpu/exchange/test_exchange_net.h"
#include "harness/gpu/exchange/test_naive_net.h"

namespace harness {
namespace {

struct Search {
  std::set<std::array<std::uint64_t, 2>> seen;  ///< states, by 128 bits of hash
  std::size_t ends = 0;
  std::size_t steps = 0;
  std::string fault;                      ///< first fault that was found
  std::set<std::array<int, 2>> outcomes;  ///< numbers of delivered and diverted transfers, of all ends
};

std::array<std::uint64_t, 2> hash_of(const std::vector<std::uint64_t>& words) {
  std::array<std::uint64_t, 2> hash = {words.size(), ~words.size()};
  for (const std::uint64_t word : words) {
    hash[0] = mix64(hash[0] * 0x9e3779b97f4a7c15ULL + word);
    hash[1] = mix64((hash[1] ^ word) * 0xd6e8feb86659fd93ULL + 1);
  }
  return hash;
}

void note_outcomes(const ExchangeNet& net, Search& search) {
  search.outcomes.insert({net.count(TransferOutcome::kDelivered), net.count(TransferOutcome::kDiverted)});
}
void note_outcomes(const NaiveNet&, Search&) {}

/// Visits every state that can be reached, each once.
template <class Net>
void search_from(Net net, Search& search) {
  std::vector<std::uint64_t> words;
  words.reserve(256);
  net.append_state(words);
  if (!search.fault.empty() || !search.seen.insert(hash_of(words)).second) return;
  const std::vector<NetStep> steps = net.steps();
  search.fault = net.fault(steps.empty());
  search.ends += steps.empty();
  search.steps += steps.size();
  if (steps.empty()) return note_outcomes(net, search);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    Net next = net;
    next.take(steps[i]);
    search_from(std::move(next), search);
  }
  net.take(steps.back());
  search_from(std::move(net), search);
}

template <class Net>
Search search_all(const ExchangeNetParams& params) {
  Search search;
  search_from(Net(params), search);
  return search;
}

constexpr std::uint64_t kBytes = 10;
using Ends = std::pair<WorkerId, WorkerId>;

/// Communicators for each pair of three workers, and one for all three (3).
const std::map<ChannelId, std::vector<WorkerId>> kChannels = {
    {0, {0, 1}}, {1, {0, 2}}, {2, {1, 2}}, {3, {0, 1, 2}}};

ExchangeNetParams net_of(const std::vector<Ends>& routing) {
  ExchangeNetParams params;
  params.channels = kChannels;
  for (const auto& [from, to] : routing) {
    const TransferId id = params.transfers.size();
    const ChannelId channel = from + to - 1;
    params.transfers.push_back(
        {.id = id, .source = id + 1, .bytes = kBytes, .from = from, .to = to, .channel = channel});
    params.payloads.push_back("bytes of " + std::to_string(id));
  }
  return params;
}

/// Returns the routings of `transfers` transfers between three workers; of several that differ only in the
/// workers' numbers, or in the order in which different senders are named, it returns one.
std::vector<std::vector<Ends>> routings(int transfers) {
  const std::vector<Ends> pairs = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
  const std::vector<std::array<WorkerId, 3>> renamings = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const auto canonical = [&](const std::vector<Ends>& routing) {
    std::vector<Ends> least;
    for (const auto& renaming : renamings) {
      std::vector<Ends> renamed;
      for (const auto& [from, to] : routing) renamed.emplace_back(renaming[from], renaming[to]);
      std::ranges::stable_sort(renamed, {}, &Ends::first);
      if (least.empty() || renamed < least) least = renamed;
    }
    return least;
  };
  std::set<std::vector<Ends>> found;
  std::size_t all = 1;
  for (int i = 0; i < transfers; ++i) all *= pairs.size();
  for (std::size_t code = 0; code < all; ++code) {
    std::vector<Ends> routing;
    for (std::size_t rest = code, i = 0; i < static_cast<std::size_t>(transfers); ++i, rest /= pairs.size())
      routing.push_back(pairs[rest % pairs.size()]);
    found.insert(canonical(routing));
  }
  return {found.begin(), found.end()};
}

void report(const char* what, std::size_t cases, std::size_t states, std::size_t steps) {
  std::printf("%s: %zu cases, %zu states, %zu steps\n", what, cases, states, steps);
}

/// Searches all routings of `transfers` transfers, each changed by `change`.
template <class Change>
void expect_no_fault(const char* what, int transfers, Change change) {
  std::size_t states = 0;
  std::size_t steps = 0;
  const auto cases = routings(transfers);
  for (const std::vector<Ends>& routing : cases) {
    ExchangeNetParams params = net_of(routing);
    change(params);
    const Search search = search_all<ExchangeNet>(params);
    ASSERT_EQ(search.fault, "") << testing::PrintToString(routing);
    ASSERT_GT(search.ends, 0U);
    states += search.seen.size();
    steps += search.steps;
  }
  report(what, cases.size(), states, steps);
}

TEST(TensorExchangeStates, WithoutAnOrderRoutingDecidesOnADeadlock) {
  const std::vector<std::vector<Ends>> deadly = {{{0, 1}, {1, 0}},          // on one communicator
                                                 {{0, 1}, {1, 2}, {2, 0}},  // on three
                                                 {{0, 1}, {0, 2}, {1, 2}, {2, 1}}};
  for (const std::vector<Ends>& routing : deadly) {
    ExchangeNetParams params = net_of(routing);
    params.prompt = true;
    EXPECT_EQ(search_all<NaiveNet>(params).fault, "deadlock") << testing::PrintToString(routing);
    EXPECT_EQ(search_all<ExchangeNet>(params).fault, "") << testing::PrintToString(routing);
  }
  // With transfers in one direction nothing can be wrong: the search does not call everything a deadlock.
  EXPECT_EQ(search_all<NaiveNet>(net_of({{0, 1}, {0, 1}})).fault, "");
}

TEST(TensorExchangeStates, EveryRoutingIsDelivered) {
  for (const std::uint32_t window : {1U, 3U})
    expect_no_fault(window == 1 ? "three transfers, window 1" : "three transfers, window 3", 3,
                    [&](ExchangeNetParams& params) { params.window = window; });
  const Search ring = search_all<ExchangeNet>(net_of({{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(ring.outcomes, (std::set<std::array<int, 2>>{{3, 0}}));
}

TEST(TensorExchangeStates, FourTransfersAtOnce) {
  std::size_t cases = 0;
  std::size_t states = 0;
  std::size_t steps = 0;
  for (const std::vector<Ends>& routing : std::vector<std::vector<Ends>>{{{0, 1}, {1, 2}, {2, 0}, {0, 2}},
                                                                         {{0, 1}, {0, 2}, {1, 2}, {2, 1}},
                                                                         {{0, 1}, {1, 0}, {0, 1}, {1, 0}}}) {
    ExchangeNetParams params = net_of(routing);
    params.window = 4;
    params.prompt = true;
    const Search search = search_all<ExchangeNet>(params);
    EXPECT_EQ(search.fault, "");
    ++cases;
    states += search.seen.size();
    steps += search.steps;
  }
  report("four transfers", cases, states, steps);
}

TEST(TensorExchangeStates, WithoutRoomItGoesByMessages) {
  expect_no_fault("room for one tensor at each worker", 3,
                  [](ExchangeNetParams& params) { params.room_bytes = kBytes; });
  // Two workers send to a third: the second tensor finds room only if the first has been freed; the search
  // reaches both cases.
  ExchangeNetParams params = net_of({{0, 2}, {1, 2}});
  params.room_bytes = kBytes;
  const Search search = search_all<ExchangeNet>(params);
  EXPECT_EQ(search.fault, "");
  EXPECT_EQ(search.outcomes, (std::set<std::array<int, 2>>{{2, 0}, {1, 1}}));
}

TEST(TensorExchangeStates, AnOperationFails) {
  for (const WorkerId worker : {0U, 1U, 2U})
    expect_no_fault("two transfers, an operation fails", 2,
                    [&](ExchangeNetParams& params) { params.breaks = {worker}; });
  for (const TransferId transfer : {0U, 1U})
    expect_no_fault("a receiver finds no memory", 2,
                    [&](ExchangeNetParams& params) { params.unplaceable = {transfer}; });
  // Three transfers have the same two ends: the second must not take the first one's bytes.
  ExchangeNetParams params = net_of({{0, 1}, {0, 1}, {0, 1}});
  params.unplaceable = {1};
  const Search search = search_all<ExchangeNet>(params);
  EXPECT_EQ(search.fault, "");
  // A failure on a channel ends the other transfers on that channel.
  params = net_of({{0, 1}, {1, 2}, {2, 0}});
  for (Transfer& transfer : params.transfers) transfer.channel = 3;
  params.breaks = {1};
  params.prompt = true;
  const Search ring = search_all<ExchangeNet>(params);
  EXPECT_EQ(ring.fault, "");
  EXPECT_TRUE(ring.outcomes.contains({0, 3}));
  report("a ring on one channel, an operation fails", 1, ring.seen.size(), ring.steps);
}

}  // namespace
}  // namespace harness
