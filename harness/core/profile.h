// Profiles: the time that a batch takes, per model and device (PARD section 5.1: offline profiling).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/types.h"

namespace harness {

// Services other than batches: continuous batching and remote calls.

/// The way in which a worker serves visits. batch: it runs one batch at a time, whose latency depends on the
/// size. shared: it is one slot of a server that runs many visits at once (continuous batching). delay: it is
/// a thread that waits for a remote call.
enum class Service : std::uint8_t { kBatch, kShared, kDelay };

/// Length of a request's text, in and out, at a module of a shared service.
struct TokenCount {
  std::uint32_t input = 0;
  std::uint32_t output = 1;  ///< at least 1: the prefill makes the first token
  bool operator==(const TokenCount&) const = default;
};

/// A lognormal number of tokens: median x e^(sigma x N(0, 1)), rounded, within 1..most.
struct TokenLengths {
  double median = 1;
  double sigma = 0;
  double most = 16384;
};

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

/// A remote call, with a lognormal latency that is independent of all others.
struct DelayService {
  int slots = 1;  ///< number of threads
  TimeNs median_ns = 1;
  double sigma = 0;
};

/// Returns the mean of the lognormal distribution (without rounding and `most`).
double mean_of(const TokenLengths& lengths);
/// Returns the mean latency of the call.
double mean_ns(const DelayService& delay);
/// Returns the time of a prompt alone on the server.
double prefill_ns(const SharedService& shared, double input_tokens);
/// Returns the time of a visit alone on the server, to its end.
double alone_ns(const SharedService& shared, double input_tokens, double output_tokens);
/// Returns the server time that all tokens of a visit cost at the server's best rates, whether or not the
/// visit waits for them.
double work_ns(const SharedService& shared, double input_tokens, double output_tokens);
/// Returns the same server, slower by `factor`.
SharedService scaled(const SharedService& shared, double factor);

/// The number format in which a model computes, for its weights and for what its layers hand on.
enum class Precision : std::uint8_t { kFp32, kFp16, kBf16 };
inline constexpr std::array<const char*, 3> kPrecisions = {"fp32", "fp16", "bf16"};
constexpr const char* name_of(Precision precision) {
  return kPrecisions[static_cast<std::size_t>(precision)];
}
/// Returns the precision of that name; nothing if no precision has that name.
std::optional<Precision> precision_of(std::string_view name);

/// A point of the goodput of one device under an SLO (SHEPHERD, section 4: T).
struct GoodputPoint {
  TimeNs slo_ns = 0;
  double rps = 0;  ///< requests/s that it serves in time; 0: no request can end in time
};

/// The latency of one model on one device for every batch size 1..max_batch(). Latencies are positive; they
/// need not grow with the batch size (real kernels change). A shared or delay service has one latency, for
/// planning: the time that its mean visit takes alone, or the mean call.
struct Profile {
  std::string model;
  std::string device;
  std::string source;              ///< citation, one line
  std::vector<TimeNs> latency_ns;  ///< [b - 1] is the latency of a batch of b
  /// Measured batch sizes, rising; the latencies of others are on lines between them; empty: all were
  /// measured.
  std::vector<int> measured;
  /// Time to hand over a batch that is decided at the end of the one before; 0: not known.
  TimeNs handover_ns = 0;
  double memory_mb = 0;  ///< resident size, 0 if the source does not say
  TimeNs load_ns = 0;    ///< time to load it onto a device, 0 if the source does not say
  /// Number of places at which a running batch can be preempted; 0: the source names no places.
  int exit_points = 0;
  int gpus = 1;  ///< number of GPUs that an instance takes, all of one server
  /// Core time of a batch of one: the time that its CPU part takes on one core (QUART, section 3.4:
  /// serialisation, transfers, control flow). The part divides evenly among cores. 0: not known.
  TimeNs cpu_ns = 0;
  int cores = 0;  ///< number of cores with which latency_ns was measured; 0: not known, nor is cpu_ns
  std::vector<GoodputPoint> goodput;  ///< points by rising SLO; empty: not known
  std::string goodput_source;         ///< method by which it was found, one line
  /// Number format in which it computes, if it was measured here; nothing: another source, which need not
  /// say.
  std::optional<Precision> precision;
  /// Kind of service; `shared` counts for kShared, `delay` for kDelay.
  Service service = Service::kBatch;
  SharedService shared;
  DelayService delay;

  int max_batch() const { return static_cast<int>(latency_ns.size()); }
  /// Returns the latency of a batch of size `batch` in 1..max_batch().
  TimeNs latency(int batch) const { return latency_ns[static_cast<std::size_t>(batch - 1)]; }
};

/// Returns the latency of a batch of size `batch` on an instance with `cores` cores. A batch of one takes its
/// GPU part and cpu_ns / cores; a larger one is longer or shorter than measured by the same share. If `cores`
/// is 0, or the profile has no cpu_ns, the latency is as measured.
TimeNs latency_with_cores(const Profile& profile, int batch, int cores);

/// Returns the largest throughput in requests/s over the batch sizes 1..cap (at most max_batch()).
double best_throughput_rps(const Profile& profile, int cap);

/// Returns the largest throughput in requests/s over the batch sizes 1..cap whose latency is at most
/// `most_ns`; 0 if there is no such size.
double best_throughput_within_rps(const Profile& profile, int cap, TimeNs most_ns);

/// Returns the goodput of one device under that SLO: the profile's own, or the value on the straight line
/// between its neighbours. Returns nothing if the SLO lies outside the range of the profile's SLOs.
std::optional<double> goodput_rps(const Profile& profile, TimeNs slo_ns);

/// Returns the requests/s of one worker with batches of size `batch`. For a slot of a shared server, this is
/// its share of the visits/s that the full server completes at its mean lengths; for a thread, calls/s.
double worker_rps(const Profile& profile, int batch);

/// Returns the number of workers of one server or thread pool, which must be planned as they are: the number
/// of visits that it takes at once. Other visits wait in the module's queue. 0: the planner decides
/// (batches).
int fixed_workers(const Profile& profile);

/// Returns the same profile with all latencies, and their CPU part, multiplied by `factor` > 0 (a slower or
/// faster device). Its goodput under an SLO that is `factor` times as long is divided by `factor`. A remote
/// call (delay) stays as it is.
Profile scaled(const Profile& profile, double factor);

// The lengths of each request's texts: what a visit at a shared service costs.

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

/// Returns the latency of a remote call of the request at the module: a draw of its own, the same whoever
/// asks, and whenever.
TimeNs delay_of(const DelayService& delay, std::uint64_t seed, RequestId request, ModuleId module);

}  // namespace harness
