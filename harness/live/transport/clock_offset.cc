#include "harness/live/transport/clock_offset.h"

#include <algorithm>
#include <cmath>

#include "harness/core/check.h"

namespace harness {
namespace {

constexpr double kPpm = 1e-6;

/// The nearest integer, halves upwards, so that adding an integer before or after gives the same.
TimeNs rounded(double ns) {
  const auto cut = static_cast<TimeNs>(ns + 0.5);
  return static_cast<double>(cut) > ns + 0.5 ? cut - 1 : cut;
}

}  // namespace

ClockOffset ClockOffset::of_rank0() {
  ClockOffset own;
  own.known_ = true;
  return own;
}

void ClockOffset::Interval::intersect(const Interval& other) {
  low = std::max(low, other.low);
  high = std::min(high, other.high);
}

void ClockOffset::add(TimeNs t0, TimeNs t1, TimeNs t2) {
  HARNESS_CHECK(t0 <= t2, "a round trip came back before it was sent");
  constexpr double kReadingNs = 1;  // clocks are read in whole nanoseconds, and the middle is rounded
  const double half_ns = static_cast<double>(t2 - t0) / 2;
  // t1 lies up to half a round trip from the middle, and the clocks drift in between.
  const double error_ns = half_ns * (1 + limits_.drift_ppm * kPpm) + kReadingNs;
  if (any_ && error_ns >= best_.error_ns) return;
  any_ = true;
  best_.at_ns = t0 + (t2 - t0) / 2;
  best_.offset_ns = t1 - best_.at_ns;
  best_.error_ns = error_ns;
}

bool ClockOffset::end_burst(TimeNs now) {
  if (!any_) return false;
  any_ = false;
  if (bursts_.size() == kBursts) bursts_.erase(bursts_.begin());
  bursts_.push_back(best_);
  renew(now);
  return true;
}

void ClockOffset::renew(TimeNs now) {
  Interval drift = slopes();
  Interval offset = offsets(drift);
  while (drift.empty() || offset.empty()) {  // cannot be with one burst
    bursts_.erase(bursts_.begin());
    ++contradictions_;
    drift = slopes();
    offset = offsets(drift);
  }
  const Burst& newest = bursts_.back();
  const double middle_ns = (offset.low + offset.high) / 2;
  Line next;
  next.from_ns = now;
  next.at_ns = newest.at_ns;
  next.offset_ns = newest.offset_ns + rounded(middle_ns);
  next.drift = (drift.low + drift.high) / 2;
  next.error_ns = (offset.high - offset.low) / 2 + 0.5;
  next.error_growth = (drift.high - drift.low) / 2 + wander();
  if (known_) {
    next.least_ns = to_rank0(now);
    next.behind_ns = static_cast<double>(next.least_ns - convert(next, now));
    before_ = line_;
  } else {
    before_ = next;
  }
  line_ = next;
  known_ = true;
}

double ClockOffset::wander() const {
  return bursts_.size() > 1 ? limits_.wander_ppm * kPpm : 0;  // one burst: drift_ppm bounds both together
}

ClockOffset::Interval ClockOffset::slopes() const {
  const double most = limits_.drift_ppm * kPpm;
  Interval allowed{-most, most};
  for (std::size_t j = 1; j < bursts_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const auto apart = static_cast<double>(bursts_[j].at_ns - bursts_[i].at_ns);
      if (apart <= 0) continue;
      const double slope = static_cast<double>(bursts_[j].offset_ns - bursts_[i].offset_ns) / apart;
      const double error = (bursts_[i].error_ns + bursts_[j].error_ns) / apart + wander();
      allowed.intersect({slope - error, slope + error});
    }
  }
  return allowed;
}

ClockOffset::Interval ClockOffset::offsets(const Interval& slopes) const {
  const Burst& newest = bursts_.back();
  Interval allowed{-newest.error_ns, newest.error_ns};
  for (const Burst& burst : bursts_) {
    const auto apart = static_cast<double>(newest.at_ns - burst.at_ns);
    const double change_a = (slopes.low - wander()) * apart;
    const double change_b = (slopes.high + wander()) * apart;
    const auto difference = static_cast<double>(burst.offset_ns - newest.offset_ns);
    allowed.intersect({difference - burst.error_ns + std::min(change_a, change_b),
                       difference + burst.error_ns + std::max(change_a, change_b)});
  }
  return allowed;
}

double ClockOffset::still_behind_ns(const Line& line, TimeNs local_ns) const {
  if (line.behind_ns == 0 || local_ns <= line.from_ns) return line.behind_ns;
  const double undone_ns = static_cast<double>(local_ns - line.from_ns) * limits_.slew_ppm * kPpm;
  if (undone_ns >= std::abs(line.behind_ns)) return 0;
  return line.behind_ns < 0 ? line.behind_ns + undone_ns : line.behind_ns - undone_ns;
}

TimeNs ClockOffset::convert(const Line& line, TimeNs local_ns) const {
  const double drifted_ns = line.drift * static_cast<double>(local_ns - line.at_ns);
  return local_ns + line.offset_ns + rounded(drifted_ns + still_behind_ns(line, local_ns));
}

TimeNs ClockOffset::to_rank0(TimeNs local_ns) const {
  HARNESS_CHECK(known_, "a time is converted before the clock's offset is known");
  if (local_ns < line_.from_ns) return convert(before_, local_ns);
  return std::max(convert(line_, local_ns), line_.least_ns);
}

TimeNs ClockOffset::to_local(TimeNs rank0_ns) const {
  TimeNs local_ns = rank0_ns - line_.offset_ns;
  for (int i = 0; i < 8; ++i) {  // each step leaves less than 0.2 % of the error
    const TimeNs error_ns = rank0_ns - to_rank0(local_ns);
    if (error_ns == 0) break;
    local_ns += error_ns;
  }
  while (to_rank0(local_ns) < rank0_ns) ++local_ns;
  while (to_rank0(local_ns - 1) >= rank0_ns) --local_ns;
  return local_ns;
}

TimeNs ClockOffset::bound_ns(TimeNs local_ns) const {
  const Line& line = local_ns < line_.from_ns ? before_ : line_;
  if (line.error_ns == 0) return 0;  // rank 0's own
  const double away_ns = std::abs(static_cast<double>(local_ns - line.at_ns));
  const double bound =
      line.error_ns + line.error_growth * away_ns + std::abs(still_behind_ns(line, local_ns));
  return static_cast<TimeNs>(std::ceil(bound + 1));  // to_rank0 rounds
}

TimeNs burst_gap_ns(int index, TimeNs period_ns) {
  constexpr TimeNs kFirstGapNs = 100 * kNsPerMs;
  constexpr int kMaxDoublings = 30;
  return std::min(period_ns, kFirstGapNs << std::min(index, kMaxDoublings));
}

}  // namespace harness
