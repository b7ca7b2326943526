#include "systems/quart/stage_load.h"

#include <algorithm>
#include <limits>

namespace harness {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Returns the mean time in the queue of M/M/r from Erlang's B(r, lambda / mu).
double wait_s(const StageLoad& load, int replicas, double erlang_b) {
  const double spare_rps = replicas * load.replica_rps - load.rate_rps;
  if (spare_rps <= 0) return kInfinite;
  const double utilisation = load.rate_rps / (replicas * load.replica_rps);
  return erlang_b / (1 - utilisation * (1 - erlang_b)) / spare_rps;
}

double next_erlang_b(double erlang_b, double offered, int replicas) {
  return offered * erlang_b / (replicas + offered * erlang_b);
}

}  // namespace

double erlang_c_delay_s(const StageLoad& load, int replicas, double variability) {
  const double offered = load.rate_rps / load.replica_rps;
  if (offered >= replicas) return kInfinite;
  double erlang_b = 1;
  for (int r = 1; r <= replicas; ++r) erlang_b = next_erlang_b(erlang_b, offered, r);
  return wait_s(load, replicas, erlang_b) * variability + load.exec_s;
}

double printed_delay_s(const StageLoad& load, int replicas) {
  const double offered = load.rate_rps / load.replica_rps;
  if (offered >= replicas) return kInfinite;
  double term = 1;
  double sum = 1;
  for (int r = 1; r < replicas; ++r) {
    term *= offered / r;
    sum += term;
  }
  const double empty = 1 / (sum + term * offered / (replicas - offered));
  const double mu = load.replica_rps;
  return empty * load.rate_rps / (replicas * mu * (mu - load.rate_rps / replicas)) + load.exec_s;
}

double backlog_delay_s(const StageLoad& load, int replicas) {
  return std::max(load.exec_s, load.present / (replicas * load.replica_rps));
}

int replicas_within(const StageLoad& load, double target_s, double variability, int most) {
  const double offered = load.rate_rps / load.replica_rps;
  double erlang_b = 1;
  for (int r = 1; r < most; ++r) {
    erlang_b = next_erlang_b(erlang_b, offered, r);
    if (r <= offered || backlog_delay_s(load, r) > target_s) continue;
    if (wait_s(load, r, erlang_b) * variability + load.exec_s <= target_s) return r;
  }
  return most;
}

}  // namespace harness
