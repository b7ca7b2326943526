// Long random runs of the exchange: many workers, any routing, delays, failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/gpu/exchange/test_exchange_net.h"

namespace harness {
namespace {

constexpr std::size_t kWorkers = 16;
constexpr std::uint32_t kModules = 4;  ///< number of modules; worker w belongs to module w % 4

/// Draws the parameters of a net with a channel for each pair of modules.
ExchangeNetParams random_params(RandomStream& random, std::size_t transfers, bool faults) {
  ExchangeNetParams params;
  params.workers = kWorkers;
  params.window = static_cast<std::uint32_t>(1 + random.below(5));
  params.room_bytes = 15 + random.below(30);
  for (std::uint32_t a = 0; a < kModules; ++a)
    for (std::uint32_t b = 0; b <= a; ++b)
      for (WorkerId worker = 0; worker < kWorkers; ++worker)
        if (worker % kModules == a || worker % kModules == b)
          params.channels[a * kModules + b].push_back(worker);

  for (TransferId id = 0; id < transfers; ++id) {
    const auto from = static_cast<WorkerId>(random.below(kWorkers));
    const auto to = static_cast<WorkerId>((from + 1 + random.below(kWorkers - 1)) % kWorkers);
    Transfer transfer{.id = id, .source = id + 1, .bytes = 1 + random.below(15), .from = from, .to = to};
    const std::uint32_t a = from % kModules;
    const std::uint32_t b = to % kModules;
    transfer.channel = std::max(a, b) * kModules + std::min(a, b);
    std::string payload;
    while (payload.size() < transfer.bytes) payload.push_back(static_cast<char>(random.below(256)));
    params.transfers.push_back(transfer);
    params.payloads.push_back(payload);
    if (faults && random.below(1000) == 0) params.unplaceable.push_back(id);
  }
  for (int i = 0; faults && i < 3; ++i)
    params.breaks.push_back(static_cast<WorkerId>(random.below(kWorkers)));
  return params;
}

/// Takes random steps to the end. Each kind of step has its own random weight, so that some runs have slow
/// messages, others slow lanes or slow consumers.
ExchangeNet run_to_end(const ExchangeNetParams& params, RandomStream& random, std::size_t& taken) {
  std::array<double, 6> weights;
  for (std::size_t kind = 0; kind < weights.size(); ++kind) {
    const bool rare = kind == static_cast<std::size_t>(NetStep::Kind::kBreak);
    weights[kind] = (rare ? 0.002 : 1.0) * (0.02 + random.uniform());
  }
  ExchangeNet net(params);
  for (;; ++taken) {
    const std::vector<NetStep> steps = net.steps();
    if (steps.empty()) return net;
    double sum = 0;
    for (const NetStep& step : steps) sum += weights[static_cast<std::size_t>(step.kind)];
    double left = random.uniform() * sum;
    std::size_t chosen = 0;
    while (chosen + 1 < steps.size() && (left -= weights[static_cast<std::size_t>(steps[chosen].kind)]) > 0)
      ++chosen;
    net.take(steps[chosen]);
    if (!net.fault(false).empty()) return net;
  }
}

TEST(TensorExchangeRandom, WithoutFaultsEverythingArrives) {
  std::size_t taken = 0;
  int diverted = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    RandomStream random(seed, "exchange");
    const ExchangeNetParams params = random_params(random, 1500, false);
    const ExchangeNet net = run_to_end(params, random, taken);
    ASSERT_EQ(net.fault(true), "") << "seed " << seed;
    diverted += net.count(TransferOutcome::kDiverted);
    EXPECT_EQ(net.count(TransferOutcome::kDelivered) + net.count(TransferOutcome::kDiverted), 1500);
  }
  EXPECT_GT(diverted, 0);
  std::printf("16 workers, 6 runs of 1500 transfers: %zu steps, %d transfers diverted\n", taken, diverted);
}

TEST(TensorExchangeRandom, WithFaultsEverythingEndsOnce) {
  std::size_t taken = 0;
  int delivered = 0;
  int diverted = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, "exchange with faults");
    const ExchangeNetParams params = random_params(random, 400, true);
    const ExchangeNet net = run_to_end(params, random, taken);
    ASSERT_EQ(net.fault(true), "") << "seed " << seed;
    delivered += net.count(TransferOutcome::kDelivered);
    diverted += net.count(TransferOutcome::kDiverted);
  }
  EXPECT_GT(delivered, 1000);
  EXPECT_GT(diverted, 1000);
  std::printf("16 workers, 40 runs of 400 transfers with faults: %zu steps; delivered %d, diverted %d\n",
              taken, delivered, diverted);
}

}  // namespace
}  // namespace harness
