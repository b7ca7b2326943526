#include "workloads/catalogue/profile_table.h"

namespace harness {
namespace {

constexpr double kLongestMs = 1e7;
constexpr int kMaxSlots = 4096;
constexpr double kMaxTokens = 1e7;
constexpr double kFastest = 1e12;
constexpr double kWidest = 4;  ///< sigma of a lognormal

void list_names(Profile& profile, const char* device, ParamList& params) {
  params.text("model", profile.model, "a text", "the model").needed();
  params.text("device", profile.device, "a text", "the device").by_default(device);
  params.text("source", profile.source, "a text", "where the numbers are from").by_default("the file's");
}

void list_lengths(TokenLengths& lengths, const char* median, const char* sigma, ParamList& params) {
  params.number(median, lengths.median, 1, kMaxTokens, "lengths are lognormal: the median, in tokens")
      .needed();
  params.number(sigma, lengths.sigma, 0, kWidest, "their spread").needed();
}

}  // namespace

void SetTable::list(ParamList& params) {
  params.text("description", description, "a text", "what `harness list profiles` says of it");
  params.text("device", device, "a text", "the device of profiles that do not say one");
  params.text("source", source, "a text", "the source of profiles that do not say one");
  params.text("goodput_source", goodput_source, "a text",
              "the source of the goodputs of profiles that do not say one");
  params.text("base", base, "a name of `harness list profiles`, or a path from the file's folder",
              "the set whose profiles this one takes over; it has no base itself and runs batches alone");
  params.number("add_ms_per_batch", add_ms_per_batch, 0, kLongestMs,
                "with base: the time that each batch takes longer; goodputs of the base are then left out");
  params.number("add_ms_per_query", add_ms_per_query, 0, kLongestMs,
                "with base: the time that each query of a batch adds");
  params.other("profile", "tables [[profile]]", "models that run batches, one at a time");
  params.other("shared", "tables [[shared]]", "servers with continuous batching");
  params.other("delay", "tables [[delay]]", "remote calls");
}

void ProfileTable::list(ParamList& params) {
  constexpr const char* kNeeded = "(this or latency_ms)";
  list_names(profile, "the file's", params);
  params.number("alpha_ms", alpha_ms, 0, kLongestMs, "a batch of b takes alpha_ms b + beta_ms")
      .by_default(kNeeded);
  params.number("beta_ms", beta_ms, 0, kLongestMs, "see alpha_ms").by_default(kNeeded);
  params.integer("max_batch", max_batch, 1, kLargestBatch, "the largest batch").by_default(kNeeded);
  params.integer("exit_points", profile.exit_points, 0, 1'000'000,
                 "places at which a running batch can be preempted");
  params
      .numbers("latency_ms", latency_ms, 1e-6, kLongestMs,
               "in place of alpha_ms, beta_ms and max_batch: the latencies of the sizes in batch, straight "
               "lines between them")
      .by_default("(alpha_ms)");
  params.numbers("batch", batch, 1, kLargestBatch, "the sizes of latency_ms, rising integers from 1")
      .by_default("1, 2, 3, ...");
  params.number("memory_mb", profile.memory_mb, 0, 1e9, "resident size; 0: not known");
  params.milliseconds("load_ms", profile.load_ns, 0, kLongestMs,
                      "time to load it onto a device; 0: not known");
  params.other("measured", "a table [profile.measured] (docs/profile.md)",
               "with latency_ms: how it was measured");
  params.numbers("goodput_slo_ms", goodput_slo_ms, 1e-6, kLongestMs, "rising SLOs of goodput_rps");
  params.numbers("goodput_rps", goodput_rps, 0, kFastest,
                 "requests/s that one device serves in time under each of these SLOs; 0: nothing ends in "
                 "time");
  params.text("goodput_source", profile.goodput_source, "a text", "where the goodputs are from")
      .by_default("the file's");
  params.integer("gpus", profile.gpus, 1, 1024, "GPUs that an instance takes, all of one server");
  params
      .milliseconds("cpu_ms", profile.cpu_ns, 1e-6, kLongestMs,
                    "core time of a batch of one: the time that its CPU part takes on one core. With c cores "
                    "a batch of one takes its GPU part and cpu_ms / c; a larger batch differs from its "
                    "measured time by the same share")
      .by_default("not known");
  params
      .integer("cores", profile.cores, 1, 4096,
               "the cores with which latency_ms was measured. Give both keys or neither; cpu_ms is at most "
               "cores times the latency of a batch of one")
      .by_default("not known");
}

void MeasuredTable::list(ParamList& params) {
  constexpr double kMaxMs = 1e9;
  constexpr double kMaxShare = 1e6;
  const auto times = [&](const char* key, const char* doc) {
    params.numbers(key, times_ms[key], 0, kMaxMs, doc);
  };
  const auto number = [&](const char* key, double low, double high, const char* doc) {
    params.number(key, numbers[key], low, high, doc).by_default("(none)");
  };
  params.integer("repeats", repeats, 1, 1'000'000'000, "number of rounds that count").by_default("(none)");
  params.text("stopped_by", stopped_by, "a text", "what ended them: narrow, rounds or time");
  number("drift", -kMaxShare, kMaxShare,
         "share by which the second half of the rounds was slower than the first");
  params.choice("precision", precision, {kPrecisions.begin(), kPrecisions.end()},
                "the number format in which it computes");
  times(
      "half_width_ms",
      "for each of batch: half-width of the 95 % confidence interval of the median; only from 6 repeats on");
  for (const char* key : {"mean_ms", "p10_ms", "p90_ms", "p99_ms"})
    times(key, "for each of batch: what the name says of its repeats");
  params.milliseconds("handover_ms", handover_ns, 0, kMaxMs,
                      "for batches of 1, the median of the time from submission until the end was known, "
                      "less the latency. Used in runs (below)");
  for (const char* key : {"fit_alpha_ms", "fit_beta_ms"})
    number(key, -kMaxMs, kMaxMs, "the line alpha b + beta through the medians");
  number("fit_r2", -kMaxShare, kMaxShare, "its R squared");
  number("fit_largest_error", 0, kMaxShare, "its largest error, as a share of the median");
  params
      .integer("fit_largest_error_batch", fit_largest_error_batch, 1, kLargestBatch,
               "the size that has this error")
      .by_default("(none)");
  number("exit_overhead", -kMaxShare, kMaxShare, "cost of the exit points, as a share of the batch time");
  number("preemption_delay", 0, kMaxShare, "mean delay of a preemption, as such a share");
  number("preemption_delay_p99_ms", 0, kMaxMs, "its 99th percentile");
  params.texts("notes", notes, "a list of texts", "sizes of images, clocks, what was left out");
}

void SharedTable::list(ParamList& params) {
  SharedService& shared = profile.shared;
  list_names(profile, "the file's", params);
  params.integer("slots", shared.slots, 1, kMaxSlots, "sequences at once on one server (vLLM: max_num_seqs)")
      .needed();
  params
      .number("prefill_tokens_per_s", shared.prefill_tokens_per_s, 1e-6, kFastest,
              "rate at which prompts are prefilled, in order of arrival")
      .needed();
  params.number("chunk_tokens", shared.chunk_tokens, 1, kMaxTokens,
                "prompt tokens of a step while prompts wait (vLLM: max_num_batched_tokens)");
  params
      .numbers("concurrency", concurrency, 1, kMaxSlots,
               "the numbers of sequences of decode_tokens_per_s, rising integers from 1")
      .needed();
  params
      .numbers("decode_tokens_per_s", decode_tokens_per_s, 1e-6, kFastest,
               "rate of all sequences together at each of these numbers, straight lines between them")
      .needed();
  params.choice("ends_at", shared.ends_at_first_token, {"last_token", "first_token"},
                "where a visit ends; after the first token the others are still decoded on the server");
  params.choice("lengths", shared.lengths_from_trace, {"drawn", "trace"},
                "where lengths are from: the keys below, or a trace of format azure_llm");
  list_lengths(shared.input, "input_median", "input_sigma", params);
  list_lengths(shared.output, "output_median", "output_sigma", params);
  params.number("max_tokens", shared.input.most, 1, kMaxTokens, "the longest input and output");
}

void DelayTable::list(ParamList& params) {
  list_names(profile, "remote", params);
  params.integer("threads", profile.delay.slots, 1, kMaxSlots, "calls at once").needed();
  params
      .milliseconds("median_ms", profile.delay.median_ns, 1e-6, kLongestMs, "calls are lognormal: the median")
      .needed();
  params.number("sigma", profile.delay.sigma, 0, kWidest, "their spread").needed();
}

}  // namespace harness
