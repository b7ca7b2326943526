#include "workloads/catalogue/service_profiles.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/input_error.h"

namespace harness {
namespace {

/// Returns the total rates at 1..slots sequences, in straight lines between the given ones and constant after
/// the last.
std::vector<double> decode_curve(const TableReader& fields, const SharedTable& table) {
  const std::vector<double>& points = table.concurrency;
  const std::vector<double>& rates = table.decode_tokens_per_s;
  if (points.size() != rates.size()) {
    throw input_error(fields.place("concurrency"), std::to_string(points.size()) + " numbers",
                      std::to_string(rates.size()) + ", as many as decode_tokens_per_s has");
  }
  const auto is_whole = [](double point) { return std::floor(point) == point; };
  if (points.empty() || points.front() != 1 || !std::all_of(points.begin(), points.end(), is_whole) ||
      !std::is_sorted(points.begin(), points.end(), std::less_equal<>())) {
    throw input_error(fields.place("concurrency"), "numbers that do not rise from 1",
                      "integers, 1 first, then each larger than the last");
  }
  std::vector<double> curve;
  std::size_t right = 0;
  for (int count = 1; count <= table.profile.shared.slots; ++count) {
    while (right < points.size() && points[right] < count) ++right;
    if (right == points.size()) {
      curve.push_back(rates.back());
    } else if (right == 0) {
      curve.push_back(rates.front());
    } else {
      const double share = (count - points[right - 1]) / (points[right] - points[right - 1]);
      curve.push_back(rates[right - 1] + (rates[right] - rates[right - 1]) * share);
    }
  }
  return curve;
}

TimeNs whole_ns(double ns) {
  constexpr double kLongestNs = 1e18;  // what no objective allows, but a TimeNs holds
  return static_cast<TimeNs>(std::clamp(ns + 0.5, 1.0, kLongestNs));
}

}  // namespace

void complete_names(const TableReader& fields, const SetTable& top, const std::string& device,
                    Profile& profile) {
  if (profile.device.empty()) profile.device = device;
  if (profile.device.empty())
    throw input_error(fields.place("device"), "nothing", "a device, here or at the top");
  if (profile.source.empty()) profile.source = top.source;
}

Profile shared_profile(const TableReader& fields, const SetTable& top) {
  const auto table = fields.read_as<SharedTable>();
  Profile profile = table.profile;
  complete_names(fields, top, top.device, profile);
  profile.service = Service::kShared;
  SharedService& shared = profile.shared;
  shared.decode_tokens_per_s = decode_curve(fields, table);
  shared.output.most = shared.input.most;
  profile.latency_ns = {whole_ns(alone_ns(shared, mean_of(shared.input), mean_of(shared.output)))};
  return profile;
}

Profile delay_profile(const TableReader& fields, const SetTable& top) {
  Profile profile = fields.read_as<DelayTable>().profile;
  complete_names(fields, top, "remote", profile);
  profile.service = Service::kDelay;
  profile.latency_ns = {whole_ns(mean_ns(profile.delay))};
  return profile;
}

}  // namespace harness
