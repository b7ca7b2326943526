// Nexus's squishy bin packing (SOSP'19): it assigns sessions to GPUs, which several sessions may share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/core/profile.h"

namespace harness {

struct NodeShare;
struct PackedNode;

struct SquishyPacking {
  std::vector<PackedNode> nodes;        ///< saturated nodes first, by session, then the shared ones
  std::vector<std::size_t> unservable;  ///< sessions without a saturated_batch(): the SLO is too short
};

/// A GPU and its duty cycle, into which the executions of its shares fit.
struct PackedNode {
  TimeNs duty_ns = 0;
  std::vector<NodeShare> shares;

  /// Returns the share of the duty cycle in which the GPU works.
  double occupancy() const;
};

/// A session's share of a node: the node runs one batch of size `batch` of it per duty cycle.
struct NodeShare {
  std::size_t session = 0;
  int batch = 0;
  TimeNs exec_ns = 0;
};

/// A stream of requests for one model with one objective.
struct Session {
  const Profile* profile = nullptr;
  TimeNs slo_ns = 0;
  double rate_rps = 0;
};

/// Returns the batch with the largest throughput among the batches with 2 x latency <= SLO (a request waits
/// at most one batch), or 0.
int saturated_batch(const Session& session);

/// Returns the node that a session has for itself and does not fill. It runs the largest batch with duty
/// cycle + latency <= SLO, where the duty cycle is the time in which that many requests arrive. If not even
/// one request arrives in time, it runs a batch of one with duty cycle SLO - latency (R). If every batch that
/// ends in time is too small for the rate, it is a whole node as for a saturated session (R).
PackedNode residual_node(const Session& session, std::size_t index, double rate_rps);

/// Packs whole nodes for the saturated part of each session. Then merges the residues, the most loaded first,
/// each into the node that it fills best. A merged node has the smaller of the two duty cycles, and each
/// share runs the requests that arrive in that cycle as one batch. Stops if there are more than `most_nodes`
/// whole nodes: the result is then incomplete and has most_nodes + 1 nodes.
SquishyPacking pack_sessions(const std::vector<Session>& sessions,
                             std::size_t most_nodes = std::numeric_limits<std::int32_t>::max());

}  // namespace harness
