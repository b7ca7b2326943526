// The sending times of any trace.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/core/arrival_source.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/load_facts.h"

namespace harness {

/// Makes the sending times of the trace. `target_rps` > 0 scales it: the mean (scale_to = peak: the highest
/// mean over one whole second; start: the rate of the first bin) of the replayed window becomes that.
/// `target_rps` <= 0 replays a file as it was recorded: recorded times as they are (`repeat` and `clip_rps`
/// are errors then), counts with as many requests in each bin as were counted (`process` places them within
/// it; mmpp is an error), neither with a `contrast`, and streams at the rates of their classes; another
/// generated shape is an error then. Recorded times are treated as counts in bins of bin_s (1 s unless given)
/// if target_rps > 0: their order within a bin is not kept. `notes`, if given, gets the LoadFacts of a file;
/// other shapes leave it unchanged. Throws InputError (check_trace, the file's reader, a window outside the
/// file or without requests).
std::unique_ptr<ArrivalSource> make_arrivals(const TraceSpec& spec, double target_rps, std::uint64_t seed,
                                             LoadFacts* notes = nullptr);

/// Makes the sample of the load by which some systems plan (InferLine, section 6: traces "with the same
/// performance characteristics", or the first 25 %): with `sample_share` the beginning of the trace, which
/// make_arrivals() leaves out, else the whole trace with the requests of another seed. Throws InputError as
/// make_arrivals() does, and if the sample would be the very requests that are served: for streams and,
/// without `sample_share`, for a file that is replayed as it was recorded.
std::unique_ptr<ArrivalSource> make_sample(const TraceSpec& spec, double target_rps, std::uint64_t seed);

}  // namespace harness
