// Gathers what the ranks of a job say about their hosts and their links to rank 0.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/live/transport/transport.h"
#include "harness/machine/check.h"
#include "harness/machine/machine_files.h"
#include "harness/machine/usable_cores.h"

namespace harness {

struct SurveyParams {
  int round_trips = 200;            ///< number of round trips of each rank to rank 0
  TimeNs trips_limit_ns = kNsPerS;  ///< time after which a rank with slow links stops
  int wake_probes = 3;              ///< number of messages in each direction to a rank that surely sleeps
  TimeNs nap_ns = 10 * kNsPerMs;    ///< pause before each of these messages
  TimeNs answer_limit_ns = 20 * kNsPerS;  ///< time after which rank 0 calls a rank silent
};

/// The facts about a rank that rank 0 has learned.
struct RankFacts {
  int rank = 0;
  bool answered = false;  ///< false: the other fields are unknown
  std::string host;
  UsableCores cores;
  std::vector<Check> checks;  ///< findings of `look`; only for the first rank of each host
  // The following are not set for rank 0.
  int round_trips = 0;  ///< number of round trips that were made; all of them ended
  TimeNs round_trip_p50_ns = 0;
  TimeNs round_trip_p99_ns = 0;
  TimeNs clock_offset_ns = 0;  ///< rank 0's clock minus its own
  TimeNs clock_bound_ns = 0;   ///< largest error of clock_offset_ns
  bool woken = false;          ///< true: rank 0 ends its sleep (TransportCounters::wakes_received)
  bool wakes = false;          ///< true: it ends rank 0's sleep
};

/// Checks the host; `ranks_here` ranks run there.
using LookAtHost = std::function<std::vector<Check>(int ranks_here)>;

/// Collective. Surveys the ranks in turn, so that they do not disturb each other: the first one of a host
/// looks at the host, then the rank makes round trips to rank 0, both asleep in between as in a live run.
/// Returns a RankFacts for each rank on rank 0, nothing on the others. A rank that falls silent gets
/// `answered` = false; if rank 0 falls silent, the others throw EnvironmentError.
std::vector<RankFacts> survey_ranks(Transport& transport, const MachineFiles& files, const LookAtHost& look,
                                    const SurveyParams& params = {});

}  // namespace harness
