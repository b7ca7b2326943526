// Which faults hold now: what a runtime asks before it runs a batch or carries a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/engine/fault.h"

namespace harness {

/// A fault begins or ends.
struct FaultChange {
  TimeNs at_ns = 0;
  std::size_t fault = 0;  ///< its index in the list
  bool begins = false;
};

/// From the dispatcher to a queue domain, or back.
enum class LinkDirection : std::uint8_t { kDown, kUp };

/// The slow GPUs and the faulty links of this moment. A link joins the dispatcher with the queue domains that
/// stand at a GPU; plans, and what makes and removes domains and workers, travel beside it. Stops are the
/// dispatcher's. The runtime applies each change when its time has come; GPUs are named by their place, kNone
/// (no place) is never touched.
class ActiveFaults {
 public:
  explicit ActiveFaults(std::span<const Fault> faults);

  /// All beginnings and ends in order of time; what begins comes before what ends at the same time.
  const std::vector<FaultChange>& changes() const { return changes_; }
  /// Carries out one of changes(); they come in order. Returns the fault.
  const Fault& apply(const FaultChange& change);

  bool slows() const { return slows_; }
  /// How many times as long a batch takes that starts now.
  double factor(std::uint32_t gpu) const { return gpu < gpus_.size() ? gpus_[gpu].factor : 1.0; }

  /// Up to and including this moment some link needs to be asked about; below 0: none.
  TimeNs links_until_ns() const { return links_until_ns_; }
  /// For a message handed over at `now`, which never falls: nothing if the link is sound; kNever if it loses
  /// the message; otherwise when the message sets off, behind all others of that direction that were held
  /// before.
  std::optional<TimeNs> held_until(TimeNs now, std::uint32_t gpu, LinkDirection direction);

 private:
  struct Gpu {
    double factor = 1;
    TimeNs delay_ns = 0;
    bool loses = false;
    std::array<TimeNs, 2> last_ns{-1, -1};  ///< when the last message held sets off, by direction
  };

  void refresh(TimeNs now);

  std::vector<Fault> faults_;
  std::vector<bool> active_;  ///< by fault
  std::vector<FaultChange> changes_;
  std::vector<Gpu> gpus_;  ///< up to the last that a fault names
  bool slows_ = false;
  TimeNs links_until_ns_ = -1;
};

}  // namespace harness
