// HERD, SHEPHERD's periodic planner (section 4): classifies models and GPUs into serving groups, so that the
// smallest burst tolerance of any stream is as large as possible (Eq. 2).
//
// Every GPU of a group holds all models of the group, and a stream may use all GPUs of its group; its burst
// tolerance is bt = size / n: the group's GPUs over the n = rate / goodput that its average load needs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "systems/shepherd/herd_params.h"

namespace harness {

/// A model with all its streams aggregated into one (section 4, "HERD complexity").
struct HerdModel {
  std::string name;
  double rate_rps = 0;     ///< of all its streams together
  double goodput_rps = 0;  ///< T: the most that one GPU completes in time
  double alpha_ms = 0;     ///< latency of a batch of b is alpha b + beta (Eq. 1)
  double beta_ms = 0;
  std::int64_t bytes = 0;  ///< on every GPU that holds it
  int streams = 0;         ///< that it has, none of which can be divided: its most shares; 0: any number
};

struct HerdInput {
  int gpus = 0;                ///< N
  std::int64_t gpu_bytes = 0;  ///< mem, of which HerdParams::reserved_mb is set aside
  std::vector<HerdModel> models;
  HerdParams params;
};

/// A stream's average rate, requests/s, and its model, an index.
struct HerdStream {
  int model = 0;
  double rate_rps = 0;
};

/// Rates of `models` models, the sums over their streams.
std::vector<double> aggregate_rates(int models, std::span<const HerdStream> streams);

/// Equal model-streams of a model: HerdParams::shares, at most one for each of its streams.
int shares_of(const HerdModel& model, const HerdParams& params);

/// A serving group. Its models are ascending indices into HerdInput::models; shares[i] of the shares_of()
/// models[i] are served here, the others in other groups.
struct HerdGroup {
  int gpus = 0;
  std::vector<int> models;
  std::vector<int> shares;
};

enum class HerdStatus {
  kOptimal,     ///< bound - value is within the gap asked for
  kFeasible,    ///< a plan that satisfies every constraint; how far from the best at most, `gap` says
  kInfeasible,  ///< proven that there is none; `reason` says why
  kNoPlan,      ///< none was found, and none was proven not to be there
};

struct HerdPlan {
  HerdStatus status = HerdStatus::kNoPlan;
  std::string reason;             ///< kInfeasible, kNoPlan: one sentence
  std::vector<HerdGroup> groups;  ///< each with at least one model and one GPU
  /// The smallest size / n of any model-stream; infinite where nothing has a rate.
  double min_burst_tolerance = 0;
  double bound = std::numeric_limits<double>::infinity();  ///< no plan has a larger one
  double gap = 0;  ///< (bound - value) / bound; 0 when both are infinite
  int programs =
      0;  ///< integer programs solved; 0: packing by rules met the bound, or was all that was asked for
  long nodes = 0;  ///< nodes of their search trees together; a program may be settled in none
  int affinity_sets = 0;
};

/// The plan for `input`. Deterministic; stops by gap and nodes alone. Bad input (a negative rate, a GPU
/// without memory) is a bug of the caller.
HerdPlan plan_herd(const HerdInput& input);

}  // namespace harness
