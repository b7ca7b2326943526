// Faults: the ones that are part of an experiment, and the ones that are active at a moment. A runtime asks
// about the latter before it runs a batch or carries a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/types.h"

namespace harness {

// The faults of an experiment: kind, place and time.

/// The effect that a fault has on its GPUs from `at_ns` to `at_ns + for_ns`.
enum class FaultKind {
  kStop,   ///< they are gone: their workers are lost, what ran on them too
  kSlow,   ///< batches that start take `factor` times as long
  kDelay,  ///< every message between the dispatcher and their queues takes `delay_ns` longer
  kLoss,   ///< every message between the dispatcher and their queues is lost
};
inline constexpr int kFaultKinds = 4;
constexpr const char* name_of(FaultKind kind) {
  constexpr const char* kNames[] = {"stop", "slow", "delay", "loss"};
  return kNames[static_cast<int>(kind)];
}

/// One fault. A GPU is a place of the cluster, 0..workers-1: the first workers take the places in order, and
/// a worker added later takes the lowest free one. Faults may overlap: factors multiply, delays add up, and a
/// GPU is back when its last stop is over.
struct Fault {
  FaultKind kind = FaultKind::kStop;
  TimeNs at_ns = 0;
  TimeNs for_ns = 0;  ///< duration, above 0
  int first_gpu = 0;
  int gpus = 1;         ///< number of GPUs from first_gpu on, all within the cluster
  double factor = 1;    ///< factor of kSlow, at least 1
  TimeNs delay_ns = 0;  ///< delay of kDelay, above 0
};

/// The beginning or the end of a fault.
struct FaultChange {
  TimeNs at_ns = 0;
  std::size_t fault = 0;  ///< index of the fault in the list
  bool begins = false;
};

/// The direction of a message: from the dispatcher to a queue, or back.
enum class LinkDirection : std::uint8_t { kDown, kUp };

/// The slow GPUs and the faulty links of this moment. A link joins the dispatcher with the queues at a GPU;
/// plans, and the commands that make and remove queues and workers, do not travel on it. The dispatcher takes
/// care of stops. The runtime applies each change when its time has come. GPUs are named by their place;
/// kNone (no place) is never affected.
class ActiveFaults {
 public:
  explicit ActiveFaults(std::span<const Fault> faults);

  /// Returns all beginnings and ends in order of time; at the same time beginnings come before ends.
  const std::vector<FaultChange>& changes() const { return changes_; }
  /// Carries out one of changes(), which come in order. Returns the fault.
  const Fault& apply(const FaultChange& change);

  bool slows() const { return slows_; }
  /// Returns the factor by which the time of a batch that starts now is multiplied.
  double factor(std::uint32_t gpu) const { return gpu < gpus_.size() ? gpus_[gpu].factor : 1.0; }

  /// Returns the last moment at which some link needs to be asked about; below 0: no link does.
  TimeNs links_until_ns() const { return links_until_ns_; }
  /// Tells the fate of a message handed over at `now`, which never falls. Returns nothing if the link is
  /// sound and kNever if it loses the message. Otherwise returns the time at which the message sets off,
  /// behind all others of that direction that were held before.
  std::optional<TimeNs> held_until(TimeNs now, std::uint32_t gpu, LinkDirection direction);

 private:
  struct Gpu {
    double factor = 1;
    TimeNs delay_ns = 0;
    bool loses = false;
    std::array<TimeNs, 2> last_ns{-1, -1};  ///< time at which the last held message sets off, by direction
  };

  void refresh(TimeNs now);

  std::vector<Fault> faults_;
  std::vector<bool> active_;  ///< true for each fault that is active
  std::vector<FaultChange> changes_;
  std::vector<Gpu> gpus_;  ///< state of each GPU, up to the last that a fault names
  bool slows_ = false;
  TimeNs links_until_ns_ = -1;
};

}  // namespace harness
