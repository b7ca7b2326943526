// Profiles: how long a batch takes, per model and device (PARD section 5.1: offline profiling).
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

// How a worker serves a visit other than in batches: continuous batching and remote
// calls.

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

/// In what a model computes: of its weights and of what its layers hand on.
enum class Precision : std::uint8_t { kFp32, kFp16, kBf16 };
inline constexpr std::array<const char*, 3> kPrecisions = {"fp32", "fp16", "bf16"};
constexpr const char* name_of(Precision precision) {
  return kPrecisions[static_cast<std::size_t>(precision)];
}
/// The precision of that name; nothing: none has it.
std::optional<Precision> precision_of(std::string_view name);

/// The goodput of one device under an SLO (SHEPHERD, section 4: T).
struct GoodputPoint {
  TimeNs slo_ns = 0;
  double rps = 0;  ///< requests/s that it serves in time; 0: none can end in time
};

/// Latency of one model on one device for every batch size 1..max_batch(). Latencies are positive; they need
/// not grow with the batch size (real kernels change). A shared or delay service has one latency, for
/// planning: the time that its mean visit takes alone, or the mean call.
struct Profile {
  std::string model;
  std::string device;
  std::string source;              ///< citation, one line
  std::vector<TimeNs> latency_ns;  ///< [b - 1] is the latency of a batch of b
  std::vector<int> measured;       ///< batch sizes, rising; others lie on lines between; empty: all were
  TimeNs handover_ns = 0;          ///< of a batch decided at the end of the one before; 0: not known
  double memory_mb = 0;            ///< resident size, 0 when the source does not say
  TimeNs load_ns = 0;              ///< time to load it onto a device, 0 when the source does not say
  int exit_points = 0;             ///< where a running batch can be preempted; 0: the source names none
  int gpus = 1;                    ///< that an instance takes, all of one server
  /// Core time of a batch of one: what its CPU part takes on one core (QUART, section 3.4: serialisation,
  /// transfers, control flow). The part divides evenly among cores. 0: not known.
  TimeNs cpu_ns = 0;
  int cores = 0;                      ///< with which latency_ns was measured; 0: not known, as cpu_ns is
  std::vector<GoodputPoint> goodput;  ///< by rising SLO; empty: not known
  std::string goodput_source;         ///< how it was found, one line
  /// In which it computes, where that was measured here; nothing: another source, which need not say.
  std::optional<Precision> precision;
  Service service = Service::kBatch;
  SharedService shared;  ///< service = kShared
  DelayService delay;    ///< service = kDelay

  int max_batch() const { return static_cast<int>(latency_ns.size()); }
  /// Latency of a batch of `batch` in 1..max_batch().
  TimeNs latency(int batch) const { return latency_ns[static_cast<std::size_t>(batch - 1)]; }
};

/// Latency of a batch of `batch` on an instance with `cores` cores. A batch of one takes its GPU part and
/// cpu_ns / cores; a larger one is longer or shorter than measured by the same share. `cores` = 0, or a
/// profile without cpu_ns: as measured.
TimeNs latency_with_cores(const Profile& profile, int batch, int cores);

/// The largest throughput in requests/s over the batch sizes 1..cap (at most max_batch()).
double best_throughput_rps(const Profile& profile, int cap);

/// The largest throughput in requests/s over the batch sizes 1..cap whose latency is at most `most_ns`; 0
/// when there is none.
double best_throughput_within_rps(const Profile& profile, int cap, TimeNs most_ns);

/// The goodput of one device under that SLO: the profile's own, or on the straight line between its
/// neighbours. Nothing when the SLO lies outside of those that the profile has.
std::optional<double> goodput_rps(const Profile& profile, TimeNs slo_ns);

/// Requests/s of one worker with batches of `batch`. Of a shared server: its share of the visits/s that the
/// full server completes at its mean lengths; a thread: calls/s.
double worker_rps(const Profile& profile, int batch);

/// Workers that one server or thread pool has, which are planned as they are: visits that it takes at once.
/// Others wait in the module's queue. 0: the planner decides (batches).
int fixed_workers(const Profile& profile);

/// The same profile with all latencies, and their CPU part, multiplied by `factor` > 0 (a slower or faster
/// device); its goodput is that under SLOs that are as many times as long. A remote call (delay) stays as it
/// is.
Profile scaled(const Profile& profile, double factor);

// How long each request's texts are: what a visit at a shared service costs.

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
