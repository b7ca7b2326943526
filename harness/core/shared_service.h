// Servers with continuous batching, and the times that they take.
#pragma once

#include <vector>

#include "harness/core/token_count.h"

namespace harness {

/// A server with continuous batching and chunked prefill, as vLLM runs it. While prompts wait, a step carries
/// one token of each sequence that decodes and `chunk_tokens` of prompts in order of arrival, and takes as
/// long as both would take alone, added up. Otherwise a step decodes one token of each sequence.
struct SharedService {
  int slots = 1;  ///< number of sequences at once on one server (vLLM: max_num_seqs)
  double prefill_tokens_per_s = 1;
  double chunk_tokens = 2048;  ///< prompt tokens of a step (vLLM: max_num_batched_tokens)
  /// [n - 1]: rate of all sequences together if n of them decode, n = 1..slots.
  std::vector<double> decode_tokens_per_s;
  /// True if the visit ends at its first token; what it has yet to decode stays on the server. A server then
  /// takes only as many visits at once as prompts of mean length fit into a step.
  bool ends_at_first_token = false;
  TokenLengths input;
  TokenLengths output;
  bool lengths_from_trace = false;  ///< true: a trace with lengths replaces `input` and `output`
};

/// Returns the time of a prompt alone on the server.
double prefill_ns(const SharedService& shared, double input_tokens);
/// Returns the time of a visit alone on the server, to its end.
double alone_ns(const SharedService& shared, double input_tokens, double output_tokens);
/// Returns the server time that all tokens of a visit cost at the server's best rates, whether or not the
/// visit waits for them.
double work_ns(const SharedService& shared, double input_tokens, double output_tokens);
/// Returns the same server, slower by `factor`.
SharedService scaled(const SharedService& shared, double factor);

}  // namespace harness
