// Which queue domain takes a visit next.
#pragma once

#include <memory>
#include <span>

#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// What a router knows of a queue domain: its own doing and what it was told, never the truth of this
/// instant.
struct DomainView {
  DomainId id = 0;
  int workers = 1;
  /// Visits sent there whose end has been acknowledged not yet. Kept only for routers that say they need it.
  int outstanding = 0;
  GroupId group = 0;  ///< whose workers it has (Plan::groups)
};

/// One instance per module, with that module's controller. Called from one thread.
class Router {
 public:
  virtual ~Router() = default;

  /// Chooses a domain for each of `visits`, in order: writes into out[i] an index into `domains`, or kNone to
  /// drop
  /// (`no_worker`). `domains` are the module's active domains in order of id, at least one; the caller raises
  /// `outstanding` of domains[out[i]] itself, so a router that counts within one call keeps its own tally.
  virtual void route(TimeNs now, std::span<const Visit> visits, std::span<const DomainView> domains,
                     std::span<std::uint32_t> out) = 0;

  /// The plan that holds from now on: before the first call, and whenever it changes.
  virtual void on_plan(const Plan&) {}

  /// Whether the host must keep `outstanding` (acknowledgements cost messages).
  virtual bool needs_outstanding() const { return false; }
};

/// Domain after domain.
std::unique_ptr<Router> make_round_robin_router();
/// The domain with the fewest outstanding visits per worker; ties go to the lowest id.
std::unique_ptr<Router> make_least_loaded_router();

}  // namespace harness
