// One controller per module (PARD section 4.1, the State Planner), which gathers reports and publishes the
// module's state.
#pragma once

#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"

namespace harness {

class Publication;

/// The controller of one module. It is called from one thread and never re-entered. The system alone knows
/// the meaning of the values.
class Controller {
 public:
  virtual ~Controller() = default;

  virtual void on_plan(TimeNs now, const Plan& plan) = 0;
  /// Called when a queue of this module has reported.
  virtual void on_report(TimeNs now, QueueId queue, std::span<const double> values, Publication& out) = 0;
  /// Called once per state period (PARD: one second).
  virtual void on_period(TimeNs now, Publication& out) = 0;
  /// Called when another module's state has arrived.
  virtual void on_state(TimeNs now, ModuleId module, std::span<const double> state, Publication& out) = 0;
};

/// The state that a controller wants published. The host sends it to the module's own queues and to every
/// other controller.
class Publication {
 public:
  void publish(std::span<const double> state) {
    due_ = true;
    state_.assign(state.begin(), state.end());
  }
  // For the host.
  bool due() const { return due_; }
  std::span<const double> state() const { return state_; }
  void clear() { due_ = false; }

 private:
  bool due_ = false;
  std::vector<double> state_;
};

}  // namespace harness
