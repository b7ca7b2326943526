#include "workloads/catalogue/service_profiles.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/input_error.h"

namespace harness {
namespace {

constexpr int kMaxSlots = 4096;
constexpr double kMaxTokens = 1e7;
constexpr double kFastest = 1e12;
constexpr double kWidest = 4;  ///< sigma of a lognormal

/// True if the key has the second of two words; the first is the default.
bool is_second(const TableReader& fields, const std::string& key, const char* first, const char* second) {
  const std::string word = fields.text_or(key, first);
  if (word == second) return true;
  if (word == first) return false;
  throw input_error(fields.place(key), "\"" + word + "\"",
                    "one of " + std::string(first) + ", " + std::string(second));
}

TokenLengths lengths_of(const TableReader& fields, const std::string& what) {
  TokenLengths lengths;
  lengths.median = fields.number(what + "_median", 1, kMaxTokens);
  lengths.sigma = fields.number(what + "_sigma", 0, kWidest);
  lengths.most = fields.number_or("max_tokens", 1, kMaxTokens, lengths.most);
  return lengths;
}

/// Returns the total rates at 1..slots sequences, in straight lines between the given ones and constant after
/// the last.
std::vector<double> decode_curve(const TableReader& fields, int slots) {
  const std::vector<double> points = fields.numbers("concurrency", 1, kMaxSlots);
  const std::vector<double> rates = fields.numbers("decode_tokens_per_s", 1e-6, kFastest);
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
  for (int count = 1; count <= slots; ++count) {
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

/// Returns a profile with name, device and source; its device is `device` if neither the table nor the top
/// has one.
Profile named_profile(const TableReader& fields, const TableReader& top, const std::string& device) {
  Profile profile;
  profile.model = fields.text("model");
  profile.device = fields.text_or("device", device);
  if (profile.device.empty())
    throw input_error(fields.place("device"), "nothing", "a device, here or at the top");
  profile.source = fields.text_or("source", top.text_or("source", ""));
  return profile;
}

TimeNs whole_ns(double ns) {
  constexpr double kLongestNs = 1e18;  // what no objective allows, but a TimeNs holds
  return static_cast<TimeNs>(std::clamp(ns + 0.5, 1.0, kLongestNs));
}

}  // namespace

Profile shared_profile(const TableReader& fields, const TableReader& top) {
  fields.require_known({"model", "device", "source", "slots", "prefill_tokens_per_s", "chunk_tokens",
                        "concurrency", "decode_tokens_per_s", "ends_at", "lengths", "input_median",
                        "input_sigma", "output_median", "output_sigma", "max_tokens"});
  Profile profile = named_profile(fields, top, top.text_or("device", ""));
  profile.service = Service::kShared;
  SharedService& shared = profile.shared;
  shared.slots = fields.integer("slots", 1, kMaxSlots);
  shared.prefill_tokens_per_s = fields.number("prefill_tokens_per_s", 1e-6, kFastest);
  shared.chunk_tokens = fields.number_or("chunk_tokens", 1, kMaxTokens, shared.chunk_tokens);
  shared.decode_tokens_per_s = decode_curve(fields, shared.slots);
  shared.ends_at_first_token = is_second(fields, "ends_at", "last_token", "first_token");
  shared.lengths_from_trace = is_second(fields, "lengths", "drawn", "trace");
  shared.input = lengths_of(fields, "input");
  shared.output = lengths_of(fields, "output");
  profile.latency_ns = {whole_ns(alone_ns(shared, mean_of(shared.input), mean_of(shared.output)))};
  return profile;
}

Profile delay_profile(const TableReader& fields, const TableReader& top) {
  fields.require_known({"model", "device", "source", "threads", "median_ms", "sigma"});
  Profile profile = named_profile(fields, top, "remote");
  profile.service = Service::kDelay;
  profile.delay.slots = fields.integer("threads", 1, kMaxSlots);
  profile.delay.median_ns = ms_to_ns(fields.number("median_ms", 1e-6, 1e7));
  profile.delay.sigma = fields.number("sigma", 0, kWidest);
  profile.latency_ns = {whole_ns(mean_ns(profile.delay))};
  return profile;
}

}  // namespace harness
