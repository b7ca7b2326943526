// How long each request's texts are: what a visit at a shared service costs.
#pragma once

#include <memory>
#include <vector>

#include "harness/core/profile.h"

namespace harness {

/// Token counts of the requests of a trace, in order; a run wraps around.
using TraceTokens = std::vector<TokenCount>;

/// Lengths by request and module, computed when asked for: the same for every system, in any order.
/// Single-threaded.
class RequestSizes {
 public:
  /// `trace` may be null or empty: all lengths are then drawn from the profiles' distributions.
  RequestSizes(std::uint64_t seed, const std::vector<Profile>& profiles,
               std::shared_ptr<const TraceTokens> trace);

  /// Both lengths; the module's service must be shared. For the world that runs the visit: a system may ask
  /// for the input, and for the output only where it is an oracle by name.
  TokenCount of(RequestId request, ModuleId module) const;
  /// Length of the input: known when the request is sent.
  std::uint32_t input_tokens(RequestId request, ModuleId module) const { return of(request, module).input; }
  /// Length of the output, which no real system knows before it has been made (PARD section 7: "oracle
  /// knowledge of rewrite output length").
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

/// Latency of a remote call of the request at the module: its own draw, whoever asks, whenever.
TimeNs delay_of(const DelayService& delay, std::uint64_t seed, RequestId request, ModuleId module);

}  // namespace harness
