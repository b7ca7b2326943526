#include "workloads/arrivals/curve_arrivals.h"

#include <algorithm>
#include <cmath>

#include "harness/core/check.h"
#include "harness/core/random_stream.h"
#include "workloads/arrivals/exponential_gaps.h"
#include "workloads/arrivals/placing_rule.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/arrivals/replay.h"

namespace harness {
namespace {

/// A piece of time with a constant rate.
struct Segment {
  TimeNs begin_ns = 0;
  TimeNs end_ns = 0;
  double per_ns = 0;
};

/// The bins of a curve up to its duration, cut where an MMPP changes state.
class Segments {
 public:
  Segments(std::shared_ptr<const Replay> replay, const PlacingRule& rule, std::uint64_t seed)
      : replay_(std::move(replay)),
        rule_(rule),
        duration_ns_(s_to_ns(replay_->duration_s)),
        random_(seed, "mmpp") {
    if (rule_.process != ArrivalProcess::kMmpp) return;
    low_ = 1.0 / (1.0 + rule_.mmpp_high_share * (rule_.mmpp_ratio - 1.0));
    high_ = random_.uniform() >= rule_.mmpp_high_share;
    change_state();
    Segments rehearsal = *this;
    const double expected = rehearsal.take_all();
    if (expected > 0) low_ *= mean_rps(replay_->curve, replay_->duration_s) * replay_->duration_s / expected;
    factor_ = high_ ? low_ * rule_.mmpp_ratio : low_;
  }

  bool next(Segment& segment) {
    if (at_ns_ >= duration_ns_) return false;
    while (bin_end_ns_ <= at_ns_) open_bin();
    segment.begin_ns = at_ns_;
    segment.end_ns = std::min({bin_end_ns_, change_ns_, duration_ns_});
    segment.per_ns = bin_rate_ * factor_;
    at_ns_ = segment.end_ns;
    if (at_ns_ == change_ns_) change_state();
    return true;
  }

 private:
  double take_all() {
    double expected = 0;
    for (Segment segment; next(segment);) {
      expected += static_cast<double>(segment.end_ns - segment.begin_ns) * segment.per_ns;
    }
    return expected;
  }

  void open_bin() {
    const RateCurve& curve = replay_->curve;
    HARNESS_CHECK(bin_ < curve.rps.size(), "a replay is no longer than its curve");
    bin_rate_ = curve.rps[bin_] / static_cast<double>(kNsPerS);
    ++bin_;
    bin_end_ns_ = bin_ == curve.rps.size() ? duration_ns_ : s_to_ns(static_cast<double>(bin_) * curve.bin_s);
  }

  void change_state() {
    high_ = !high_;
    factor_ = high_ ? low_ * rule_.mmpp_ratio : low_;
    const double low_s = rule_.mmpp_high_s * (1.0 - rule_.mmpp_high_share) / rule_.mmpp_high_share;
    const double stay_s = random_.exponential() * (high_ ? rule_.mmpp_high_s : low_s);
    change_ns_ = at_ns_ + std::max<TimeNs>(1, s_to_ns(std::min(stay_s, 1e9)));
  }

  std::shared_ptr<const Replay> replay_;
  PlacingRule rule_;
  TimeNs duration_ns_;
  RandomStream random_;
  TimeNs at_ns_ = 0;
  TimeNs bin_end_ns_ = 0;
  TimeNs change_ns_ = kNever;
  std::size_t bin_ = 0;
  double bin_rate_ = 0;
  double factor_ = 1;
  double low_ = 1;
  bool high_ = false;
};

struct PoissonGaps {
  PoissonGaps(const PlacingRule&, std::uint64_t seed) : exponential(RandomStream(seed, "arrivals")) {}
  double first() { return exponential.next(); }
  double next(TimeNs) { return exponential.next(); }
  ExponentialGaps exponential;
};

struct EvenGaps {
  EvenGaps(const PlacingRule&, std::uint64_t) {}
  double first() { return 0.5; }
  double next(TimeNs) { return 1; }
};

struct GammaGaps {
  GammaGaps(const PlacingRule& rule, std::uint64_t seed)
      : random(seed, "arrivals"), shape(1.0 / (rule.cv * rule.cv)), scale(rule.cv * rule.cv) {}
  double first() { return next(0); }
  double next(TimeNs) { return random.gamma(shape) * scale; }
  RandomStream random;
  double shape;
  double scale;
};

/// Gamma gaps whose squared CV moves with time.
struct MovingGammaGaps {
  MovingGammaGaps(const PlacingRule& rule, std::uint64_t seed)
      : random(seed, "arrivals"), from_scv(rule.cv * rule.cv), change(rule.change) {}
  double first() { return next(0); }
  double next(TimeNs at) {
    const double scv = scv_at(at);
    return random.gamma(1.0 / scv) * scv;
  }
  double scv_at(TimeNs at) const {
    if (at < change.from_ns) return from_scv;
    if (at >= change.until_ns) return change.to_scv;
    const double share =
        static_cast<double>(at - change.from_ns) / static_cast<double>(change.until_ns - change.from_ns);
    return from_scv + (change.to_scv - from_scv) * share;
  }
  RandomStream random;
  double from_scv;
  PlacingRule::ScvChange change;
};

/// The base of sources that follow a curve, placed by a rule.
class ReplayArrivals : public ArrivalSource {
 public:
  ReplayArrivals(std::shared_ptr<const Replay> replay, const PlacingRule& rule, std::uint64_t seed)
      : replay_(std::move(replay)), rule_(rule), seed_(seed), duration_ns_(s_to_ns(replay_->duration_s)) {}

  TimeNs duration_ns() const override { return duration_ns_; }
  double expected_requests() const override {
    return mean_rps(replay_->curve, replay_->duration_s) * replay_->duration_s;
  }

 protected:
  std::shared_ptr<const Replay> replay_;
  PlacingRule rule_;
  std::uint64_t seed_;
  TimeNs duration_ns_;
};

template <class Gaps>
class CurveArrivals : public ReplayArrivals {
 public:
  CurveArrivals(std::shared_ptr<const Replay> replay, const PlacingRule& rule, std::uint64_t seed)
      : ReplayArrivals(std::move(replay), rule, seed), segments_(replay_, rule, seed), gaps_(rule, seed) {
    gap_ = gaps_.first();
  }

  std::size_t next(std::span<TimeNs> out) override {
    std::size_t count = 0;
    while (count < out.size()) {
      while (gap_ >= left_) {
        gap_ -= left_;
        if (!open_segment()) return count;
      }
      count = fill(out, count);
    }
    return count;
  }

  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<CurveArrivals>(replay_, rule_, seed_);
  }

 private:
  bool open_segment() {
    left_ = 0;
    if (!segments_.next(segment_)) return false;
    left_ = static_cast<double>(segment_.end_ns - segment_.begin_ns) * segment_.per_ns;
    ns_per_request_ = segment_.per_ns > 0 ? 1.0 / segment_.per_ns : 0;
    offset_ns_ = 0;
    return true;
  }

  /// Writes requests of the open segment to `out` until the segment ends or `out` is full. Returns the new
  /// `count`.
  std::size_t fill(std::span<TimeNs> out, std::size_t count) {
    const TimeNs last_ns = segment_.end_ns - 1;
    double gap = gap_;
    double left = left_;
    double offset_ns = offset_ns_;
    while (count < out.size() && gap < left) {
      left -= gap;
      offset_ns += gap * ns_per_request_;
      const TimeNs at = std::min(segment_.begin_ns + static_cast<TimeNs>(offset_ns), last_ns);
      out[count++] = at;
      gap = gaps_.next(at);
    }
    gap_ = gap;
    left_ = left;
    offset_ns_ = offset_ns;
    return count;
  }

  Segments segments_;
  Gaps gaps_;
  Segment segment_;
  double gap_ = 0;   ///< expected requests between the last request (or the segment's begin) and the next
  double left_ = 0;  ///< expected requests in the rest of the segment
  double offset_ns_ = 0;  ///< time of the last request since the begin of the segment
  double ns_per_request_ = 0;
};

/// Sends as many requests in each bin as were counted there. Gaps place them within the bin: Poisson ones at
/// uniform times.
template <class Gaps>
class CountedArrivals : public ReplayArrivals {
 public:
  CountedArrivals(std::shared_ptr<const Replay> replay, const PlacingRule& rule, std::uint64_t seed)
      : ReplayArrivals(std::move(replay), rule, seed), gaps_(rule, seed) {}

  std::size_t next(std::span<TimeNs> out) override {
    std::size_t count = 0;
    while (count < out.size()) {
      while (left_ == 0) {
        if (!open_bin()) return count;
      }
      offset_ += gaps_.next(begin_ns_);
      const double place = offset_ / sum_ * static_cast<double>(end_ns_ - begin_ns_);
      const TimeNs at = std::min(begin_ns_ + static_cast<TimeNs>(place), end_ns_ - 1);
      if (--left_ == 0) gaps_.next(begin_ns_);  // the gap after the last request
      if (at < duration_ns_) out[count++] = at;
    }
    return count;
  }

  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<CountedArrivals>(replay_, rule_, seed_);
  }

 private:
  bool open_bin() {
    const RateCurve& curve = replay_->curve;
    if (bin_ == curve.rps.size() || end_ns_ >= duration_ns_) return false;
    begin_ns_ = end_ns_;
    end_ns_ = s_to_ns(static_cast<double>(bin_ + 1) * curve.bin_s);
    // Counts need not be whole: only their sum is, to the nearest whole number.
    const double before = std::floor(counted_ + 0.5);
    counted_ += curve.rps[bin_++] * curve.bin_s;
    left_ = static_cast<std::uint64_t>(std::floor(counted_ + 0.5) - before);
    offset_ = sum_ = 0;
    Gaps rehearsal = gaps_;
    for (std::uint64_t i = 0; i <= left_ && left_ > 0; ++i) sum_ += rehearsal.next(begin_ns_);
    return true;
  }

  Gaps gaps_;
  std::size_t bin_ = 0;
  TimeNs begin_ns_ = 0;
  TimeNs end_ns_ = 0;
  double counted_ = 0;      ///< sum of the counts in the bins up to this one
  std::uint64_t left_ = 0;  ///< number of requests left in this bin
  double offset_ = 0;       ///< sum of this bin's gaps so far
  double sum_ = 0;          ///< sum of all its gaps, up to the bin's end
};

class RecordedArrivals : public ArrivalSource {
 public:
  RecordedArrivals(std::shared_ptr<const std::vector<TimeNs>> times, TimeNs duration_ns)
      : times_(std::move(times)), duration_ns_(duration_ns) {}

  std::size_t next(std::span<TimeNs> out) override {
    const std::size_t count = std::min(out.size(), times_->size() - next_);
    std::copy_n(times_->begin() + static_cast<std::ptrdiff_t>(next_), count, out.begin());
    next_ += count;
    return count;
  }
  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<RecordedArrivals>(times_, duration_ns_);
  }
  TimeNs duration_ns() const override { return duration_ns_; }
  double expected_requests() const override { return static_cast<double>(times_->size()); }

 private:
  std::shared_ptr<const std::vector<TimeNs>> times_;
  TimeNs duration_ns_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ArrivalSource> make_curve_arrivals(std::shared_ptr<const Replay> replay,
                                                   const PlacingRule& rule, std::uint64_t seed) {
  switch (rule.process) {
    case ArrivalProcess::kUniform:
      return std::make_unique<CurveArrivals<EvenGaps>>(std::move(replay), rule, seed);
    case ArrivalProcess::kGamma:
      if (rule.change.to_scv > 0)
        return std::make_unique<CurveArrivals<MovingGammaGaps>>(std::move(replay), rule, seed);
      return std::make_unique<CurveArrivals<GammaGaps>>(std::move(replay), rule, seed);
    default:
      return std::make_unique<CurveArrivals<PoissonGaps>>(std::move(replay), rule, seed);
  }
}

std::unique_ptr<ArrivalSource> make_counted_arrivals(std::shared_ptr<const Replay> replay,
                                                     const PlacingRule& rule, std::uint64_t seed) {
  switch (rule.process) {
    case ArrivalProcess::kUniform:
      return std::make_unique<CountedArrivals<EvenGaps>>(std::move(replay), rule, seed);
    case ArrivalProcess::kGamma:
      return std::make_unique<CountedArrivals<GammaGaps>>(std::move(replay), rule, seed);
    default:
      return std::make_unique<CountedArrivals<PoissonGaps>>(std::move(replay), rule, seed);
  }
}

std::unique_ptr<ArrivalSource> make_recorded_arrivals(std::shared_ptr<const std::vector<TimeNs>> times,
                                                      TimeNs duration_ns) {
  return std::make_unique<RecordedArrivals>(std::move(times), duration_ns);
}

}  // namespace harness
