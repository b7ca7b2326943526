#include "systems/inferline/envelope_tuner.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "systems/inferline/traffic_envelope.h"

namespace harness {
namespace {

constexpr TimeNs kDownWindowNs = 5 * kNsPerS;  // section 5, scaling down
constexpr TimeNs kDownSpanNs = 30 * kNsPerS;   // likewise

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

}  // namespace

std::unique_ptr<Tuner> make_envelope_tuner(const TunedPipeline& pipeline, const TuningParams& params,
                                           std::span<const TimeNs> sample_ns, TimeNs sample_length_ns) {
  return std::make_unique<EnvelopeTuner>(pipeline, params, sample_ns, sample_length_ns);
}

}  // namespace harness
