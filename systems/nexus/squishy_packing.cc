#include "systems/nexus/squishy_packing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace harness {
namespace {

/// Returns the number of requests that arrive in a duty cycle, rounded up (but not for the rounding of the
/// product).
int arriving(double rate_rps, TimeNs duty_ns) {
  return std::max(1, static_cast<int>(std::ceil(rate_rps * ns_to_s(duty_ns) - 1e-9)));
}

/// Returns the two nodes as one, or a node without shares if they do not fit together.
PackedNode merged(const PackedNode& one, const PackedNode& other, const std::vector<Session>& sessions,
                  const std::vector<double>& residual_rps) {
  PackedNode node;
  node.duty_ns = std::min(one.duty_ns, other.duty_ns);
  TimeNs busy = 0;
  for (const PackedNode* part : {&one, &other}) {
    for (const NodeShare& share : part->shares) {
      const Session& session = sessions[share.session];
      const int batch = arriving(residual_rps[share.session], node.duty_ns);
      if (batch > session.profile->max_batch()) return {};
      const TimeNs exec = session.profile->latency(batch);
      if (node.duty_ns + exec > session.slo_ns) return {};
      busy += exec;
      node.shares.push_back({share.session, batch, exec});
    }
  }
  return busy <= node.duty_ns ? node : PackedNode{};
}

void place(const PackedNode& residue, const std::vector<Session>& sessions,
           const std::vector<double>& residual_rps, std::vector<PackedNode>& nodes) {
  PackedNode best;
  std::size_t best_at = nodes.size();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PackedNode node = merged(nodes[i], residue, sessions, residual_rps);
    if (node.shares.empty()) continue;
    if (best_at < nodes.size() && node.occupancy() <= best.occupancy()) continue;
    best = std::move(node);
    best_at = i;
  }
  if (best_at < nodes.size()) {
    nodes[best_at] = std::move(best);
  } else {
    nodes.push_back(residue);
  }
}

}  // namespace

double PackedNode::occupancy() const {
  TimeNs busy = 0;
  for (const NodeShare& share : shares) busy += share.exec_ns;
  return static_cast<double>(busy) / static_cast<double>(duty_ns);
}

int saturated_batch(const Session& session) {
  int best = 0;
  double best_rps = 0;
  for (int batch = 1; batch <= session.profile->max_batch(); ++batch) {
    const TimeNs latency = session.profile->latency(batch);
    const double rps = batch / ns_to_s(latency);
    if (2 * latency > session.slo_ns || rps <= best_rps) continue;
    best = batch;
    best_rps = rps;
  }
  return best;
}

PackedNode residual_node(const Session& session, std::size_t index, double rate_rps) {
  PackedNode node;
  const double slo_s = ns_to_s(session.slo_ns);
  for (int batch = 1; batch <= session.profile->max_batch(); ++batch) {
    if (batch / rate_rps > slo_s) break;  // of rare requests the time may not fit into nanoseconds
    const TimeNs latency = session.profile->latency(batch);
    const TimeNs duty = s_to_ns(batch / rate_rps);
    if (duty + latency <= session.slo_ns && latency <= duty) node = {duty, {{index, batch, latency}}};
  }
  if (!node.shares.empty()) return node;
  const TimeNs single = session.profile->latency(1);
  if (1 / rate_rps > slo_s || s_to_ns(1 / rate_rps) + single > session.slo_ns)
    return {session.slo_ns - single, {{index, 1, single}}};
  const int batch = saturated_batch(session);
  const TimeNs exec = session.profile->latency(batch);
  return {exec, {{index, batch, exec}}};
}

SquishyPacking pack_sessions(const std::vector<Session>& sessions, std::size_t most_nodes) {
  SquishyPacking packing;
  std::vector<PackedNode> residues;
  std::vector<double> residual_rps(sessions.size(), 0.0);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const int batch = saturated_batch(sessions[i]);
    if (batch == 0) {
      packing.unservable.push_back(i);
      continue;
    }
    const TimeNs exec = sessions[i].profile->latency(batch);
    const double node_rps = batch / ns_to_s(exec);
    const double whole = std::floor(sessions[i].rate_rps / node_rps + 1e-9);
    const auto enough = static_cast<double>(most_nodes - packing.nodes.size() + 1);
    packing.nodes.insert(packing.nodes.end(), static_cast<std::size_t>(std::min(whole, enough)),
                         {exec, {{i, batch, exec}}});
    if (packing.nodes.size() > most_nodes) return packing;
    residual_rps[i] = sessions[i].rate_rps - whole * node_rps;
    if (residual_rps[i] <= 1e-9 * node_rps) continue;
    residues.push_back(residual_node(sessions[i], i, residual_rps[i]));
  }
  std::stable_sort(residues.begin(), residues.end(), [](const PackedNode& one, const PackedNode& other) {
    return one.occupancy() > other.occupancy();
  });
  std::vector<PackedNode> shared;
  for (const PackedNode& residue : residues) place(residue, sessions, residual_rps, shared);
  packing.nodes.insert(packing.nodes.end(), shared.begin(), shared.end());
  return packing;
}

}  // namespace harness
