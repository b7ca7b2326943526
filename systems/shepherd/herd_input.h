// HERD's input for a cell: its models, their average load and their goodput on one GPU (section 4).
#pragma once

#include "harness/serving/context.h"
#include "systems/shepherd/herd.h"

namespace harness {

/// The source of the goodput T of one GPU.
enum class HerdGoodput {
  kProfile,  ///< the profile's points, if it has some around the SLO; else the rule
  kRule  ///< largest b / d(b) with 2 d(b) <= SLO: requests of a batch arrive while the batch before it runs
};
/// The way in which the streams of a model are divided into its shares.
enum class HerdSplit {
  kRate,  ///< streams in descending order of rate, each to the share with the least rate
  kOrder  ///< in turn
};

/// The state of a GPU that a new plan puts into another group.
enum class HerdModelLoading {
  kPreloaded,  ///< the models are in memory: it serves when the batch that it runs has ended
  kCold        ///< it serves cluster.cold_start_ms later
};

/// The number of values of Visit::stream: a router cannot tell streams apart whose numbers are equal modulo
/// this.
inline constexpr std::size_t kStreamNumbers = 65'536;

/// The parameters of HERD as the system's planner, which Eq. 2 does not have.
struct HerdPlannerParams {
  HerdParams herd;
  double gpu_memory_mb = 16'000;
  HerdGoodput goodput = HerdGoodput::kProfile;
  HerdSplit split = HerdSplit::kRate;
  double period_s = 0;
  HerdModelLoading model_loading = HerdModelLoading::kPreloaded;

  HerdPlannerParams() { herd.shares = 0; }

  /// Returns `herd.shares` or, if that is 0, the number of groups that the GPUs make up at the group limit.
  int shares_for(int gpus) const;
  void list(ParamList& list);
};

/// Returns the goodput of one GPU for a stream, requests/s; 0 if no batch of at most `max_batch` can end in
/// time. If no two batches fit into the SLO, the rule counts single visits, one after the other.
double stream_goodput_rps(const Profile& profile, TimeNs slo_ns, HerdGoodput from, int max_batch);

/// Returns the context's streams with the rates that HERD counts: 0 if no GPU can serve the stream in time,
/// and 1/s each if no stream says its rate.
std::vector<Stream> counted_streams(const ServingContext& context, const HerdPlannerParams& params,
                                    int max_batch);

/// Returns the context's streams with measured rates: each module's rate in `module_rps` is divided among its
/// streams in proportion to their promised rates, or evenly if no rate is promised.
std::vector<Stream> measured_streams(const ServingContext& context, const std::vector<double>& module_rps);

/// Returns Eq. 2's input for the streams of the context. Model m is module m, and a stream's model is its
/// entry. The goodput of a model whose streams have different SLOs is its rate over the number of GPUs that
/// its streams need together. Rates are the rates of counted_streams(), so that a stream that no GPU can
/// serve in time needs no GPU. A model has no more shares than it has streams with a rate that the router can
/// tell apart, but at least one. Sizes that are not known count as 0.
HerdInput herd_input(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

}  // namespace harness
