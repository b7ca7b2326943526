// InferLine's high-frequency Tuner (section 5), and the coarse-grained one that its evaluation compares with
// (section 6; AutoScale, Gandhi et al., TOCS 2012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/params.h"
#include "harness/core/types.h"
#include "systems/inferline/configuration.h"
#include "systems/inferline/load_curve.h"

namespace harness {

/// A traffic envelope: for windows of T_s, 2 T_s, 4 T_s, ... the largest number of queries seen in any of
/// that length. A window is half open: queries exactly its length apart are not in one. Under 100 ns a query.
class TrafficEnvelope {
 public:
  /// Windows from `shortest_ns` > 0, doubling, to `longest_ns`; at least one.
  TrafficEnvelope(TimeNs shortest_ns, TimeNs longest_ns);

  /// A query was sent, not before the one before it.
  void add(TimeNs sent_ns);
  std::span<const TimeNs> windows() const { return windows_; }
  /// By window: the most queries in one that ends with a query added since the last reset().
  std::span<const std::uint32_t> most() const { return most_; }
  void reset() { most_.assign(most_.size(), 0); }

 private:
  void forget();

  std::vector<TimeNs> windows_;
  std::vector<std::uint32_t> most_;
  std::vector<TimeNs> sent_;        ///< those that a window may still hold, and some before them
  std::vector<std::size_t> first_;  ///< by window: the first of `sent_` that it holds
};

/// What a scale-up provisions for when the load exceeds the sample's envelope.
enum class ScaleUpRate {
  kRate,   ///< the largest rate of the windows that exceed theirs: the printed rule
  kExcess  ///< the sample's mean rate times the largest r_i / r_i(sample) (R)
};

/// Of which models a scale-down takes the least rho (R).
enum class ScaleDownSlack {
  kSeveral,  ///< those planned with several replicas; of one replica rho says nothing of what slack is needed
  kAll       ///< as printed
};

/// By what AutoScale's rules know the load (R).
enum class AutoscaleSignal {
  kRate,     ///< the rate that was sent: Reactive upwards, AutoScale-- downwards
  kInSystem  ///< the requests in the system: AutoScale's capacity inference
};

/// Whether replicas that a scale-down took away come back before a window exceeds the sample's (R).
enum class ScaleBack {
  kAsPrinted,  ///< never: no rate of the sample's envelope scales up, whatever is left
  kPlanned     ///< as soon as the rule for scaling down would keep them, up to what was planned
};

struct TuningParams {
  ScaleUpRate scale_up = ScaleUpRate::kRate;
  ScaleDownSlack scale_down_slack = ScaleDownSlack::kSeveral;
  ScaleBack scale_back = ScaleBack::kAsPrinted;
  double longest_window_s = 60;
  double scale_down_wait_s = 15;
  double idle_timer_s = 9.2;
  AutoscaleSignal autoscale_signal = AutoscaleSignal::kRate;

  void list(ParamList& params);
};

/// What the Planner tells a tuner (section 5, Initialization).
struct TunedModel {
  double scale = 1;        ///< s_m
  double replica_rps = 1;  ///< mu_m
  double utilisation = 1;  ///< rho_m
};
struct TunedPipeline {
  Configuration planned;
  Configuration first;  ///< with which the run is to start: `planned`, or what the cluster has room for
  std::vector<TunedModel> models;
  double rate_rps = 0;      ///< of the sample
  double capacity_rps = 0;  ///< that `planned` carries within the SLO, for AutoScale's rules
  TimeNs service_ns = 1;    ///< T_s
  LoadCurve load_curve;     ///< of `planned`, for AutoScale's capacity inference
};

/// Changes replicas, and nothing else. Called in order of time; single-threaded.
class Tuner {
 public:
  virtual ~Tuner() = default;
  /// The replicas from now on, by module, at least 1 each. `sent_ns`: the queries since the last call.
  virtual std::vector<int> replicas(TimeNs now, std::span<const TimeNs> sent_ns,
                                    const std::vector<int>& current) = 0;
  /// Comes before each replicas(): the requests that are in the system then.
  virtual void on_requests_in_system(double /*requests*/) {}
};

/// Section 5. Up: where a window holds more queries than any of the sample's did, k_m = ceil(r s_m / (mu_m
/// rho_m)) replicas, if that is more. A model that started with fewer replicas than `first` says
/// (planner.initial_workers) has nothing provisioned for the sample's windows either: until it has had them
/// once, every window counts, up to their number (R). Down: 15 s after any change, for the largest rate in
/// 5-second windows of the last 30 s, with the least rho, if that is less and the rule for scaling up does
/// not need them now. With scale_back = planned, back up by that rule too, as far as was planned.
std::unique_ptr<Tuner> make_envelope_tuner(const TunedPipeline& pipeline, const TuningParams& params,
                                           std::span<const TimeNs> sample_ns, TimeNs sample_length_ns);

/// AutoScale's rules over the pipeline as one unit (R: which variant InferLine's authors took is not said).
/// With autoscale_signal = rate, AutoScale--: up every 20 s, for the rate of those 20 s; down to what every
/// second of the last `idle_timer_s` could have done with. With in_system, AutoScale: up every 20 s to
/// ceil(k f(n / k) / f(p)) units, where n requests are in k units, and p in one that carries what it can
/// within the SLO; down to the ceil(n / p) units that index packing, p requests to a unit, would have used
/// in the last `idle_timer_s`.
std::unique_ptr<Tuner> make_autoscale_tuner(const TunedPipeline& pipeline, const TuningParams& params);

/// Cuts additions where the cluster has too few of a kind: each model gets the same share of what it wants.
void limit_to_cluster(const Hardware& hardware, const Configuration& planned, const std::vector<int>& current,
                      std::vector<int>& wanted);

}  // namespace harness
