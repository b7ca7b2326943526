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

/// A traffic envelope: for windows of T_s, 2 T_s, 4 T_s, ... the largest number of queries seen in any window
/// of that length. A window is half open: queries exactly its length apart are not in the same window. Adding
/// a query takes less than 100 ns.
class TrafficEnvelope {
 public:
  /// The windows double in length from `shortest_ns` > 0 up to `longest_ns`; there is at least one.
  TrafficEnvelope(TimeNs shortest_ns, TimeNs longest_ns);

  /// Adds a query, which was not sent before the one added last.
  void add(TimeNs sent_ns);
  std::span<const TimeNs> windows() const { return windows_; }
  /// Returns, by window length, the most queries in a window that ends with a query added since the last
  /// reset().
  std::span<const std::uint32_t> most() const { return most_; }
  void reset() { most_.assign(most_.size(), 0); }

 private:
  void forget();

  std::vector<TimeNs> windows_;
  std::vector<std::uint32_t> most_;
  std::vector<TimeNs> sent_;        ///< queries that a window may still hold, and some before them
  std::vector<std::size_t> first_;  ///< index in `sent_` of the first query of the window, by window length
};

/// The rate that a scale-up provisions for when the load exceeds the sample's envelope.
enum class ScaleUpRate {
  kRate,   ///< the largest rate of the windows that exceed the sample's: the printed rule
  kExcess  ///< the sample's mean rate times the largest r_i / r_i(sample) (R)
};

/// The models whose least rho a scale-down keeps (R).
enum class ScaleDownSlack {
  kSeveral,  ///< models planned with several replicas: one replica's rho does not tell the slack needed
  kAll       ///< all models, as printed
};

/// The signal from which AutoScale's rules know the load (R).
enum class AutoscaleSignal {
  kRate,     ///< the rate that was sent: Reactive upwards, AutoScale-- downwards
  kInSystem  ///< the requests in the system: AutoScale's capacity inference
};

/// The time at which replicas that a scale-down took away come back (R).
enum class ScaleBack {
  kAsPrinted,  ///< only when a window exceeds the sample's, however few are left
  kPlanned     ///< when the rule for scaling down would keep them, up to what was planned
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

/// A model as the Planner describes it to a tuner (section 5, Initialization).
struct TunedModel {
  double scale = 1;        ///< s_m: scale factor
  double replica_rps = 1;  ///< mu_m: queries/s of one replica
  double utilisation = 1;  ///< rho_m: max-provisioning ratio
};
/// A pipeline as the Planner describes it to a tuner.
struct TunedPipeline {
  Configuration planned;
  Configuration first;  ///< configuration to start with: `planned`, or what the cluster has room for
  std::vector<TunedModel> models;
  double rate_rps = 0;      ///< queries/s of the sample
  double capacity_rps = 0;  ///< queries/s that `planned` carries within the SLO, for AutoScale's rules
  TimeNs service_ns = 1;    ///< T_s: length of the shortest window
  LoadCurve load_curve;     ///< load curve of `planned`, for AutoScale's capacity inference
};

/// A tuner changes replicas and nothing else. It is called in the order of time and is single-threaded.
class Tuner {
 public:
  virtual ~Tuner() = default;
  /// Returns the replicas from now on, by module, at least 1 each. `sent_ns` are the sending times of the
  /// queries since the last call.
  virtual std::vector<int> replicas(TimeNs now, std::span<const TimeNs> sent_ns,
                                    const std::vector<int>& current) = 0;
  /// Called before each replicas() with the number of requests that are in the system then.
  virtual void on_requests_in_system(double /*requests*/) {}
};

/// Makes the Tuner of section 5.
///
/// Scaling up: if a window holds more queries than any window of that length did in the sample, a model gets
/// k_m = ceil(r s_m / (mu_m rho_m)) replicas, if it has fewer. A model that started with fewer replicas than
/// `first` says (planner.initial_workers) is not provisioned for the sample's windows either: until it has
/// had that many once, every window counts, but does not ask for more than that (R).
///
/// Scaling down: 15 s after any change, each model is cut to the replicas for the largest rate in 5-second
/// windows of the last 30 s, with the least rho, if it has more and the rule for scaling up does not need
/// them now. With scale_back = planned, this rule also brings replicas back, up to what was planned.
std::unique_ptr<Tuner> make_envelope_tuner(const TunedPipeline& pipeline, const TuningParams& params,
                                           std::span<const TimeNs> sample_ns, TimeNs sample_length_ns);

/// Makes a tuner with AutoScale's rules over the pipeline as one unit (R: InferLine's authors do not say
/// which variant they took).
///
/// With autoscale_signal = rate it is AutoScale--: every 20 s it goes up to the units for the rate of those
/// 20 s, and it goes down to the units that would have been enough in every second of the last
/// `idle_timer_s`. With in_system it is AutoScale: every 20 s it goes up to ceil(k f(n / k) / f(p)) units,
/// with n requests in k units and p requests in a unit that carries what it can within the SLO; it goes down
/// to the ceil(n / p) units that index packing, p requests to a unit, would have used in the last
/// `idle_timer_s`.
std::unique_ptr<Tuner> make_autoscale_tuner(const TunedPipeline& pipeline, const TuningParams& params);

/// Cuts the additions if the cluster has too few devices of a kind: each model gets the same share of what it
/// wants.
void limit_to_cluster(const Hardware& hardware, const Configuration& planned, const std::vector<int>& current,
                      std::vector<int>& wanted);

}  // namespace harness
