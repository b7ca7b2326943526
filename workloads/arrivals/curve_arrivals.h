// Sending times that follow a rate curve.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/arrival_source.h"
#include "harness/core/types.h"
#include "workloads/arrivals/placing_rule.h"
#include "workloads/arrivals/replay.h"

namespace harness {

/// Places requests along the curve by time change: gaps of mean 1 (exponential; 1; gamma with the given CV)
/// are laid out in the integral of the rate, so the process is exact for any curve. `uniform` puts request k
/// at the time at which the integral is k + 1/2. `mmpp` is Poisson at the curve's rate times a two-state
/// Markov chain in replayed time whose mean is 1. If the squared CV of gamma gaps changes, each gap has the
/// one of the time at which it begins; its mean stays 1. The times do not depend on the sizes of the spans
/// asked for. Takes about 10 ns a request for Poisson.
std::unique_ptr<ArrivalSource> make_curve_arrivals(std::shared_ptr<const Replay> replay,
                                                   const PlacingRule& rule, std::uint64_t seed);

/// Places as many requests in each bin of the curve as it holds (rate x length; if these are not whole, their
/// sum is right to the nearest whole number), at uniform times within the bin (poisson), evenly (uniform) or
/// by gaps of the given CV (gamma).
std::unique_ptr<ArrivalSource> make_counted_arrivals(std::shared_ptr<const Replay> replay,
                                                     const PlacingRule& rule, std::uint64_t seed);

/// Sends at the given times (non-decreasing, from 0, before duration_ns), as they are.
std::unique_ptr<ArrivalSource> make_recorded_arrivals(std::shared_ptr<const std::vector<TimeNs>> times,
                                                      TimeNs duration_ns);

}  // namespace harness
