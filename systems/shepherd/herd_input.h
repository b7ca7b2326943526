// What HERD is told of a cell: its models, their average load and their goodput on one GPU (section 4).
#pragma once

#include "harness/serving/context.h"
#include "systems/shepherd/herd.h"

namespace harness {

/// Where the goodput T of one GPU comes from.
enum class HerdGoodput {
  kProfile,  ///< the profile's points, where it has some around the SLO; else the rule
  kRule      ///< the largest b / d(b) with 2 d(b) <= SLO: a batch comes in while the one before it runs
};
/// How the streams of a model are divided into its shares.
enum class HerdSplit {
  kRate,  ///< the largest first, each to the share with the least rate
  kOrder  ///< in turn
};

/// What becomes of a GPU that a new plan puts into another group.
enum class HerdModelLoading {
  kPreloaded,  ///< the models are in memory: it serves when the batch that it runs has ended
  kCold        ///< after cluster.cold_start_ms more
};

/// Values of Visit::stream: a router cannot tell streams apart whose numbers are equal modulo this.
inline constexpr std::size_t kStreamNumbers = 65'536;

/// HERD as the planner of the system: what Eq. 2 does not say.
struct HerdPlannerParams {
  HerdParams herd;
  double gpu_memory_mb = 16'000;
  HerdGoodput goodput = HerdGoodput::kProfile;
  HerdSplit split = HerdSplit::kRate;
  double period_s = 0;
  HerdModelLoading model_loading = HerdModelLoading::kPreloaded;

  HerdPlannerParams() { herd.shares = 0; }

  /// `herd.shares`, or as many as there are groups when each has as many GPUs as it may.
  int shares_for(int gpus) const;
  void list(ParamList& list);
};

/// The goodput of one GPU for a stream, requests/s; 0: no batch of at most `max_batch` can end in time. By
/// the rule, where no two batches fit into the SLO: single visits, one after the other.
double stream_goodput_rps(const Profile& profile, TimeNs slo_ns, HerdGoodput from, int max_batch);

/// The context's streams with the rates that HERD counts: 0 where no GPU can serve them in time; 1/s each
/// where no stream says its rate.
std::vector<Stream> counted_streams(const ServingContext& context, const HerdPlannerParams& params,
                                    int max_batch);

/// The streams of the context with the rates that were measured: `module_rps` by module, divided among its
/// streams as their promised rates are, or evenly where none is promised.
std::vector<Stream> measured_streams(const ServingContext& context, const std::vector<double>& module_rps);

/// Eq. 2's input for the streams of the context: model m is module m, and every stream's module is its entry.
/// The goodput of a model whose streams have different SLOs is its rate over the GPUs that its streams need
/// together. Rates are those of counted_streams(), so that what no GPU can serve in time needs none. A model
/// has no more shares than the router can tell apart of its streams with a rate, but at least one. Sizes that
/// are not known count as 0.
HerdInput herd_input(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

}  // namespace harness
