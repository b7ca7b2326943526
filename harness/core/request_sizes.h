// The lengths of each request's texts: what a visit at a shared service costs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/token_count.h"
#include "harness/core/types.h"

namespace harness {

/// Token counts of the requests of a trace, in order; a longer run starts again at the first.
using TraceTokens = std::vector<TokenCount>;

/// Lengths by request and module, computed when asked for: they are the same for every system, in any order.
/// Single-threaded.
class RequestSizes {
 public:
  /// `trace` may be null or empty: all lengths are then drawn from the profiles' distributions.
  RequestSizes(std::uint64_t seed, const std::vector<Profile>& profiles,
               std::shared_ptr<const TraceTokens> trace);

  /// Returns both lengths; the module's service must be shared. It is for the world that runs the visit: a
  /// system may ask for the input, and for the output only if it is an oracle by name.
  TokenCount of(RequestId request, ModuleId module) const;
  /// Returns the length of the input, which is known when the request is sent.
  std::uint32_t input_tokens(RequestId request, ModuleId module) const { return of(request, module).input; }
  /// Returns the length of the output, which no real system knows before it has been made (PARD section 7:
  /// "oracle knowledge of rewrite output length").
  std::uint32_t oracle_output_tokens(RequestId request, ModuleId module) const {
    return of(request, module).output;
  }

 private:
  struct Lengths {
    TokenLengths input;
    TokenLengths output;
    bool from_trace = false;
  };
  std::uint64_t seed_;
  std::vector<Lengths> modules_;
  std::shared_ptr<const TraceTokens> trace_;
};

}  // namespace harness
