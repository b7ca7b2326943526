#include "workloads/trace_files/counts.h"

#include <algorithm>
#include <cmath>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "workloads/arrivals/rate_curve.h"

namespace harness {

std::vector<double> counts_of(const std::vector<TimeNs>& times_ns, double bin_s) {
  const double bins = times_ns.empty() ? 0 : std::floor(bins_of(ns_to_s(times_ns.back()), bin_s)) + 1;
  if (bins > static_cast<double>(kMaxBins)) {
    throw input_error({"", 0, "bin_s"},
                      text_of(bin_s) + " for a trace of " + text_of(ns_to_s(times_ns.back())) + " s",
                      "at most 50000000 bins");
  }
  std::vector<double> counts(times_ns.empty() ? 0 : bin_of(times_ns.back(), bin_s) + 1, 0.0);
  for (const TimeNs time : times_ns) counts[bin_of(time, bin_s)] += 1;
  return counts;
}

std::vector<double> counts_of(const ArrivalSource& source, double bin_s) {
  const double bins = std::ceil(bins_of(ns_to_s(source.duration_ns()), bin_s));
  std::vector<double> counts(static_cast<std::size_t>(std::max(1.0, bins)), 0.0);
  const std::unique_ptr<ArrivalSource> copy = source.restarted();
  std::array<TimeNs, 512> times{};
  while (const std::size_t count = copy->next(times)) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bin = bin_of(times[i], bin_s);
      counts[std::min(bin, counts.size() - 1)] += 1;
    }
  }
  return counts;
}

std::string counts_text(const std::string& title, double bin_s, const std::vector<double>& counts) {
  const bool is_whole =
      std::all_of(counts.begin(), counts.end(), [](double count) { return std::floor(count) == count; });
  std::string text =
      "# " + title + "\n# bin_s = " + text_of(bin_s) + (is_whole ? "" : "\n# decimal = .") + "\ncount\n";
  for (const double count : counts) text += text_of(count) + "\n";
  return text;
}

}  // namespace harness
