#include "harness/core/shared_service.h"

#include <algorithm>

#include "harness/core/types.h"

namespace harness {
namespace {

double ns_of(double tokens, double tokens_per_s) { return tokens / tokens_per_s * kNsPerS; }

/// Returns the number of tokens after the first, which the prefill makes.
double decoded(double output_tokens) { return std::max(0.0, output_tokens - 1); }

}  // namespace

double prefill_ns(const SharedService& shared, double input_tokens) {
  return ns_of(input_tokens, shared.prefill_tokens_per_s);
}

double alone_ns(const SharedService& shared, double input_tokens, double output_tokens) {
  const double prefill = prefill_ns(shared, input_tokens);
  if (shared.ends_at_first_token) return prefill;
  return prefill + ns_of(decoded(output_tokens), shared.decode_tokens_per_s.front());
}

double work_ns(const SharedService& shared, double input_tokens, double output_tokens) {
  const double best = *std::max_element(shared.decode_tokens_per_s.begin(), shared.decode_tokens_per_s.end());
  return prefill_ns(shared, input_tokens) + ns_of(decoded(output_tokens), best);
}

SharedService scaled(const SharedService& shared, double factor) {
  SharedService result = shared;
  result.prefill_tokens_per_s /= factor;
  for (double& rate : result.decode_tokens_per_s) rate /= factor;
  return result;
}

}  // namespace harness
