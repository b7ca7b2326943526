#include "systems/nexus/sized_packing.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace harness {
namespace {

constexpr double kMinFactor = 1e-6;
constexpr double kMaxFactor = 1e6;
/// Least rate for which times in nanoseconds between requests still fit into 64 bits.
constexpr double kMinRps = 1e-6;

/// Packs the sessions that are served, at a multiple of their rates.
class ScaledPacker {
 public:
  ScaledPacker(const std::vector<Session>& sessions, int gpus) : sessions_(sessions), gpus_(gpus) {
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      if (sessions[i].rate_rps > 0) served_.push_back(i);
    }
  }

  bool has_sessions() const { return !served_.empty(); }

  /// Returns the packing, or nothing if it needs too many nodes.
  std::optional<SquishyPacking> at(double factor) const {
    std::vector<Session> scaled;
    for (const std::size_t i : served_) {
      scaled.push_back(sessions_[i]);
      scaled.back().rate_rps = std::max(kMinRps, sessions_[i].rate_rps * factor);
    }
    const auto most_nodes = static_cast<std::size_t>(gpus_);
    SquishyPacking packing = pack_sessions(scaled, most_nodes);
    if (packing.nodes.size() > most_nodes) return std::nullopt;
    for (PackedNode& node : packing.nodes) {
      for (NodeShare& share : node.shares) share.session = served_[share.session];
    }
    for (std::size_t& session : packing.unservable) session = served_[session];
    return packing;
  }

  /// Stops serving the session with the smallest rate, and returns it.
  std::size_t leave_out() {
    const auto least = std::min_element(served_.rbegin(), served_.rend(), [&](std::size_t a, std::size_t b) {
      return sessions_[a].rate_rps < sessions_[b].rate_rps;
    });
    const std::size_t session = *least;
    served_.erase(std::next(least).base());
    return session;
  }

 private:
  const std::vector<Session>& sessions_;
  int gpus_;
  std::vector<std::size_t> served_;
};

/// Finds the packing at the largest factor between `fits`, which fits, and `too_much`, which does not.
void bisect(const ScaledPacker& packer, double fits, double too_much, SizedPacking& sized) {
  while (too_much - fits > 1e-12 * too_much) {
    const double middle = fits + (too_much - fits) / 2;
    if (auto packing = packer.at(middle)) {
      fits = middle;
      sized.packing = std::move(*packing);
      sized.rate_factor = middle;
    } else {
      too_much = middle;
    }
  }
}

}  // namespace

SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare) {
  ScaledPacker packer(sessions, gpus);
  SizedPacking sized;
  std::optional<SquishyPacking> least;
  while (packer.has_sessions() && !(least = packer.at(kMinFactor)))
    sized.left_out.push_back(packer.leave_out());
  if (!packer.has_sessions()) return sized;
  double fits = kMinFactor;
  sized.packing = std::move(*least);
  sized.rate_factor = fits;
  for (double factor = 1; factor <= (spare == NexusSpare::kScaled ? kMaxFactor : 1); factor *= 2) {
    auto packing = packer.at(factor);
    if (!packing) {
      bisect(packer, fits, factor, sized);
      break;
    }
    fits = factor;
    sized.packing = std::move(*packing);
    sized.rate_factor = fits;
  }
  return sized;
}

}  // namespace harness
