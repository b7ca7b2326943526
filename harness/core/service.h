// How a worker serves a visit other than in batches (design, section 2): continuous batching and remote
// calls.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// batch: one batch at a time, its latency by size. shared: the worker is one slot of a server that runs many
/// visits at once (continuous batching). delay: the worker is a thread that waits for a remote call.
enum class Service : std::uint8_t { kBatch, kShared, kDelay };

/// Length of a request's text at a module of a shared service.
struct TokenCount {
  std::uint32_t input = 0;
  std::uint32_t output = 1;  ///< at least 1: the prefill makes the first one
  bool operator==(const TokenCount&) const = default;
};

/// A lognormal number of tokens: median x e^(sigma x N(0, 1)), rounded, within 1..most.
struct TokenLengths {
  double median = 1;
  double sigma = 0;
  double most = 16384;
};

/// A server with continuous batching and chunked prefill, as vLLM runs it. While prompts wait, a step carries
/// one token of each sequence that decodes and `chunk_tokens` of prompts in order of arrival; it takes the
/// sum of the two alone. Otherwise a step decodes one token of each.
struct SharedService {
  int slots = 1;  ///< sequences at once on one server (vLLM: max_num_seqs)
  double prefill_tokens_per_s = 1;
  double chunk_tokens = 2048;               ///< vLLM: max_num_batched_tokens
  std::vector<double> decode_tokens_per_s;  ///< [n - 1]: all together when n sequences decode, 1..slots
  /// The visit ends at its first token; what it has yet to decode stays on the server. A server then takes
  /// only as many visits at once as prompts of mean length have room in a step.
  bool ends_at_first_token = false;
  TokenLengths input;
  TokenLengths output;
  bool lengths_from_trace = false;  ///< a trace with lengths replaces `input` and `output`
};

/// A remote call: lognormal latency, independent of all others.
struct DelayService {
  int slots = 1;  ///< threads
  TimeNs median_ns = 1;
  double sigma = 0;
};

/// Mean of the lognormal (without rounding and `most`).
double mean_of(const TokenLengths& lengths);
/// Mean latency of the call.
double mean_ns(const DelayService& delay);
/// Time of a prompt alone on the server.
double prefill_ns(const SharedService& shared, double input_tokens);
/// Time of a visit alone on the server, to where it ends.
double alone_ns(const SharedService& shared, double input_tokens, double output_tokens);
/// Server time that all tokens of a visit cost at the server's best rates, whether or not the visit waits for
/// them.
double work_ns(const SharedService& shared, double input_tokens, double output_tokens);
/// The same server, slower by `factor`.
SharedService scaled(const SharedService& shared, double factor);

}  // namespace harness
