// Runs every system on every kind of pipeline that it serves, in wall-clock time on devices that run a real
// network: each image's output is the network's in double precision, the accounting closes, and every
// recorded decision is repeated (and was legal, or the host would have ended the run). Also runs a system
// that preempts, on a network that stops at its exit points.
#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/replay/replay.h"
#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/gpu/torch/test_witness_device.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/run/live_run.h"
#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/transport.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

constexpr const char* kModel = "lenet";
constexpr int kLargestBatch = 4;
constexpr TimeNs kDurationNs = 200 * kNsPerMs;

/// A kind of pipeline, and the way in which its modules serve: in batches, unless `services` says otherwise.
struct Kind {
  std::string name;
  Pipeline pipeline;
  std::vector<Service> services;
};

std::vector<Kind> kinds() {
  std::vector<Kind> result = {
      {"one_module", testing::chain(1), {}},
      {"chain", testing::chain(3), {}},
      {"dag", testing::diamond(), {}},
      {"beside_services", testing::chain(3), {Service::kDelay, Service::kBatch, Service::kShared}}};
  for (Pipeline& pipeline : testing::dynamic_pipelines()) {
    std::string name = "dynamic_" + pipeline.name;
    result.push_back({std::move(name), std::move(pipeline), {}});
  }
  return result;
}

/// Returns a profile of the service: batches take about as long as they take here, a call takes 4 ms, and a
/// server reads and writes a text in 2 ms.
Profile profile_of(Service service) {
  Profile profile = testing::linear_profile(kModel, 1, 1, kLargestBatch);
  profile.service = service;
  if (service == Service::kDelay) {
    profile.delay = {8, ms_to_ns(4), 0.3};
    profile.latency_ns = {static_cast<TimeNs>(mean_ns(profile.delay))};
  } else if (service == Service::kShared) {
    SharedService& shared = profile.shared;
    shared.slots = 4;
    shared.prefill_tokens_per_s = 100'000;
    shared.chunk_tokens = 500;
    shared.decode_tokens_per_s = {10'000, 20'000, 30'000, 40'000};
    shared.input = {100, 0.5};
    shared.output = {10, 0.5};
    profile.latency_ns = {static_cast<TimeNs>(alone_ns(shared, 100, 10))};
  }
  return profile;
}

/// Returns a run of 100 requests/s for a fifth of a second: a fifth of what two workers per module can do.
RunSpec spec_of(const std::string& system, const Kind& kind, std::uint64_t seed) {
  Pipeline pipeline = kind.pipeline;
  std::vector<Profile> profiles;
  std::vector<ModuleOverride> overrides;
  int workers = 0;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    const Service service = kind.services.empty() ? Service::kBatch : kind.services[m];
    profiles.push_back(profile_of(service));
    const bool in_batches = service == Service::kBatch;
    overrides.push_back(in_batches ? ModuleOverride{kLargestBatch, 2} : ModuleOverride{0, 0});
    workers += in_batches ? 2 : fixed_workers(profiles.back());
    Module& module = pipeline.modules[m];
    module.model = kModel;
    module.input_height = 40 - 3 * static_cast<int>(m);
    module.input_width = 21 + 5 * static_cast<int>(m);
    module.input_bytes = static_cast<std::uint32_t>(3 * module.input_height * module.input_width);
  }
  RunSpec spec = testing::make_spec(system, std::move(pipeline), std::move(profiles), std::move(overrides),
                                    kNsPerS, testing::poisson_times(100, kDurationNs, seed), kDurationNs);
  spec.workers = workers;
  spec.seed = seed;
  spec.record_replay = true;
  return spec;
}

/// A rank with a witnessed device for each GPU.
class WitnessedRank {
 public:
  WitnessedRank(const RunSpec& spec, std::uint64_t weights_seed)
      : spec_(spec),
        outputs_(spec.pipeline, modules_in_batches(spec),
                 *find_zoo_model(spec.pipeline.modules.front().model), spec.seed, weights_seed),
        witnesses_(static_cast<std::size_t>(spec.workers)),
        transport_(make_local_transport()) {
    std::vector<std::unique_ptr<Device>> devices;
    for (Witness& witness : witnesses_)
      devices.push_back(std::make_unique<WitnessDevice>(
          outputs_, witness, [transport = transport_.get()] { transport->interrupt(); }));
    workers_ = std::make_unique<DeviceWorkers>(
        std::move(devices), 0,
        DeviceWorkers::Models{spec.pipeline, spec.profiles, weights_seed, spec.system->traits().preempts});
  }

  RunRecord run() {
    LiveRun how;
    how.number = 1;
    how.devices = workers_.get();
    RunRecord record = run_live(spec_, how, *transport_, nullptr).value();
    workers_.reset();
    return record;
  }

  /// Checks that every visit that was served in a batch went through the network, and nothing else did.
  void expect_networks_ran(const RunRecord& record) const {
    std::vector<std::uint64_t> right(outputs_.modules().size(), 0);
    for (const Witness& witness : witnesses_) {
      EXPECT_EQ(witness.wrong, 0u) << "images with another output than the network's in double precision";
      for (std::size_t model = 0; model < right.size(); ++model) right[model] += witness.right[model];
    }
    for (std::size_t model = 0; model < right.size(); ++model) {
      const ModuleId module = outputs_.modules()[model];
      EXPECT_EQ(right[model], record.modules[module].done) << "module " << module;
    }
  }

 private:
  static std::vector<ModuleId> modules_in_batches(const RunSpec& spec) {
    std::vector<ModuleId> modules;
    for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
      if (spec.profiles[m].service == Service::kBatch) modules.push_back(static_cast<ModuleId>(m));
    }
    return modules;
  }

  const RunSpec& spec_;
  ImageOutputs outputs_;
  std::vector<Witness> witnesses_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<DeviceWorkers> workers_;  ///< devices; declared last, because they use the rest
};

void expect_repeated(const RunSpec& spec, const RunRecord& record) {
  const RequestSizes sizes(spec.seed, spec.profiles, spec.trace_tokens);
  const ServingContext context = make_context(spec, &sizes);
  ReplayCounts counts;
  for (const ReplayLog& log : record.replay) {
    const auto scheduler = spec.system->make_scheduler(context, log.queue, log.group);
    const auto difference = replay(log, *scheduler, counts);
    EXPECT_FALSE(difference.has_value())
        << difference->call << " " << difference->before << " " << difference->after;
  }
  EXPECT_GE(counts.callbacks, record.sent) << "an arrival each at least";
}

/// Returns a run of one worker with ResNet-18 and nine exit points, 40 requests/s for 2 s: about twice what
/// it can do here. All requests have time enough.
RunSpec preempting_spec(std::uint64_t seed) {
  constexpr const char* kLarger = "resnet18";
  Pipeline pipeline = testing::chain(1);
  Module& module = pipeline.modules.front();
  module.model = kLarger;
  module.input_height = 30;
  module.input_width = 40;
  module.input_bytes = 3 * 30 * 40;
  Profile profile = testing::linear_profile(kLarger, 50, 0, kLargestBatch);
  profile.exit_points = 9;
  RunSpec spec =
      testing::make_spec("naive", std::move(pipeline), {profile}, {{kLargestBatch, 1}}, 600 * kNsPerS,
                         testing::poisson_times(40, 2 * kNsPerS, seed), 2 * kNsPerS);
  spec.system = std::make_unique<testing::PreemptingSystem>(1.0);
  spec.workers = 1;
  spec.seed = seed;
  spec.record_replay = true;
  return spec;
}

/// Counts how often each output came, by a hash of its values.
using Outputs = std::map<std::uint64_t, int>;

void count_output(Outputs& outputs, std::span<const float> values) {
  std::uint64_t hash = 0;
  for (const float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
  ++outputs[hash];
}

/// Returns the outputs of the networks of a chain, called one after another for each request: each takes its
/// image from the output of the one before.
Outputs outputs_of_calls(const RunSpec& spec, std::uint64_t requests, std::uint64_t weights_seed) {
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  ModelSource source;
  source.model = kModel;
  source.seed = weights_seed;
  const StagedModel network = make_staged_model(source, {"calls", kModel, 1});
  const std::vector<std::size_t> whole = segment_begins(0, static_cast<int>(network.stages.size()));
  Tensors clients(spec.pipeline, spec.seed);
  Outputs outputs;
  for (RequestId request = 0; request < requests; ++request) {
    const std::span<const std::byte> sent = clients.input(0, request).span();
    std::vector<std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(sent.data()),
                                    reinterpret_cast<const std::uint8_t*>(sent.data()) + sent.size());
    for (std::size_t m = 0; m < spec.pipeline.modules.size(); ++m) {
      const Module& module = spec.pipeline.modules[m];
      const Image image{std::span(bytes).first(module.input_bytes), module.input_height, module.input_width};
      std::vector<float> input(batch_elements(network.input, 1));
      assemble_batch({&image, 1}, network.input, input);
      std::vector<at::Tensor> state = {
          at::from_blob(input.data(), {1, 3, network.input.height, network.input.width}, at::kFloat)};
      run_segment(network, whole, 0, state);
      const at::Tensor values = state[0].contiguous();
      count_output(outputs, {values.data_ptr<float>(), static_cast<std::size_t>(values.numel())});
      const at::Tensor left = payload_of(values, output_bytes(spec.pipeline, static_cast<ModuleId>(m)));
      bytes.assign(left.data_ptr<std::uint8_t>(), left.data_ptr<std::uint8_t>() + left.numel());
    }
  }
  return outputs;
}

TEST(ResultsOfChains, AreThoseOfTheNetworksOneAfterAnother) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RunSpec spec = spec_of("naive", {"chain", testing::chain(3), {}}, seed);
  // With batches of one, outputs are the same bits in any run.
  for (Profile& profile : spec.profiles) profile.latency_ns.resize(1);
  spec.module_overrides.assign(spec.profiles.size(), {1, 2});
  const std::unique_ptr<Transport> transport = make_local_transport();
  std::mutex mutex;
  Outputs outputs;
  TorchDeviceOptions options;
  options.on_output = [&](std::uint64_t, std::span<const float> values) {
    const std::scoped_lock lock(mutex);
    count_output(outputs, values);
  };
  std::vector<std::unique_ptr<Device>> devices;
  for (int gpu = 0; gpu < spec.workers; ++gpu)
    devices.push_back(make_torch_cpu_device(options, [&] { transport->interrupt(); }));
  DeviceWorkers workers(std::move(devices), 0, DeviceWorkers::Models{spec.pipeline, spec.profiles, seed + 1});
  LiveRun how;
  how.number = 1;
  how.devices = &workers;
  const RunRecord record = run_live(spec, how, *transport, nullptr).value();
  ASSERT_EQ(record.dropped, 0U);
  ASSERT_GT(record.sent, 0U);
  EXPECT_EQ(outputs, outputs_of_calls(spec, record.sent, seed + 1));
  EXPECT_GT(outputs.size(), 2 * Tensors::kTensorsPerModule) << "each module's are others";
}

struct Case {
  const SystemEntry* system;
  Kind kind;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const SystemEntry& system : all_systems()) {
    for (const Kind& kind : kinds()) result.push_back({&system, kind});
  }
  return result;
}

class TorchConformance : public ::testing::TestWithParam<Case> {};

TEST_P(TorchConformance, ServesThroughTheNetwork) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  const RunSpec spec = spec_of(GetParam().system->name, GetParam().kind, seed);
  WitnessedRank rank(spec, seed + 1);
  const RunRecord record = rank.run();
  EXPECT_EQ(static_cast<double>(record.sent), spec.arrivals->expected_requests());
  EXPECT_EQ(record.in_time + record.late + record.dropped, record.sent);
  EXPECT_EQ(record.unfinished, 0u);
  EXPECT_EQ(record.why_invalid, "");
  EXPECT_GE(record.in_time, record.sent / 2) << "a light load, an objective of a hundred batches";
  rank.expect_networks_ran(record);
  expect_repeated(spec, record);
}

TEST(PreemptionOnNetworks, StoppedBatchesLeaveNothingAndTheirImagesRunAgain) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  const RunSpec spec = preempting_spec(seed);
  WitnessedRank rank(spec, seed + 1);
  const RunRecord record = rank.run();
  EXPECT_EQ(record.in_time, record.sent);
  EXPECT_EQ(record.why_invalid, "");
  EXPECT_GT(record.modules.front().preempted, 0u) << "small batches stop for larger ones";
  rank.expect_networks_ran(record);
  expect_repeated(spec, record);
}

INSTANTIATE_TEST_SUITE_P(AllSystems, TorchConformance, ::testing::ValuesIn(cases()), [](const auto& test) {
  return std::string(test.param.system->name) + "_" + test.param.kind.name;
});

}  // namespace
}  // namespace harness
