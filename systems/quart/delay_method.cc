#include "systems/quart/delay_method.h"

#include <algorithm>

namespace harness {

double steady_delay_s(DelayMethod method, const StageLoad& load, int replicas) {
  return method == DelayMethod::kPrinted ? printed_delay_s(load, replicas) : erlang_c_delay_s(load, replicas);
}

double delay_s(DelayMethod method, const StageLoad& load, int replicas, double wait_s) {
  if (method == DelayMethod::kMeasured)
    return wait_s >= 0 ? wait_s + load.exec_s : backlog_delay_s(load, replicas);
  const double steady_s = steady_delay_s(method, load, replicas);
  return method == DelayMethod::kPrinted ? steady_s : std::max(steady_s, backlog_delay_s(load, replicas));
}

}  // namespace harness
