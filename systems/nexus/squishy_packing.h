// Nexus's squishy bin packing: sessions onto GPUs that several of them may share (Nexus, SOSP'19).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/core/profile.h"

namespace harness {

/// A stream of requests for one model with one objective.
struct Session {
  const Profile* profile = nullptr;
  TimeNs slo_ns = 0;
  double rate_rps = 0;
};

/// A session's part of a node: it runs one batch of `batch` per duty cycle.
struct NodeShare {
  std::size_t session = 0;
  int batch = 0;
  TimeNs exec_ns = 0;
};

/// One GPU. The executions of its shares fit into its duty cycle.
struct PackedNode {
  TimeNs duty_ns = 0;
  std::vector<NodeShare> shares;

  /// Share of the duty cycle in which the GPU works.
  double occupancy() const;
};

struct Packing {
  std::vector<PackedNode> nodes;        ///< saturated nodes first, by session; then the shared ones
  std::vector<std::size_t> unservable;  ///< sessions whose SLO not even a batch of one on an idle GPU meets
};

/// The batch with the largest throughput among those with 2 x latency <= SLO (a request waits at most one
/// batch); 0 when there is none.
int saturated_batch(const Session& session);

/// The share of a session that has a node for itself and does not fill it: the largest batch with duty cycle
/// + latency <= SLO, the duty cycle being the time in which that many requests arrive. When not even one
/// request arrives in time, a batch of one with duty cycle SLO - latency (R); when every batch that ends in
/// time is too small for the rate, a whole node as for a saturated session (R).
PackedNode residual_node(const Session& session, std::size_t index, double rate_rps);

/// Whole nodes for the saturated part of each session; the residues merged, most loaded first, each into the
/// node that it fills best. A merged node has the smaller of the duty cycles, and each share the batch that
/// arrives in it. Packing stops once there are more than `most_nodes`: what it returns then has more, but not
/// all, and at most one saturated node too many.
Packing pack_sessions(const std::vector<Session>& sessions,
                      std::size_t most_nodes = std::numeric_limits<std::int32_t>::max());

}  // namespace harness
