// What the reconstructions do to Nexus over streams: 12 GPUs, 13 models of SHEPHERD's Table 4, in virtual
// time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"
#include "systems/nexus/nexus.h"
#include "systems/test_table4.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

constexpr int kSpanS = 10;

struct Load {
  const char* name;
  double rate_rps;
  std::size_t burst;  ///< requests that come at one instant for one model
  double slo_ms;
};

/// The parameters of Nexus that differ from its defaults.
struct Variant {
  const char* name;
  std::vector<std::pair<std::string, ParamValue>> params = {};
  bool knows_peak = true;  ///< true if it knows the peak rates, else the mean rates
};

/// The first 13 models of Table 4, each with a stream of its own and an equal share of the requests.
RunSpec cell(const Load& load, const Variant& variant) {
  const auto models = std::span(kTable4).first<13>();
  const ProfileSet set = load_profiles("shepherd-v100");
  std::vector<Profile> profiles;
  std::vector<Stream> streams;
  for (ModuleId m = 0; m < models.size(); ++m) {
    profiles.push_back(set.profiles.at(models[m].name));
    streams.push_back({m, ms_to_ns(load.slo_ms), load.rate_rps / static_cast<double>(models.size())});
  }
  RunSpec spec = testing::independent_cell(profiles, streams, 12, make_nexus());
  for (const auto& [name, value] : variant.params) testing::set_param(spec, name, value);
  RandomStream random(1, load.name);
  std::vector<std::pair<TimeNs, StreamId>> requests;
  std::vector<std::vector<double>> by_second(kSpanS, std::vector<double>(models.size(), 0.0));
  const auto bursts_rps = load.rate_rps / static_cast<double>(load.burst);
  for (double at_s = random.exponential() / bursts_rps; at_s < kSpanS;
       at_s += random.exponential() / bursts_rps) {
    const auto stream = static_cast<StreamId>(random.below(models.size()));
    requests.insert(requests.end(), load.burst, {s_to_ns(at_s), stream});
    by_second[static_cast<std::size_t>(at_s)][stream] += static_cast<double>(load.burst);
  }
  if (variant.knows_peak) {
    std::vector<double>& peaks = spec.peak_rps.emplace_back(models.size(), 0.0);
    for (const std::vector<double>& second : by_second) {
      for (std::size_t m = 0; m < models.size(); ++m) peaks[m] = std::max(peaks[m], second[m]);
    }
  }
  spec.arrivals = testing::arrivals_of(std::move(requests), kSpanS * kNsPerS);
  return spec;
}

struct Effect {
  double goodput_rps = 0;
  double busy = 0;  ///< share of the 12 GPUs' time
};

Effect effect_of(const Load& load, const Variant& variant) {
  const RunRecord record = simulate(cell(load, variant), nullptr);
  EXPECT_EQ(record.late, 0U);
  return {static_cast<double>(record.in_time) / kSpanS,
          static_cast<double>(record.gpu_ns) / (12.0 * kSpanS * kNsPerS)};
}

const std::vector<Load>& loads() {
  static const std::vector<Load> kLoads{{"light", 1'000, 1, 250},   {"medium", 3'000, 1, 250},
                                        {"heavy", 6'000, 1, 250},   {"overload", 20'000, 1, 250},
                                        {"bursts", 2'000, 50, 250}, {"tight", 1'000, 1, 120}};
  return kLoads;
}

using namespace std::string_literals;

TEST(NexusSideBySideEffects, OfTheParameters) {
  const std::vector<Variant> variants = {
      {"default"},
      {"cycle", {{"turns", "cycle"s}}},
      {"refusing", {{"admission", "planned"s}}},
      {"cycle, refusing", {{"turns", "cycle"s}, {"admission", "planned"s}}},
      {"scaled", {{"spare", "scaled"s}}},
      {"cycle, scaled", {{"turns", "cycle"s}, {"spare", "scaled"s}}},
      {"margin 1", {{"profile_margin", 1.0}}},
      {"network 0", {{"network_ms", 0.0}}},
      {"actual", {{"estimate", "actual"s}}},
      {"deadline", {{"order", "deadline"s}}},
      {"mean rate", {}, false},
  };
  std::printf("  goodput/s, busy");
  for (const Load& load : loads()) std::printf("  %14s", load.name);
  std::printf("\n");
  std::vector<Effect> usual;
  std::vector<Effect> cycle;
  for (const Variant& variant : variants) {
    std::vector<Effect> effects;
    std::printf("  %-15s", variant.name);
    for (const Load& load : loads()) {
      effects.push_back(effect_of(load, variant));
      std::printf("  %7.0f %5.1f%%", effects.back().goodput_rps, 100 * effects.back().busy);
    }
    std::printf("\n");
    if (variant.name == "default"s) usual = effects;
    if (variant.name == "cycle"s) cycle = effects;
  }
  // Batches that start when the GPU is free serve no less than batches of the planned cycle.
  for (std::size_t i = 0; i < loads().size(); ++i)
    EXPECT_GE(usual[i].goodput_rps, 0.98 * cycle[i].goodput_rps);
  // Far beyond what the plan carries, goodput is what it was (SHEPHERD, section 7.1).
  EXPECT_LT(cycle[3].goodput_rps, 1.3 * cycle[2].goodput_rps);
}

}  // namespace
}  // namespace harness
