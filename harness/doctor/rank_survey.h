// What the ranks of a job say about their hosts and their links to rank 0.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/live/transport/transport.h"
#include "harness/machine/machine_checks.h"

namespace harness {

struct SurveyParams {
  int round_trips = 200;                  ///< of each rank to rank 0
  TimeNs trips_limit_ns = kNsPerS;        ///< a rank whose links are slow stops after this long
  int wake_probes = 3;                    ///< messages in each direction to a rank that sleeps for sure
  TimeNs nap_ns = 10 * kNsPerMs;          ///< before each of these
  TimeNs answer_limit_ns = 20 * kNsPerS;  ///< rank 0 calls a rank silent after this long
};

/// A rank as rank 0 has come to know it.
struct RankFacts {
  int rank = 0;
  bool answered = false;  ///< false: what follows is unknown
  std::string host;
  UsableCores cores;
  std::vector<Check> checks;  ///< what `look` found; of the first rank of each host only
  // None of these for rank 0.
  int round_trips = 0;  ///< that were made; all of them ended
  TimeNs round_trip_p50_ns = 0;
  TimeNs round_trip_p99_ns = 0;
  TimeNs clock_offset_ns = 0;  ///< rank 0's clock minus its own
  TimeNs clock_bound_ns = 0;   ///< how wrong that can be
  bool woken = false;          ///< rank 0 ends its sleep (TransportCounters::wakes_received)
  bool wakes = false;          ///< it ends rank 0's sleep
};

/// Looks at the host; `ranks_here` ranks run there.
using LookAtHost = std::function<std::vector<Check>(int ranks_here)>;

/// Collective. Each rank in turn, so that none disturbs another: the first one of a host looks at the host,
/// then the rank makes round trips to rank 0, both asleep in between as in a live run. Gives rank 0 a
/// RankFacts for each rank, the others nothing. A rank that falls silent is said to be so; the others throw
/// EnvironmentError when rank 0 does.
std::vector<RankFacts> survey_ranks(Transport& transport, const MachineFiles& files, const LookAtHost& look,
                                    const SurveyParams& params = {});

}  // namespace harness
