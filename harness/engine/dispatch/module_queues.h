// The queues of a module and the router that chooses among them.
#pragma once

#include <memory>
#include <vector>

#include "harness/serving/router.h"

namespace harness {

/// The active queues of one module, or of all variants of a task at its first module, as its router sees
/// them.
struct ModuleQueues {
  std::unique_ptr<Router> router;
  bool reads_visits = true;         ///< true if the router looks at the visits
  bool counts_outstanding = false;  ///< true if the router needs QueueView::outstanding
  std::vector<QueueView> views;     ///< active queues, in order of id
};

}  // namespace harness
