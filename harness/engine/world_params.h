// The effects of the world on a run, as opposed to a system's decisions.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// Rule by which execution times scatter around the profile.
enum class Jitter { kOff, kUniform, kExponential };

/// The point at which a batch that is preempted stops.
enum class Preemption { kExitPoints, kImmediate };

/// Rule for the time that a worker which is started during a run takes until it can serve.
enum class ColdStart { kFixed, kLoadTime, kCached };

/// The cost of a message for the scheduler of a queue in virtual time (sim/scheduler_queues.h).
enum class SchedulerCost { kFree, kFixed };

struct WorldParams {
  double network_delay_ms = 0;
  Jitter jitter = Jitter::kOff;
  double jitter_fraction = 0.1;
  ColdStart cold_start = ColdStart::kFixed;
  double cold_start_ms = 5000;
  double disk_gb_per_s = 43.0 / 45;
  double host_gb_per_s = 43.0 / 8 / 0.8;
  Preemption preemption = Preemption::kExitPoints;
  SchedulerCost scheduler_cost = SchedulerCost::kFree;
  double scheduler_cost_us = 20;
  double scheduler_queue_limit_ms = 0;

  void list(ParamList& params) {
    params.number("network_delay_ms", network_delay_ms, 0, 1e4,
                  "time of every hop: client to the first module, module to module");
    params.choice(
        "jitter", jitter, {"none", "uniform", "exponential"},
        "execution time of a batch: the profile's; times a uniform factor within 1 +- jitter_fraction; or "
        "exponential with the profile's latency as mean");
    params.number("jitter_fraction", jitter_fraction, 0, 0.99, "half-width of the uniform jitter")
        .only_with("jitter", {"uniform"});
    params.choice("cold_start", cold_start, {"fixed", "load_time", "cached"},
                  "until a worker that a new plan adds can serve: cold_start_ms; or the load_ms of the "
                  "profiles of its models, and cold_start_ms for those that have none; or cold_start_ms, "
                  "that of the container, and the time to read its models' memory_mb from disk, or from its "
                  "server's memory where the system keeps them");
    params.number("cold_start_ms", cold_start_ms, 0, 1e6,
                  "time until a worker that the autoscaler adds can serve (the initial workers are warm)");
    params
        .number("disk_gb_per_s", disk_gb_per_s, 1e-3, 1e6,
                "rate from disk to GPU (QUART section 2.2: 43 GB in 45 s)")
        .only_with("cold_start", {"cached"});
    params
        .number("host_gb_per_s", host_gb_per_s, 1e-3, 1e6,
                "rate from the server's memory to GPU (QUART section 4.2: an eighth of 43 GB in "
                "0.8 s)")
        .only_with("cold_start", {"cached"});
    params.choice("preemption", preemption, {"exit_points", "immediate"},
                  "where a preempted batch stops: at the next of the profile's exit points, which part its "
                  "time evenly (SHEPHERD section 6); or at once");
    params.choice(
        "scheduler_cost", scheduler_cost, {"none", "fixed"},
        "what each message (arrival, end of a batch, ...) costs the scheduler of a queue, which "
        "handles one after the other: nothing; or scheduler_cost_us. Only simulated: live runs pay the real "
        "cost");
    params
        .number("scheduler_cost_us", scheduler_cost_us, 0, 1e6,
                "cost of a message (20: 50,000 messages/s, SHEPHERD figure 10)")
        .only_with("scheduler_cost", {"fixed"});
    params
        .number("scheduler_queue_limit_ms", scheduler_queue_limit_ms, 0, 1e6,
                "limit of the scheduler's queue: a visit that would wait longer than "
                "this is "
                "rejected on arrival (scheduler_queue_full) at no cost; 0: unlimited")
        .only_with("scheduler_cost", {"fixed"});
  }
};

}  // namespace harness
