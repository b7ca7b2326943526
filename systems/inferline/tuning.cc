#include "systems/inferline/tuning.h"

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr TimeNs kDownWindowNs = 5 * kNsPerS;  // section 5, scaling down
constexpr TimeNs kDownSpanNs = 30 * kNsPerS;   // likewise
constexpr TimeNs kAutoscaleNs = 20 * kNsPerS;  // TOCS 2012: sampled every 20 s

}  // namespace

void TuningParams::list(ParamList& params) {
  params
      .choice("scale_up", scale_up, {"rate", "excess"},
              "tuner = envelope: a scale-up provisions for the largest rate of the windows that exceed the "
              "sample's (section 5), or for the sample's mean rate times the largest excess "
              "(reconstruction)")
      .reading();
  params
      .choice("scale_down_slack", scale_down_slack, {"several", "all"},
              "tuner = envelope: a scale-down keeps the least rho of the models that are planned with "
              "several replicas, or of all (section 5; a model whose one replica is nearly idle then "
              "keeps the others from shrinking)")
      .reading();
  params
      .choice("scale_back", scale_back, {"never", "planned"},
              "tuner = envelope: replicas that a scale-down took away come back only when a window exceeds "
              "the sample's (section 5), or as soon as the rule for scaling down would keep them "
              "(reconstruction)")
      .reading();
  params.number("longest_window_s", longest_window_s, 0.1, 3600,
                "tuner = envelope: windows double up to this (section 5)");
  params.number("scale_down_wait_s", scale_down_wait_s, 0, 1e5,
                "tuner = envelope: time from any change to the next scale-down (section 5)");
  params.number("idle_timer_s", idle_timer_s, 1, 1e5,
                "tuner = autoscale: a unit that has been idle for this long is shut down (reconstruction: "
                "AutoScale's 120 s at a start-up of 260 s, for one of 20 s)");
  params.choice("autoscale_signal", autoscale_signal, {"rate", "in_system"},
                "tuner = autoscale: units for the rate that was sent (AutoScale--), or for the load inferred "
                "from the requests in the system (AutoScale)");
}

TrafficEnvelope::TrafficEnvelope(TimeNs shortest_ns, TimeNs longest_ns) {
  for (TimeNs window = shortest_ns; windows_.empty() || window <= longest_ns; window *= 2)
    windows_.push_back(window);
  most_.resize(windows_.size(), 0);
  first_.resize(windows_.size(), 0);
}

void TrafficEnvelope::add(TimeNs sent_ns) {
  sent_.push_back(sent_ns);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    std::size_t& first = first_[i];
    while (sent_ns - sent_[first] >= windows_[i]) ++first;
    most_[i] = std::max(most_[i], static_cast<std::uint32_t>(sent_.size() - first));
  }
  if (first_.back() > sent_.size() / 2 + 1024) forget();
}

void TrafficEnvelope::forget() {
  const std::size_t gone = first_.back();
  sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(gone));
  for (std::size_t& first : first_) first -= gone;
}

namespace {

class EnvelopeTuner final : public Tuner {
 public:
  EnvelopeTuner(const TunedPipeline& pipeline, const TuningParams& params, std::span<const TimeNs> sample_ns,
                TimeNs sample_length_ns)
      : pipeline_(pipeline),
        params_(params),
        envelope_(pipeline.service_ns, std::min(s_to_ns(params.longest_window_s), sample_length_ns)) {
    for (const TimeNs sent : sample_ns) envelope_.add(sent);
    sample_.assign(envelope_.most().begin(), envelope_.most().end());
    envelope_ = TrafficEnvelope(pipeline.service_ns, envelope_.windows().back());
    const auto take_least = [&](bool with_one) {
      for (std::size_t m = 0; m < pipeline.models.size(); ++m) {
        const double rho = pipeline.models[m].utilisation;  // 0: no query of the sample went there
        if (rho > 0 && (with_one || pipeline.planned[m].replicas > 1)) least_rho_ = std::min(least_rho_, rho);
      }
    };
    take_least(params.scale_down_slack == ScaleDownSlack::kAll);
    if (least_rho_ == INFINITY) take_least(true);
  }

  std::vector<int> replicas(TimeNs now, std::span<const TimeNs> sent_ns,
                            const std::vector<int>& current) override {
    if (last_.empty()) is_short_.assign(current.size(), true);
    // Replicas that changed are what it asked for at the last call, as far as the cluster had devices.
    if (current != last_) changed_ns_ = last_ns_;
    last_ = current;
    last_ns_ = now;
    envelope_.reset();
    for (const TimeNs sent : sent_ns) {
      envelope_.add(sent);
      recent_.push_back(sent);
    }
    while (!recent_.empty() && recent_.front() < now - kDownSpanNs) recent_.pop_front();
    const double rate = scale_up_rate(false);
    std::vector<int> least;
    for (std::size_t m = 0; m < current.size(); ++m)
      least.push_back(rate > 0 ? needed(m, rate, pipeline_.models[m].utilisation) : 1);
    make_up_for_start(current, least);
    if (params_.scale_back == ScaleBack::kPlanned) {
      const double rate_now = recent_rate(now);
      for (std::size_t m = 0; m < current.size(); ++m) {
        const int kept = std::min(pipeline_.planned[m].replicas, needed(m, rate_now, least_rho_));
        least[m] = std::max(least[m], kept);
      }
    }
    std::vector<int> wanted = current;
    for (std::size_t m = 0; m < wanted.size(); ++m) wanted[m] = std::max(wanted[m], least[m]);
    if (wanted == current && now - changed_ns_ >= s_to_ns(params_.scale_down_wait_s)) {
      const double rate_now = recent_rate(now);
      for (std::size_t m = 0; m < wanted.size(); ++m)
        wanted[m] = std::min(wanted[m], std::max(least[m], needed(m, rate_now, least_rho_)));
    }
    return wanted;
  }

 private:
  int needed(std::size_t module, double rate_rps, double utilisation) const {
    const TunedModel& model = pipeline_.models[module];
    if (!(model.scale > 0)) return 1;
    return ceil_of(rate_rps * model.scale / (model.replica_rps * utilisation));
  }

  /// Raises `least` for models that have never had the replicas that they were to start with: they get them
  /// as soon as any window needs them.
  void make_up_for_start(const std::vector<int>& current, std::vector<int>& least) {
    for (std::size_t m = 0; m < current.size(); ++m) {
      const int first = pipeline_.first[m].replicas;
      is_short_[m] = is_short_[m] && current[m] < first;
      if (!is_short_[m]) continue;
      const int wanted = needed(m, scale_up_rate(true), pipeline_.models[m].utilisation);
      least[m] = std::max(least[m], std::min(first, wanted));
    }
  }

  /// Returns the rate that a scale-up provisions for; 0 if no window exceeds the sample's (with
  /// `of_all_windows`: if no window has a query).
  double scale_up_rate(bool of_all_windows) const {
    double most_rps = 0;
    double most_excess = 0;
    for (std::size_t i = 0; i < sample_.size(); ++i) {
      const std::uint32_t seen = envelope_.most()[i];
      if (!of_all_windows && seen <= sample_[i]) continue;
      most_rps = std::max(most_rps, seen / ns_to_s(envelope_.windows()[i]));
      most_excess = std::max(most_excess, static_cast<double>(seen) / std::max(1u, sample_[i]));
    }
    return params_.scale_up == ScaleUpRate::kRate ? most_rps : most_excess * pipeline_.rate_rps;
  }

  /// Returns the largest rate in the windows of 5 s of the last 30 s; the last one ends now.
  double recent_rate(TimeNs now) const {
    std::ptrdiff_t most = 0;
    auto end = std::lower_bound(recent_.begin(), recent_.end(), now);
    for (TimeNs from = now - kDownWindowNs; from >= now - kDownSpanNs; from -= kDownWindowNs) {
      const auto begin = std::lower_bound(recent_.begin(), end, from);
      most = std::max(most, end - begin);
      end = begin;
    }
    return static_cast<double>(most) / ns_to_s(kDownWindowNs);
  }

  TunedPipeline pipeline_;
  TuningParams params_;
  TrafficEnvelope envelope_;
  std::vector<std::uint32_t> sample_;  ///< most queries in the sample, by window length
  double least_rho_ = INFINITY;
  std::vector<bool> is_short_;  ///< true if a module has never had the replicas to start with, by module
  std::vector<int> last_;       ///< replicas at the last call, at `last_ns_`
  TimeNs last_ns_ = 0;
  TimeNs changed_ns_ = 0;
  std::deque<TimeNs> recent_;
};

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

std::unique_ptr<Tuner> make_envelope_tuner(const TunedPipeline& pipeline, const TuningParams& params,
                                           std::span<const TimeNs> sample_ns, TimeNs sample_length_ns) {
  return std::make_unique<EnvelopeTuner>(pipeline, params, sample_ns, sample_length_ns);
}

std::unique_ptr<Tuner> make_autoscale_tuner(const TunedPipeline& pipeline, const TuningParams& params) {
  return std::make_unique<AutoscaleTuner>(pipeline, params);
}

void limit_to_cluster(const Hardware& hardware, const Configuration& planned, const std::vector<int>& current,
                      std::vector<int>& wanted) {
  for (std::size_t kind = 0; kind < hardware.kinds(); ++kind) {
    long more = 0;
    long left = hardware.count(kind);
    for (ModuleId m = 0; m < wanted.size(); ++m) {
      if (planned[m].device != kind) continue;
      const int devices = hardware.devices_of(m, kind);
      more += std::max(0, wanted[m] - current[m]) * devices;
      left -= std::min(wanted[m], current[m]) * devices;
    }
    if (more <= left) continue;
    const long free = std::max(0L, left);
    for (ModuleId m = 0; m < wanted.size(); ++m) {
      const long added = wanted[m] - current[m];
      if (planned[m].device != kind || added <= 0) continue;
      const int devices = hardware.devices_of(m, kind);
      // It is rounded up, so that no device is left over.
      const long granted = std::min((added * free + more - 1) / more, left / devices);
      wanted[m] = current[m] + static_cast<int>(granted);
      left -= granted * devices;
    }
  }
}

}  // namespace harness
