// Sending times of many streams.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/core/arrival_source.h"
#include "harness/core/stream.h"
#include "workloads/streams/stream_population.h"

namespace harness {

/// Makes the requests of all streams in order of time; at one instant, classes are in their order, then
/// streams. Needs memory for the streams, not for the requests. The times do not depend on the sizes of the
/// spans asked for.
///
/// Poisson streams of a class are one Poisson process at the sum of their rates, each request being of a
/// stream drawn in proportion to its rate: the same in distribution as their union. MMPP streams likewise,
/// thinned from the sum of their high rates; a stream's state is drawn when a candidate depends on it, given
/// the state drawn before (by the transition probabilities of a two-state Markov chain), which is exact.
/// Evenly spaced streams are kept in a heap.
std::unique_ptr<ArrivalSource> make_stream_arrivals(std::shared_ptr<const StreamPopulation> population,
                                                    std::uint64_t seed);

/// Returns, for each period of `period_ns` (0: the run is one) and each of `modules` entries, the largest
/// number of requests of the entry's streams within one second of the period, counting seconds from its
/// beginning. In a period shorter than a second, as the last may be, the number counts as a rate. Makes one
/// pass over the source, which is not moved.
std::vector<std::vector<double>> peak_rps(const ArrivalSource& source, std::span<const Stream> streams,
                                          std::size_t modules, TimeNs period_ns = 0);

}  // namespace harness
