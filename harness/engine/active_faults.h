// The faults that are active at a moment. A runtime asks about them before it runs a batch or carries a
// message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/fault.h"

namespace harness {

struct FaultChange;

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

/// The beginning or the end of a fault.
struct FaultChange {
  TimeNs at_ns = 0;
  std::size_t fault = 0;  ///< index of the fault in the list
  bool begins = false;
};

}  // namespace harness
