#include "harness/gpu/profiling/repeated_times.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

std::vector<std::size_t> order_of_round(std::size_t things, std::uint64_t seed, std::size_t round) {
  std::vector<std::size_t> order(things);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random(seed, "timing order", round);
  for (std::size_t i = things; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

bool all_narrow(const RepeatedTimes& result, double half_width) {
  for (const std::vector<TimeNs>& times : result.times) {
    if (summary_of(times).half_width_share() > half_width) return false;
  }
  return true;
}

}  // namespace

const char* name_of(StoppedBy reason) {
  constexpr const char* kNames[] = {"narrow", "rounds", "time"};
  return kNames[static_cast<int>(reason)];
}

double RepeatedTimes::drift() const {
  if (times.empty() || times.front().size() < 2) return 0;
  double sum = 0;
  for (const std::vector<TimeNs>& each : times) {
    const std::size_t half = each.size() / 2;
    const std::span<const TimeNs> all(each);
    const TimeNs first = median_of(all.first(half));
    sum += static_cast<double>(median_of(all.last(half))) / static_cast<double>(first) - 1;
  }
  return sum / static_cast<double>(times.size());
}

RepeatedTimes time_repeatedly(std::size_t things, const std::function<TimeNs(std::size_t)>& time_once,
                              const RepeatRule& rule, const std::function<TimeNs()>& now_ns) {
  HARNESS_CHECK(things > 0 && rule.least_rounds >= 6 && rule.most_rounds >= rule.least_rounds,
                "a rule that cannot be met");
  const TimeNs end_ns = now_ns() + rule.limit_ns;
  for (std::size_t thing = 0; thing < things; ++thing) {
    for (int run = 0; run < rule.warm_up && (run == 0 || now_ns() < end_ns); ++run) time_once(thing);
  }
  RepeatedTimes result;
  result.times.resize(things);
  std::size_t next_look = static_cast<std::size_t>(rule.least_rounds);
  for (std::size_t round = 1;; ++round) {
    for (const std::size_t thing : order_of_round(things, rule.seed, round)) {
      const TimeNs time = time_once(thing);
      HARNESS_CHECK(time > 0, "a timing of nothing");
      result.times[thing].push_back(time);
    }
    if (round >= next_look) {
      if (all_narrow(result, rule.half_width)) return result;
      next_look = round + std::max<std::size_t>(1, round / 4);
    }
    const bool last = round == static_cast<std::size_t>(rule.most_rounds);
    if (last || now_ns() >= end_ns) {
      const bool narrow =
          round >= static_cast<std::size_t>(rule.least_rounds) && all_narrow(result, rule.half_width);
      result.stopped_by = narrow ? StoppedBy::kNarrow : last ? StoppedBy::kRounds : StoppedBy::kTime;
      return result;
    }
  }
}

}  // namespace harness
