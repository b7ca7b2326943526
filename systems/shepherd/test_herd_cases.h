// Inputs of HERD for tests: random ones, and the models of Table 4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"
#include "systems/shepherd/herd_plan.h"
#include "systems/test_table4.h"

namespace harness {

inline HerdModel table4_model(std::size_t index) {
  const Table4Model& row = kTable4[index % kTable4.size()];
  constexpr std::int64_t kBytesPerParameter = 4;
  return {row.name, 0, 1, row.alpha_ms, row.beta_ms, row.parameters * kBytesPerParameter};
}

/// Returns the largest rate that one GPU completes in time with batches of one size that follow each other,
/// an SLO of 250 ms and at most 128 requests in a batch. A request waits for the batch before its own, so a
/// batch takes at most half of the SLO.
inline double table4_goodput_rps(const HerdModel& model) {
  double best = 0;
  for (int batch = 1; batch <= 128; ++batch) {
    const double latency_ms = model.alpha_ms * batch + model.beta_ms;
    if (2 * latency_ms <= 250) best = std::max(best, 1000 * batch / latency_ms);
  }
  return best;
}

/// A case of Table 5.
struct Table5Case {
  HerdInput input;  ///< input, without rates
  std::vector<HerdStream> streams;
};

/// Returns as many models as GPUs, with 1,000 streams each. The models of Table 4 are used in turn, with
/// their published sizes, on GPUs of 16 GiB. Stream rates are log-normal (sigma 2: heavy-tailed, as in the
/// Azure trace), scaled so that the average load needs half of all GPUs.
inline Table5Case table5(int models) {
  constexpr int kStreamsPerModel = 1000;
  constexpr double kSigma = 2;
  constexpr double kLoad = 0.5;
  Table5Case made;
  made.input.gpus = models;
  made.input.gpu_bytes = std::int64_t{16} << 30;
  RandomStream random(1, "herd_bench");
  double needed = 0;
  for (int i = 0; i < models; ++i) {
    HerdModel model = table4_model(static_cast<std::size_t>(i));
    model.goodput_rps = table4_goodput_rps(model);
    for (int s = 0; s < kStreamsPerModel; ++s) {
      const double rate_rps = portable_exp(kSigma * random.normal());
      made.streams.push_back({i, rate_rps});
      needed += rate_rps / model.goodput_rps;
    }
    made.input.models.push_back(std::move(model));
  }
  for (HerdStream& stream : made.streams) stream.rate_rps *= kLoad * models / needed;
  return made;
}

/// Returns a random input of `models` models, with sizes from a tenth to two thirds of the memory and few
/// kinds of alpha and beta.
inline HerdInput random_herd_input(std::uint64_t seed, int models, int gpus) {
  RandomStream stream(seed, "herd");
  HerdInput input;
  input.gpus = gpus;
  input.gpu_bytes = 1'000;
  input.params.reserved_mb = 0;
  input.params.group_worker_limit = static_cast<int>(stream.below(static_cast<std::uint64_t>(gpus) + 1));
  input.params.max_groups = static_cast<int>(stream.below(4));
  for (int i = 0; i < models; ++i) {
    HerdModel model;
    model.name = std::to_string(i);
    model.goodput_rps = 1 + 9 * stream.uniform();
    // Some rates repeat, some are 0.
    model.rate_rps = stream.uniform() < 0.1 ? 0 : 0.5 * static_cast<double>(1 + stream.below(12));
    model.alpha_ms = 1 + static_cast<double>(stream.below(3));
    model.beta_ms = 2 + 4 * static_cast<double>(stream.below(2));
    model.bytes = 100 + static_cast<std::int64_t>(stream.below(560));
    input.models.push_back(std::move(model));
  }
  input.params.affinity_limit = stream.uniform() < 0.5 ? 0 : 1 + 4 * stream.uniform();
  return input;
}

}  // namespace harness
