// Routers: they choose the queue that takes a visit next.
#pragma once

#include <cstdint>
#include <span>

#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

struct QueueView;
struct Upstream;

/// A router writes this value in place of a queue: the visit is dropped as over_budget.
inline constexpr std::uint32_t kRefused = kNone - 1;

/// The router of one module; there is one instance per module, and it lives beside that module's controller.
/// Called from one thread.
class Router {
 public:
  virtual ~Router() = default;

  /// Chooses a queue for each of `visits`, in order: writes into out[i] an index into `queues`, or kNone to
  /// drop the visit (`no_worker`), or kRefused. `queues` are the module's active queues in order of id, at
  /// least one. In a task tree one router serves a task: `queues` are the queues of all its variants, and
  /// with a queue the router chooses the variant (QueueView::group is its module). The caller raises
  /// `outstanding` of queues[out[i]] itself, so a router that counts within one call keeps its own tally.
  virtual void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
                     std::span<std::uint32_t> out) = 0;

  /// Tells the plan that holds from now on: before the first call of route, and whenever the plan changes.
  virtual void on_plan(const Plan&) {}

  /// Does the same for visits that other visits have caused. By default it ignores where they come from.
  virtual void route_onward(TimeNs now, const Upstream&, std::span<const Visit> visits,
                            std::span<const QueueView> queues, std::span<std::uint32_t> out);

  /// True if it looks at the visits. If it only counts them, the entries of `visits` mean nothing.
  virtual bool reads_visits() const { return true; }

  /// True if the host must keep `outstanding` (acknowledgements cost messages).
  virtual bool needs_outstanding() const { return false; }

  /// Returns the number of visits that it has sent to another queue than the one it had chosen first (Loki
  /// section 5.2, opportunistic rerouting); -1 if it never does.
  virtual std::int64_t rerouted() const { return -1; }
};

/// A queue as its router sees it: the router's own doing and what it was told, never the true state of this
/// instant.
struct QueueView {
  QueueId id = 0;
  int workers = 1;
  /// Number of visits sent there, of all modules that the queue serves, whose end has not been acknowledged
  /// yet. It is kept only for routers that say they need it.
  int outstanding = 0;
  GroupId group = 0;  ///< group whose workers it has (Plan::groups)
};

/// The origin of visits that a served batch has caused (Loki: a worker's table says where to send them).
struct Upstream {
  QueueId queue = 0;    ///< queue that served their parents
  ModuleId module = 0;  ///< module of the parents: the variant that served them
  /// Time at which each visit's parent arrived at that queue.
  std::span<const TimeNs> arrived_ns;
};

inline void Router::route_onward(TimeNs now, const Upstream&, std::span<const Visit> visits,
                                 std::span<const QueueView> queues, std::span<std::uint32_t> out) {
  route(now, visits, queues, out);
}

}  // namespace harness
