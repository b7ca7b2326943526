#include "workloads/catalogue/profile_notes.h"

#include <algorithm>

#include "harness/core/param_list.h"

namespace harness {
namespace {

constexpr TimeNs kMinNs = 20'000;       // about two launches of a kernel
constexpr TimeNs kMaxNs = 2 * kNsPerS;  // longer than the SLO of any pipeline for people
constexpr double kLargestFall = 0.1;    // real kernels fall by up to 0.07 where the library takes another one
constexpr int kLargestStep = 3;

std::string latency_text(TimeNs ns) { return text_of(ns_to_ms(ns)) + " ms"; }

/// Returns the largest fall from one batch size to the next, as a sentence; "" if none is large.
std::string fall_text(const Profile& profile) {
  int largest = 0;
  double most = kLargestFall;
  for (int batch = 2; batch <= profile.max_batch(); ++batch) {
    const double fall =
        1 - static_cast<double>(profile.latency(batch)) / static_cast<double>(profile.latency(batch - 1));
    if (fall <= most) continue;
    most = fall;
    largest = batch;
  }
  if (largest == 0) return "";
  return "a batch of " + std::to_string(largest) + " takes " + latency_text(profile.latency(largest)) +
         ", less than one of " + std::to_string(largest - 1) + " with " +
         latency_text(profile.latency(largest - 1));
}

std::string gap_text(int below, int above) {
  return "latencies of batches between " + std::to_string(below) + " and " + std::to_string(above) +
         " were not measured: they lie on a line between the latencies of the two";
}

}  // namespace

std::vector<std::string> odd_latencies(const Profile& profile) {
  std::vector<std::string> notes;
  if (profile.service != Service::kBatch) return notes;
  const TimeNs one = profile.latency(1);
  const auto [least, most] = std::minmax_element(profile.latency_ns.begin(), profile.latency_ns.end());
  const bool is_stand_in = profile.max_batch() > 1 && *least == *most;  // of a stage that computes nothing
  if ((one < kMinNs && !is_stand_in) || one > kMaxNs)
    notes.push_back("a batch of 1 takes " + latency_text(one) + ", too " + (one > kMaxNs ? "long" : "short") +
                    " for most models: are the latencies in milliseconds?");
  if (const std::string fall = fall_text(profile); !fall.empty()) notes.push_back(fall);
  for (std::size_t i = 1; i < profile.measured.size(); ++i) {
    if (profile.measured[i] > kLargestStep * profile.measured[i - 1])
      notes.push_back(gap_text(profile.measured[i - 1], profile.measured[i]));
  }
  return notes;
}

std::string unmeasured_batch(const Profile& profile, int batch) {
  const auto above = std::lower_bound(profile.measured.begin(), profile.measured.end(), batch);
  if (above == profile.measured.begin() || above == profile.measured.end() || *above == batch) return "";
  const int below = *(above - 1);
  return *above > kLargestStep * below ? gap_text(below, *above) : "";
}

}  // namespace harness
