#include "harness/experiment/cells/goodput_search.h"

#include <algorithm>

#include "harness/core/cell_failed.h"
#include "harness/core/check.h"
#include "harness/sim/simulation.h"
#include "systems/all_systems.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

constexpr double kPrecision = 0.002;
constexpr double kMinShare = 1e-5;  ///< share of the largest throughput below which no rate is tried
constexpr double kMinSlos = 100;
constexpr double kLongestRunS = 1e9;
constexpr double kLargestRps = 1e6;

class OneGpu {
 public:
  OneGpu(const Profile& profile, TimeNs slo_ns, const GoodputSearch& search)
      : profile_(profile), slo_ns_(slo_ns), search_(search) {}

  bool serves(double rate_rps) const {
    try {
      const RunRecord record = simulate(run(rate_rps), nullptr);
      return static_cast<double>(record.in_time) >= search_.share * static_cast<double>(record.sent);
    } catch (const CellFailed&) {
      return false;  // requests wait for ever
    }
  }

 private:
  RunSpec run(double rate_rps) const {
    RunSpec run;
    run.pipeline.name = "goodput";
    run.pipeline.modules.resize(1);
    run.pipeline.modules[0].name = profile_.model;
    run.pipeline.modules[0].model = profile_.model;
    run.profiles = {profile_};
    run.slo_ns = slo_ns_;
    run.seed = search_.seed;
    run.system = find_system("shepherd")->make();
    TraceSpec poisson;
    poisson.name = "goodput";
    poisson.duration_s = std::max(search_.requests / rate_rps, kMinSlos * ns_to_s(slo_ns_));
    run.arrivals = make_arrivals(poisson, rate_rps, search_.seed);
    return run;
  }

  const Profile& profile_;
  TimeNs slo_ns_;
  const GoodputSearch& search_;
};

}  // namespace

double one_gpu_goodput_rps(const Profile& profile, TimeNs slo_ns, const GoodputSearch& search) {
  HARNESS_CHECK(profile.service == Service::kBatch, "goodput is of models on GPUs");
  HARNESS_CHECK(search.share > 0 && search.share <= 1 && search.requests >= 1, "no goodput search");
  const OneGpu gpu(profile, slo_ns, search);
  double high = std::min(kLargestRps, best_throughput_within_rps(profile, profile.max_batch(), slo_ns));
  if (high == 0) return 0;
  if (gpu.serves(high)) return high;
  const double least = std::max(kMinShare * high, search.requests / kLongestRunS);
  double low = 0;
  while (high - low > kPrecision * high && high > least) {
    const double middle = (low + high) / 2;
    (gpu.serves(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace harness
