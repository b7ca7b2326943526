#include "harness/core/request_sizes.h"

#include <algorithm>
#include <utility>

#include "harness/core/random.h"

namespace harness {
namespace {

constexpr double kLongestNs = 1e18;  ///< 31 years: later times stay within TimeNs

std::uint64_t index_of(RequestId request, ModuleId module) { return (request << 16) | module; }

std::uint32_t draw(const TokenLengths& lengths, RandomStream& random) {
  const double tokens = lengths.median * portable_exp(lengths.sigma * random.normal());
  return static_cast<std::uint32_t>(std::clamp(tokens + 0.5, 1.0, std::max(1.0, lengths.most)));
}

}  // namespace

RequestSizes::RequestSizes(std::uint64_t seed, const std::vector<Profile>& profiles,
                           std::shared_ptr<const TraceTokens> trace)
    : seed_(seed), trace_(std::move(trace)) {
  for (const Profile& profile : profiles) {
    const SharedService& shared = profile.shared;
    modules_.push_back({shared.input, shared.output, shared.lengths_from_trace});
  }
}

TokenCount RequestSizes::of(RequestId request, ModuleId module) const {
  const Lengths& lengths = modules_[module];
  if (lengths.from_trace && trace_ != nullptr && !trace_->empty()) return (*trace_)[request % trace_->size()];
  RandomStream random(seed_, "tokens", index_of(request, module));
  TokenCount tokens;
  tokens.input = draw(lengths.input, random);
  tokens.output = draw(lengths.output, random);
  return tokens;
}

TimeNs delay_of(const DelayService& delay, std::uint64_t seed, RequestId request, ModuleId module) {
  RandomStream random(seed, "delay", index_of(request, module));
  const double ns = static_cast<double>(delay.median_ns) * portable_exp(delay.sigma * random.normal());
  return static_cast<TimeNs>(std::clamp(ns + 0.5, 1.0, kLongestNs));
}

}  // namespace harness
