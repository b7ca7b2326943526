#include "workloads/trace_files/trace_data.h"

#include <algorithm>

#include "harness/core/param_list.h"

namespace harness {

TimeNs longest_gap(std::span<const TimeNs> times_ns) {
  TimeNs longest = 0;
  for (std::size_t i = 1; i < times_ns.size(); ++i)
    longest = std::max(longest, times_ns[i] - times_ns[i - 1]);
  return longest;
}

constexpr const char* kFormatsOfAnyone[] = {"times", "counts", "rates", "counter", "gaps"};

std::string described(const TraceData& data) {
  const auto is_of_anyone = [&](const char* format) { return data.format == format; };
  const bool is_published = std::ranges::none_of(kFormatsOfAnyone, is_of_anyone);
  std::string text = (is_published ? data.format + ": " : "") + data.reading;
  std::string notes;
  for (const std::string& note : data.notes) notes += "; " + note;
  if (!data.times_ns.empty()) {
    const TimeNs longest = longest_gap(data.times_ns);
    return text + "; " + std::to_string(data.times_ns.size()) + " requests over " +
           text_of(ns_to_s(data.times_ns.back())) + " s, longest gap " + text_of(ns_to_s(longest)) + " s" +
           (data.times_ns.front() > longest
                ? ", the first at " + text_of(ns_to_s(data.times_ns.front())) + " s"
                : "") +
           notes;
  }
  double requests = 0;
  for (const double count : data.counts) requests += count;
  const auto empty = std::count(data.counts.begin(), data.counts.end(), 0.0);
  return text + "; " + text_of(requests) + " requests over " +
         text_of(data.bin_s * static_cast<double>(data.counts.size())) + " s, " + std::to_string(empty) +
         " of " + std::to_string(data.counts.size()) + " bins empty" + notes;
}

}  // namespace harness
