#include "systems/loki/task_budgets.h"

namespace harness {

TimeNs latency_budget(TimeNs exec_ns, double factor) {
  return static_cast<TimeNs>(static_cast<double>(exec_ns) * factor + 0.5);
}

}  // namespace harness
