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

#include "harness/core/params.h"

namespace harness {

// HERD's parameters (SHEPHERD, section 4); README.md names their sources.

inline constexpr double kBytesPerMb = 1e6;

/// plan_herd() takes the number of shares as it is, 1 or more.
struct HerdParams {
  int group_worker_limit = 12;
  int max_groups = 0;
  int shares = 1;
  double affinity_limit = 0;
  double reserved_mb = 1000;
  bool spread = true;
  double relative_gap = 0;
  int max_nodes = 2000;
  int exact_models = 40;

  void list(ParamList& list) {
    list.integer("herd_group_worker_limit", group_worker_limit, 0, 1'000'000,
                 "largest number of GPUs in a group (G of Eq. 2b); 0: no limit");
    list.integer(
        "herd_max_groups", max_groups, 0, 1'000'000,
        "largest number of groups; 0: as many as the GPUs make up at the limit, or as memory and affinity "
        "need");
    list.integer(
        "herd_shares", shares, 0, 1'000'000,
        "model-streams that the streams of one model are aggregated into; 1: the paper's; 0: as many "
        "as the GPUs make up groups at the limit");
    list.number("herd_affinity_limit", affinity_limit, 0, 1e9,
                "largest K between two models of a group (Eq. 4); 0: no limit");
    list.number("herd_reserved_mb", reserved_mb, 0, 1e6,
                "memory of each GPU set aside for the online algorithm, MB (10^6 bytes)");
    list.flag("herd_spread", spread,
              "of the plans with the largest minimum burst tolerance take one whose groups share the load");
    list.number("herd_relative_gap", relative_gap, 0, 1,
                "stop when the bound is so close: (bound - value) / bound");
    list.integer("herd_max_nodes", max_nodes, 0, 1'000'000'000,
                 "nodes of one integer program's search tree at most");
    list.integer("herd_exact_models", exact_models, 0, 1'000'000,
                 "with at most so many models what packing leaves open is settled by integer programs");
  }
};

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
