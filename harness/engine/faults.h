// Faults: what goes wrong as part of an experiment, and what of it holds now, which a runtime asks before it
// runs a batch or carries a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/types.h"

namespace harness {

// Failures as part of an experiment: what goes wrong, where and when.

/// What a fault does to its GPUs from `at_ns` to `at_ns + for_ns`.
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

/// One fault. A GPU is a place of the cluster, 0..workers-1: the first workers take them in order, a worker
/// added later takes the lowest free one. Faults may overlap: factors multiply, delays add up, a GPU is back
/// when its last stop is over.
struct Fault {
  FaultKind kind = FaultKind::kStop;
  TimeNs at_ns = 0;
  TimeNs for_ns = 0;  ///< above 0
  int first_gpu = 0;
  int gpus = 1;         ///< this many from first_gpu on, all within the cluster
  double factor = 1;    ///< kSlow: at least 1
  TimeNs delay_ns = 0;  ///< kDelay: above 0
};

/// A fault begins or ends.
struct FaultChange {
  TimeNs at_ns = 0;
  std::size_t fault = 0;  ///< its index in the list
  bool begins = false;
};

/// From the dispatcher to a queue, or back.
enum class LinkDirection : std::uint8_t { kDown, kUp };

/// The slow GPUs and the faulty links of this moment. A link joins the dispatcher with the queues that
/// stand at a GPU; plans, and what makes and removes queues and workers, travel beside it. Stops are the
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
