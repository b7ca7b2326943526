// Which queue takes a visit next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// What a router knows of a queue: its own doing and what it was told, never the truth of this
/// instant.
struct QueueView {
  QueueId id = 0;
  int workers = 1;
  /// Visits sent there, of all modules that it serves, whose end has been acknowledged not yet. Kept only for
  /// routers that say they need it.
  int outstanding = 0;
  GroupId group = 0;  ///< whose workers it has (Plan::groups)
};

/// Written by a router in place of a queue: the visit is dropped as over_budget.
inline constexpr std::uint32_t kRefused = kNone - 1;

/// Where visits come from that a served batch causes (Loki: a worker's table says where to send them).
struct Upstream {
  QueueId queue = 0;    ///< that served their parents
  ModuleId module = 0;  ///< its module: the variant that did
  /// By visit: when its parent came to stand before that queue.
  std::span<const TimeNs> arrived_ns;
};

/// One instance per module, with that module's controller. Called from one thread.
class Router {
 public:
  virtual ~Router() = default;

  /// Chooses a queue for each of `visits`, in order: writes into out[i] an index into `queues`, or kNone to
  /// drop it (`no_worker`), or kRefused. In a task tree one router serves a task: `queues` are those of
  /// all its variants, and with a queue it chooses the variant (QueueView::group is its module). `queues`
  /// are the module's active queues in order of id, at least one; the caller raises `outstanding` of
  /// queues[out[i]] itself, so a router that counts within one call keeps its own tally.
  virtual void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
                     std::span<std::uint32_t> out) = 0;

  /// The plan that holds from now on: before the first call, and whenever it changes.
  virtual void on_plan(const Plan&) {}

  /// The same for visits that others have caused. Default: wherever they come from.
  virtual void route_onward(TimeNs now, const Upstream&, std::span<const Visit> visits,
                            std::span<const QueueView> queues, std::span<std::uint32_t> out) {
    route(now, visits, queues, out);
  }

  /// Whether it looks at the visits. Where it only counts them, the entries of `visits` mean nothing.
  virtual bool reads_visits() const { return true; }

  /// Whether the host must keep `outstanding` (acknowledgements cost messages).
  virtual bool needs_outstanding() const { return false; }

  /// How many visits it has sent elsewhere than to the queue that it had chosen first (Loki section 5.2,
  /// opportunistic rerouting); -1: it never does.
  virtual std::int64_t rerouted() const { return -1; }
};

/// Queue after queue.
std::unique_ptr<Router> make_round_robin_router();
/// The queue with the fewest outstanding visits per worker; ties go to the lowest id.
std::unique_ptr<Router> make_least_outstanding_router();

}  // namespace harness
