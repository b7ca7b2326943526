// HERD, SHEPHERD's periodic planner (section 4): classifies models and GPUs into serving groups, so that the
// smallest burst tolerance of any stream is as large as possible (Eq. 2).
//
// Every GPU of a group holds all models of the group, and a stream may use all GPUs of its group. The
// stream's burst tolerance is bt = size / n: the number of the group's GPUs over n = rate / goodput, the
// number of GPUs that its average load needs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "systems/shepherd/herd_params.h"

namespace harness {

enum class HerdStatus {
  kOptimal,     ///< bound - value is within the gap asked for
  kFeasible,    ///< a plan satisfies every constraint; `gap` says how far it may be from the best
  kInfeasible,  ///< proven that no plan exists; `reason` says why
  kNoPlan,      ///< no plan was found, but one may exist
};

struct HerdGroup;
struct HerdModel;

struct HerdPlan {
  HerdStatus status = HerdStatus::kNoPlan;
  std::string reason;             ///< kInfeasible and kNoPlan only: one sentence
  std::vector<HerdGroup> groups;  ///< each with at least one model and one GPU
  /// The smallest size / n of any model-stream; infinite if no model has a rate.
  double min_burst_tolerance = 0;
  double bound = std::numeric_limits<double>::infinity();  ///< upper bound of any plan's min_burst_tolerance
  double gap = 0;  ///< (bound - value) / bound; 0 when both are infinite
  /// Number of integer programs solved; 0 if packing by rules met the bound, or was all that was asked for.
  int programs = 0;
  long nodes = 0;  ///< number of nodes of their search trees together; a program may need no node
  int affinity_sets = 0;
};

/// A serving group. `models` are ascending indices into HerdInput::models; shares[i] of the model-streams of
/// models[i] (shares_of()) are served here, the others in other groups.
struct HerdGroup {
  int gpus = 0;
  std::vector<int> models;
  std::vector<int> shares;
};

struct HerdInput {
  int gpus = 0;                ///< number of GPUs (N)
  std::int64_t gpu_bytes = 0;  ///< memory of a GPU (mem), of which HerdParams::reserved_mb is set aside
  std::vector<HerdModel> models;
  HerdParams params;
};

/// A model with all its streams aggregated into one (section 4, "HERD complexity").
struct HerdModel {
  std::string name;
  double rate_rps = 0;     ///< rate of all its streams together
  double goodput_rps = 0;  ///< T: the largest rate that one GPU completes in time
  double alpha_ms = 0;     ///< latency of a batch of b is alpha b + beta (Eq. 1)
  double beta_ms = 0;
  std::int64_t bytes = 0;  ///< memory that it takes on every GPU that holds it
  /// Number of its streams, an upper limit of its shares as streams cannot be divided; 0: no limit.
  int streams = 0;
};

/// A stream's model, as an index, and its average rate in requests/s.
struct HerdStream {
  int model = 0;
  double rate_rps = 0;
};

/// Returns the rates of `models` models: the sums over their streams.
std::vector<double> aggregate_rates(int models, std::span<const HerdStream> streams);

/// Returns the number of equal model-streams of a model: HerdParams::shares, but at most one for each of its
/// streams.
int shares_of(const HerdModel& model, const HerdParams& params);

/// Returns the plan for `input`. Deterministic: only the gap and the number of nodes stop the search. Bad
/// input (a negative rate, a GPU without memory) is a bug of the caller.
HerdPlan plan_herd(const HerdInput& input);

}  // namespace harness
