// The messages of `rag`'s parts, the estimates from them, and the system's parameters.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/controller.h"
#include "harness/serving/plan.h"

namespace harness {

// The system's parameters.

enum class RagDropping { kProactive, kReactive, kPredict };

struct RagParams {
  RagDropping policy = RagDropping::kProactive;
  double average_window_s = 5;
  double lambda = 0.1;

  void list(ParamList& params) {
    params.choice("policy", policy, {"proactive", "reactive", "predict"},
                  "proactive: drops what it estimates late; reactive: only what is past the SLO; predict: as "
                  "proactive, with oracle knowledge of the output length at a service that ends at its last "
                  "token (PARD section 7)");
    params.number("average_window_s", average_window_s, 0.1, 3600,
                  "window of the recent averages, linearly weighted, newest most");
    params.number(
        "lambda", lambda, 0, 1,
        "quantile of a later batch module's wait, as a share of its execution time (PARD section 4.2)");
  }
};

/// The sums over one queue's visits since its last report.
struct RagReport {
  static constexpr std::size_t kSize = 5;
  double started = 0;
  double queueing_ns = 0;  ///< time in the queue of the started visits
  double done = 0;
  double exec_ns = 0;  ///< time of the visits done; without the prefill if a visit ends at its first token
  /// Time that those visits would have taken alone; only for shared services that end at the last token.
  double alone_ns = 0;

  std::array<double, kSize> values() const { return {started, queueing_ns, done, exec_ns, alone_ns}; }
  static RagReport of(std::span<const double> values);
};

/// The recent means that a module has measured of itself.
struct RagMeasured {
  double queueing_ns = 0;
  /// Mean time of a visit (without its prefill if it ends at its first token); unused for batch modules.
  double exec_ns = 0;
  double slowdown = 1;  ///< exec_ns over the time that the visits would have taken alone
};

/// Returns the assumptions for a module that has measured nothing.
RagMeasured assumed(const Profile& profile);

/// A module's published state.
struct RagState {
  static constexpr std::size_t kSize = 4;
  RagMeasured own;
  double downstream_ns = 0;

  std::array<double, kSize> values() const {
    return {own.queueing_ns, own.exec_ns, own.slowdown, downstream_ns};
  }
  static RagState of(std::span<const double> values);
};

/// Returns the longest path after `module`, of queueing, batch wait and execution as measured; without the
/// prefills of services that end at their first token, which depend on the request.
double downstream_ns(const ServingContext& context, ModuleId module, const Plan& plan,
                     const std::vector<RagMeasured>& measured, double lambda);

/// The mean over the last periods, linearly weighted, the newest most.
class RecentMean {
 public:
  explicit RecentMean(std::size_t periods) : periods_(periods) {}

  /// Adds a period that has ended, with this sum over that count (or weight).
  void add(double sum, double count);
  /// Returns the mean, or `otherwise` if nothing has been counted.
  double mean_or(double otherwise) const;

 private:
  struct Period {
    double sum = 0;
    double count = 0;
  };
  std::size_t periods_;
  std::deque<Period> recent_;  ///< periods, the newest last
};

// The recent averages of one module, and the estimate for the modules after it.

/// Publishes a RagState once per period, from its queues' reports (RagReport) and the other modules' states.
class RagController final : public Controller {
 public:
  RagController(const ServingContext& context, ModuleId module, const RagParams& params);

  void on_plan(TimeNs now, const Plan& plan) override;
  void on_report(TimeNs now, QueueId queue, std::span<const double> values, Publication& out) override;
  void on_period(TimeNs now, Publication& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Publication& out) override;

 private:
  const ServingContext& context_;
  ModuleId module_;
  double lambda_;
  Plan plan_;
  RagReport period_;  ///< sums over the reports of this period
  RecentMean queueing_;
  RecentMean exec_;
  RecentMean slowdown_;
  std::vector<RagMeasured> measured_;  ///< last known state of each module
};

}  // namespace harness
