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

/// A session's share of a node, which runs one batch of `batch` per duty cycle.
struct NodeShare {
  std::size_t session = 0;
  int batch = 0;
  TimeNs exec_ns = 0;
};

/// A GPU and its duty cycle, into which the executions of its shares fit.
struct PackedNode {
  TimeNs duty_ns = 0;
  std::vector<NodeShare> shares;

  /// Returns the share of the duty cycle in which the GPU works.
  double occupancy() const;
};

struct Packing {
  std::vector<PackedNode> nodes;        ///< saturated nodes first, by session, then the shared ones
  std::vector<std::size_t> unservable;  ///< sessions whose SLO not even a batch of one on an idle GPU meets
};

/// Returns the batch with the largest throughput among the batches with 2 x latency <= SLO (a request waits
/// at most one batch), or 0.
int saturated_batch(const Session& session);

/// Returns the node of a session that has it for itself and does not fill it: the largest batch with duty
/// cycle + latency <= SLO, the duty cycle being the time in which that many requests arrive. If not even one
/// request arrives in time, it is a batch of one with duty cycle SLO - latency (R). If every batch that ends
/// in time is too small for the rate, it is a whole node as for a saturated session (R).
PackedNode residual_node(const Session& session, std::size_t index, double rate_rps);

/// Packs whole nodes for the saturated part of each session, then merges the residues, most loaded first,
/// each into the node that it fills best. A merged node has the smaller of the duty cycles, and each share
/// has the batch that arrives in it. Stops once there are more than `most_nodes` nodes: the result then has
/// more, but not all, and at most one saturated node too many.
Packing pack_sessions(const std::vector<Session>& sessions,
                      std::size_t most_nodes = std::numeric_limits<std::int32_t>::max());

}  // namespace harness
