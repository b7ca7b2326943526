#include "systems/inferline/autoscale_tuner.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <vector>

namespace harness {
namespace {

constexpr TimeNs kAutoscaleNs = 20 * kNsPerS;  // TOCS 2012: sampled every 20 s

class AutoscaleTuner final : public Tuner {
 public:
  AutoscaleTuner(const TunedPipeline& pipeline, const TuningParams& params)
      : pipeline_(pipeline),
        idle_ns_(s_to_ns(params.idle_timer_s)),
        signal_(params.autoscale_signal),
        packed_(pipeline.load_curve.requests(pipeline.capacity_rps)) {}

  void on_requests_in_system(double requests) override { requests_ = requests; }

  std::vector<int> replicas(TimeNs now, std::span<const TimeNs> sent_ns,
                            const std::vector<int>& current) override {
    sent_.insert(sent_.end(), sent_ns.begin(), sent_ns.end());
    while (!sent_.empty() && sent_.front() < now - std::max(kAutoscaleNs, idle_ns_)) sent_.pop_front();
    seen_.push_back({now, requests_});
    while (seen_.front().at_ns <= now - idle_ns_) seen_.pop_front();
    std::vector<int> wanted = current;
    if (now >= sampled_ns_ + kAutoscaleNs) {
      sampled_ns_ = now;
      const std::vector<int> least = needed(sampled_rate(now, current));
      for (std::size_t m = 0; m < wanted.size(); ++m) wanted[m] = std::max(wanted[m], least[m]);
    }
    if (wanted != current) {
      changed_ns_ = now;
    } else if (now - changed_ns_ >= idle_ns_) {
      const std::vector<int> used = needed(used_rate(now));
      for (std::size_t m = 0; m < wanted.size(); ++m) wanted[m] = std::min(wanted[m], used[m]);
    }
    return wanted;
  }

 private:
  std::vector<int> needed(double rate_rps) const {
    std::vector<int> replicas;
    for (const ModelConfiguration& model : pipeline_.planned)
      replicas.push_back(ceil_of(model.replicas * rate_rps / pipeline_.capacity_rps));
    return replicas;
  }

  /// Returns the load that a scale-up provisions for.
  double sampled_rate(TimeNs now, const std::vector<int>& current) const {
    if (signal_ == AutoscaleSignal::kRate) return rate_between(now - kAutoscaleNs, now);
    double times_planned = INFINITY;
    for (std::size_t m = 0; m < current.size(); ++m)
      times_planned =
          std::min(times_planned, static_cast<double>(current[m]) / pipeline_.planned[m].replicas);
    return times_planned * pipeline_.load_curve.rate_rps(requests_ / times_planned);
  }

  /// Returns the load that the units used within the idle timer carry.
  double used_rate(TimeNs now) const {
    if (signal_ == AutoscaleSignal::kRate) return recent_rate(now);
    const double most = std::ranges::max_element(seen_, {}, &Seen::requests)->requests;
    return most / packed_ * pipeline_.capacity_rps;
  }

  double rate_between(TimeNs from, TimeNs to) const {
    const auto first = std::lower_bound(sent_.begin(), sent_.end(), from);
    return static_cast<double>(std::lower_bound(first, sent_.end(), to) - first) / ns_to_s(to - from);
  }

  /// Returns the largest rate in the whole seconds within the idle timer.
  double recent_rate(TimeNs now) const {
    double most_rps = 0;
    for (TimeNs to = now; to - kNsPerS >= now - idle_ns_; to -= kNsPerS)
      most_rps = std::max(most_rps, rate_between(to - kNsPerS, to));
    return most_rps;
  }

  struct Seen {
    TimeNs at_ns = 0;
    double requests = 0;
  };

  TunedPipeline pipeline_;
  TimeNs idle_ns_;
  AutoscaleSignal signal_;
  double packed_;          ///< requests in the planned units when they carry the most they can within the SLO
  double requests_ = 0;    ///< requests in the system
  std::deque<Seen> seen_;  ///< requests in the system at the calls within the idle timer
  std::deque<TimeNs> sent_;  ///< queries of the last 20 s, or of the idle timer if that is longer
  TimeNs sampled_ns_ = 0;
  TimeNs changed_ns_ = 0;
};

}  // namespace

std::unique_ptr<Tuner> make_autoscale_tuner(const TunedPipeline& pipeline, const TuningParams& params) {
  return std::make_unique<AutoscaleTuner>(pipeline, params);
}

}  // namespace harness
