#include "systems/shepherd/herd_input.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace harness {
namespace {

constexpr double kMinAlphaMs = 1e-6;  // affinity divides by alpha

/// Sets Eq. 1's line through the least and the largest batch.
void set_line(HerdModel& model, const Profile& profile) {
  const int last = profile.max_batch();
  const double first_ms = ns_to_ms(profile.latency(1));
  model.alpha_ms = last > 1 ? (ns_to_ms(profile.latency(last)) - first_ms) / (last - 1) : first_ms;
  model.alpha_ms = std::max(model.alpha_ms, kMinAlphaMs);
  model.beta_ms = first_ms - model.alpha_ms;
}

double rule_rps(const Profile& profile, TimeNs slo_ns, int max_batch) {
  const double pairs = best_throughput_within_rps(profile, max_batch, slo_ns / 2);
  return pairs > 0 ? pairs : best_throughput_within_rps(profile, 1, slo_ns);
}

/// Computes stream_goodput_rps() for streams, of which few differ in model and SLO.
class GoodputOfStreams {
 public:
  GoodputOfStreams(const ServingContext& context, HerdGoodput from, int max_batch)
      : context_(context), from_(from), max_batch_(max_batch) {}

  double rps(const Stream& stream) {
    const auto [known, is_new] = known_rps_.try_emplace({stream.entry, stream.slo_ns}, 0);
    if (is_new) {
      known->second = stream_goodput_rps(*context_.profiles[stream.entry], stream.slo_ns, from_, max_batch_);
    }
    return known->second;
  }

 private:
  const ServingContext& context_;
  HerdGoodput from_;
  int max_batch_;
  std::map<std::pair<ModuleId, TimeNs>, double> known_rps_;
};

/// Counts each model's streams with a rate, streams of one number as one; at least 1.
void count_streams(std::span<const Stream> streams, std::vector<HerdModel>& models) {
  std::vector<std::vector<bool>> seen(models.size(),
                                      std::vector<bool>(std::min(streams.size(), kStreamNumbers), false));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::size_t number = i % kStreamNumbers;
    if (streams[i].rate_rps <= 0 || seen[streams[i].entry][number]) continue;
    seen[streams[i].entry][number] = true;
    ++models[streams[i].entry].streams;
  }
  for (HerdModel& model : models) model.streams = std::max(1, model.streams);
}

}  // namespace

double stream_goodput_rps(const Profile& profile, TimeNs slo_ns, HerdGoodput from, int max_batch) {
  // At this SLO the line between two of the profile's points may be above 0 although no batch ends in time.
  if (best_throughput_within_rps(profile, max_batch, slo_ns) <= 0) return 0;
  if (from == HerdGoodput::kProfile) {
    if (const std::optional<double> known = goodput_rps(profile, slo_ns)) return *known;
  }
  return rule_rps(profile, slo_ns, max_batch);
}

std::vector<Stream> counted_streams(const ServingContext& context, const HerdPlannerParams& params,
                                    int max_batch) {
  std::vector<Stream> streams = context.streams;
  const bool known =
      std::any_of(streams.begin(), streams.end(), [](const Stream& stream) { return stream.rate_rps > 0; });
  GoodputOfStreams goodput(context, params.goodput, max_batch);
  for (Stream& stream : streams) {
    const double rate_rps = known ? stream.rate_rps : 1;
    stream.rate_rps = goodput.rps(stream) > 0 ? std::max(0.0, rate_rps) : 0;
  }
  return streams;
}

std::vector<Stream> measured_streams(const ServingContext& context, const std::vector<double>& module_rps) {
  std::vector<Stream> streams = context.streams;
  std::vector<double> promised(module_rps.size(), 0);
  std::vector<double> count(module_rps.size(), 0);
  for (const Stream& stream : streams) {
    promised[stream.entry] += std::max(0.0, stream.rate_rps);
    count[stream.entry] += 1;
  }
  for (Stream& stream : streams) {
    const double part = promised[stream.entry] > 0 ? std::max(0.0, stream.rate_rps) / promised[stream.entry]
                                                   : 1 / count[stream.entry];
    stream.rate_rps = part * module_rps[stream.entry];
  }
  return streams;
}

HerdInput herd_input(const ServingContext& context, const HerdPlannerParams& params, int max_batch) {
  HerdInput input;
  input.gpus = context.workers;
  input.gpu_bytes = std::llround(params.gpu_memory_mb * kBytesPerMb);
  input.params = params.herd;
  input.params.shares = params.shares_for(context.workers);
  std::vector<double> needed(context.profiles.size(), 0);
  for (std::size_t m = 0; m < needed.size(); ++m) {
    const Profile& profile = *context.profiles[m];
    HerdModel& model = input.models.emplace_back();
    model.name = context.pipeline->modules[m].name;
    model.bytes = std::llround(profile.memory_mb * kBytesPerMb);
    set_line(model, profile);
  }
  const std::vector<Stream> streams = counted_streams(context, params, max_batch);
  GoodputOfStreams goodput(context, params.goodput, max_batch);
  for (const Stream& stream : streams) {
    if (stream.rate_rps <= 0) continue;
    input.models[stream.entry].rate_rps += stream.rate_rps;
    needed[stream.entry] += stream.rate_rps / goodput.rps(stream);
  }
  count_streams(streams, input.models);
  for (std::size_t m = 0; m < needed.size(); ++m) {
    if (needed[m] > 0) input.models[m].goodput_rps = input.models[m].rate_rps / needed[m];
  }
  return input;
}

}  // namespace harness
