#include "harness/record/run/request_metrics.h"

#include <algorithm>
#include <cstdint>

#include "harness/record/run/no_value.h"

namespace harness {
namespace {

/// Returns part / whole, or kNoValue if the whole is 0.
double ratio(double part, double whole) { return whole > 0 ? part / whole : kNoValue; }

}  // namespace

double min_goodput_share(std::span<const WindowCounts> windows, std::size_t length) {
  const std::size_t span = std::min(std::max<std::size_t>(length, 1), windows.size());
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  double least = kNoValue;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    sent += windows[i].sent;
    in_time += windows[i].in_time;
    if (i >= span) {
      sent -= windows[i - span].sent;
      in_time -= windows[i - span].in_time;
    }
    if (i + 1 >= span && sent > 0)
      least = std::fmin(least, ratio(static_cast<double>(in_time), static_cast<double>(sent)));
  }
  return least;
}

double mean_accuracy(const RunRecord& record) {
  return ratio(record.accuracy_sum, static_cast<double>(record.accuracy_requests));
}

double missed_in_the_end(const RunRecord& record, double seconds) {
  const auto wanted = static_cast<std::size_t>(seconds / ns_to_s(record.window_ns));
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  for (std::size_t i = record.windows.size() - std::min(wanted, record.windows.size());
       i < record.windows.size(); ++i) {
    sent += record.windows[i].sent;
    in_time += record.windows[i].in_time;
  }
  return ratio(static_cast<double>(sent - in_time), static_cast<double>(sent));
}

double missed_until_s(const RunRecord& record) {
  constexpr TimeNs kSpanNs = 10 * kNsPerS;
  constexpr std::uint64_t kPerCent = 100;
  const auto span = static_cast<std::size_t>(kSpanNs / record.window_ns);
  std::uint64_t sent = 0;
  std::uint64_t missed = 0;
  double until_s = 0;
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    sent += record.windows[i].sent;
    missed += record.windows[i].sent - record.windows[i].in_time;
    if (i >= span) {
      sent -= record.windows[i - span].sent;
      missed -= record.windows[i - span].sent - record.windows[i - span].in_time;
    }
    if (kPerCent * missed > sent) until_s = ns_to_s(static_cast<TimeNs>(i + 1) * record.window_ns);
  }
  return until_s;
}

}  // namespace harness
