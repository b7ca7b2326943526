#include "harness/core/request_sizes.h"

#include <algorithm>
#include <utility>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

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
  RandomStream random(seed_, "tokens", (request << 16) | module);
  TokenCount tokens;
  tokens.input = draw(lengths.input, random);
  tokens.output = draw(lengths.output, random);
  return tokens;
}

}  // namespace harness
