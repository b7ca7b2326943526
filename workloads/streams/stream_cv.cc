#include "workloads/streams/stream_cv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// The group of a stream that is left over.
constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

std::vector<std::uint32_t> shuffled(std::size_t streams, std::uint64_t seed) {
  std::vector<std::uint32_t> order(streams);
  std::iota(order.begin(), order.end(), 0U);
  RandomStream random(seed, "stream groups");
  for (std::size_t i = streams; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<std::uint32_t> groups_of(const std::vector<std::uint32_t>& order, std::size_t size) {
  std::vector<std::uint32_t> groups(order.size(), kNoGroup);
  for (std::size_t i = 0; i < order.size() / size * size; ++i)
    groups[order[i]] = static_cast<std::uint32_t>(i / size);
  return groups;
}

/// Computes the sums over the windows of one length, for all groups of one size.
class WindowSums {
 public:
  WindowSums(TimeNs window_ns, std::uint64_t windows, std::size_t groups)
      : window_ns_(window_ns), windows_(windows), sums_(groups) {}

  void add(TimeNs at, std::uint32_t group) {
    if (group == kNoGroup) return;
    const auto window = static_cast<std::uint64_t>(at / window_ns_);
    if (window >= windows_) return;
    Sums& sums = sums_[group];
    if (window != sums.window) close(sums, window);
    ++sums.count;
  }

  void finish(StreamCv& result) {
    const auto windows = static_cast<double>(windows_);
    for (Sums& sums : sums_) {
      close(sums, windows_);
      if (sums.total == 0) continue;
      const double mean = sums.total / windows;
      const double variance = std::max(0.0, sums.squares / windows - mean * mean);
      result.mean_cv += std::sqrt(variance) / mean;
      ++result.groups;
    }
    if (result.groups > 0) result.mean_cv /= static_cast<double>(result.groups);
  }

 private:
  /// The sums of one group over closed windows, and its open window.
  struct Sums {
    std::uint64_t window = 0;
    double count = 0;
    double total = 0;
    double squares = 0;
  };

  static void close(Sums& sums, std::uint64_t next) {
    sums.total += sums.count;
    sums.squares += sums.count * sums.count;
    sums.count = 0;
    sums.window = next;
  }

  TimeNs window_ns_;
  std::uint64_t windows_;
  std::vector<Sums> sums_;
};

TimeNs window_ns(double window_s) { return std::max<TimeNs>(1, s_to_ns(window_s)); }

void check(const ArrivalSource& source, std::size_t streams, const std::vector<double>& windows_s,
           const std::vector<std::size_t>& sizes) {
  for (const double window_s : windows_s) {
    if (source.duration_ns() / window_ns(window_s) >= 2) continue;
    throw input_error({"", 0, "window"}, text_of(window_s) + " s",
                      "at most half of the run, " + text_of(ns_to_s(source.duration_ns()) / 2) + " s");
  }
  for (const std::size_t size : sizes) {
    if (size >= 1 && size <= streams) continue;
    throw input_error({"", 0, "group"}, std::to_string(size), "1 to the streams, " + std::to_string(streams));
  }
}

}  // namespace

std::vector<StreamCv> stream_cvs(const ArrivalSource& source, std::size_t streams,
                                 const std::vector<double>& windows_s, const std::vector<std::size_t>& sizes,
                                 std::uint64_t seed) {
  check(source, streams, windows_s, sizes);
  const std::vector<std::uint32_t> order = shuffled(streams, seed);
  std::vector<std::vector<std::uint32_t>> groups;
  for (const std::size_t size : sizes) groups.push_back(groups_of(order, size));
  std::vector<StreamCv> results;
  std::vector<WindowSums> sums;
  for (const double window_s : windows_s) {
    const auto windows = static_cast<std::uint64_t>(source.duration_ns() / window_ns(window_s));
    for (const std::size_t size : sizes) {
      results.push_back({window_s, size, 0, windows, 0});
      sums.emplace_back(window_ns(window_s), windows, streams / size);
    }
  }
  const auto arrivals = source.restarted();
  std::array<TimeNs, 1024> times{};
  std::array<StreamId, 1024> senders{};
  while (const std::size_t count = arrivals->next(times, senders)) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const std::vector<std::uint32_t>& group = groups[k % sizes.size()];
      for (std::size_t i = 0; i < count; ++i) sums[k].add(times[i], group[senders[i]]);
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k].finish(results[k]);
  return results;
}

}  // namespace harness
